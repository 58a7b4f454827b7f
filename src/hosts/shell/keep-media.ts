/**
 * keep-media: saves images and sounds of results, even when the terminal can show them: a picture scrolls away, a file
 * stays.
 */
import type { Media } from '../../model/outcome.ts'
import type { Problem } from '../../model/problem.ts'
import type { World } from '../../world/world.ts'
import { imagesOf } from '../shared/images.ts'
import { saveMediaTo } from '../shared/media-files.ts'
import { showPath } from '../shared/show-path.ts'
import { imageSequence } from './show-image.ts'

export interface NamedMedia {
  /** The base of the files' names. */
  readonly name: string
  readonly media: readonly Media[]
}

export interface MediaContext {
  readonly world: World
  readonly folder: string
  note(line: string): void
  report(problems: readonly Problem[]): void
  draw(sequence: string): void
}

const MODE = 0o600

export function keepMedia({ world, folder, ...desk }: MediaContext, { name, media }: NamedMedia): void {
  if (media.length === 0) return
  const { files, problems } = saveMediaTo(world, media, { folder, name, mode: MODE })
  for (const { file, kind } of files) desk.note(`${kind} saved: ${showPath(file, world)}`)
  if (problems.length > 0) desk.report(problems)
  for (const image of imagesOf({ media })) {
    const sequence = imageSequence(image, world.env)
    if (sequence !== undefined) desk.draw(sequence)
  }
}
