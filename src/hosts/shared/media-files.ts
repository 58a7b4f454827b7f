/**
 * media-files: saves images and sounds of a result as files.
 *
 * never  overwrites an existing file
 */
import type { Media } from '../../model/outcome.ts'
import type { Problem } from '../../model/problem.ts'
import { createProblem } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'

export interface Saved {
  readonly files: readonly {
    readonly file: string
    readonly kind: Media['kind']
    readonly mimeType: string
  }[]
  readonly problems: readonly Problem[]
}

export interface Saving {
  readonly folder: string
  /** The base of the file names. */
  readonly name: string
  /** The mode of the files, as far as the user's umask allows it. */
  readonly mode: number
}

export function saveMediaTo(world: World, media: readonly Media[], { folder, name, mode }: Saving): Saved {
  const files: Saved['files'][number][] = []
  const problems: Problem[] = []
  for (const { kind, mimeType, data } of media) {
    const file = findFree(world, folder, { name, extension: extensionOf(mimeType) })
    const bytes = decode(data)
    if (bytes === undefined) problems.push(notBase64(kind))
    else if (world.files.write(file, mode, bytes)) files.push({ file, kind, mimeType })
    else problems.push(unwritable(file))
  }
  return { files, problems }
}

function findFree(
  { files, paths }: World,
  folder: string,
  { name, extension }: { readonly name: string; readonly extension: string },
): string {
  const safe = name.replace(/[^\w-]/g, '_').slice(0, 80)
  for (let number = 1; ; number++) {
    const file = paths.join(folder, `${safe}-${number}.${extension}`)
    if (files.kind(file) === 'missing') return file
  }
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  jpeg: 'jpg',
  'svg+xml': 'svg',
  mpeg: 'mp3',
  'x-wav': 'wav',
}

function extensionOf(mimeType: string): string {
  const [, type = ''] = mimeType.split(/[/;]/)
  const known = Object.hasOwn(EXTENSIONS, type) ? EXTENSIONS[type]! : type
  return /^[a-z0-9]{1,10}$/.test(known) ? known : 'bin'
}

function decode(data: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
  } catch {
    return undefined // the caller reports it as a problem
  }
}

function notBase64(kind: Media['kind']): Problem {
  return createProblem({ code: 'call/bad-media', message: `the ${kind} cannot be decoded: it is not base64` })
}

function unwritable(file: string): Problem {
  return createProblem({
    code: 'call/unwritable',
    message: `\`${file}\` could not be written`,
    hints: ['make sure that the folder is one, and that you may write there'],
  })
}
