/**
 * notes: texts in one folder, one file each. The demo server writes nowhere else.
 *
 * never  leaves its folder: a title is a name, not a path
 */
import type { World } from '../../../world/world.ts'

export interface Notes {
  readonly folder: string
  /** Sorted. */
  titles(): readonly string[]
  /** Undefined: no note has this title. */
  read(title: string): string | undefined
  /** False when the disk refuses it. */
  write(title: string, text: string): boolean
}

const TITLE = /^[\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,59}$/u

export const TITLE_RULE = '1 to 60 letters, digits, blanks, _, . and -, beginning with a letter or a digit'

export function isTitle(text: string): boolean {
  return TITLE.test(text)
}

const ENDING = '.md'

export function createNotes({ files, paths }: Pick<World, 'files' | 'paths'>, folder: string): Notes {
  const fileOf = (title: string): string => paths.join(folder, `${title}${ENDING}`)
  return {
    folder,
    titles: () =>
      files
        .list(folder)
        .filter((name) => name.endsWith(ENDING))
        .map((name) => name.slice(0, -ENDING.length))
        .filter(isTitle),
    read(title) {
      const read = isTitle(title) ? files.read(fileOf(title)) : undefined
      return read?.kind === 'text' ? read.text : undefined
    },
    write: (title, text) => isTitle(title) && files.write(fileOf(title), 0o600, text),
  }
}
