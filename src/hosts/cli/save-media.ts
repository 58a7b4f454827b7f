/**
 * save-media: images and sounds of a result, as files.
 *
 * never  writes over a file that is there
 */
import type { Media, ToolResult } from '../../model/outcome.ts'
import type { Problem } from '../../model/problem.ts'
import { createProblem } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import type { CommandContext } from './command.ts'

export interface Saved {
  readonly files: readonly {
    readonly file: string
    readonly kind: Media['kind']
    readonly mimeType: string
  }[]
  readonly problems: readonly Problem[]
}

const NOTHING: Saved = { files: [], problems: [] }

/** Into the folder of `--save-media`; nothing without it. */
export function saveMedia({ flags, world }: CommandContext, { media, details }: ToolResult): Saved {
  const given = flags['save-media']
  if (typeof given !== 'string' || media.length === 0) return NOTHING
  const folder = world.paths.resolve(world.cwd, given)
  const files: Saved['files'][number][] = []
  const problems: Problem[] = []
  for (const { kind, mimeType, data } of media) {
    const file = findFree(world, folder, { name: details.mcpToolName, extension: extensionOf(mimeType) })
    const bytes = decode(data)
    if (bytes === undefined) problems.push(notBase64(kind))
    else if (world.files.write(file, 0o666, bytes)) files.push({ file, kind, mimeType })
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
    return undefined // told as a problem
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
