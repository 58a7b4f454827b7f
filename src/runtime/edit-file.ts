/**
 * edit-file: a file and changes → the changed file, or a Problem and an unchanged file.
 *
 * in     changes, applied to the text that the file has under the lock: a file that changed after the caller read it is
 *        read again, never overwritten
 * out    whether anything had to be written
 */
import { toCommandLine } from '../base/command-line.ts'
import { unreachable } from '../base/unreachable.ts'
import type { Changes } from '../edit/change.ts'
import { editFormatOf, loadEdit, type EditFormat } from '../edit/edit.ts'
import type { Problem } from '../model/problem.ts'
import type { Project } from '../model/project.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import { UpdateError, type Unreadable, type Unwritable, type World } from '../world/world.ts'
import type { WritableScope } from './manage/scope-file.ts'

export interface FileToEdit {
  readonly file: string
  /**
   * For a file of a repository, the real folder of the repository: a file outside, behind a link of a cloned
   * repository, is not its own. Undefined for a file of the user, wherever its link leads.
   */
  readonly within: string | undefined
  /** Default: by the ending of the name. */
  readonly format?: EditFormat | undefined
  /** For a new file. An existing file keeps its own mode. */
  readonly mode?: number | undefined
  /** Called under the lock with the text before and after. It may be called more than once; the last call counts. */
  readonly onEdit?:
    | ((texts: { readonly before: string | undefined; readonly after: string }) => void)
    | undefined
}

/** A file of this scope must stay inside this folder. */
export function bounds(
  { paths }: Pick<World, 'paths'>,
  { project }: { readonly project: Project },
  { scope, file }: { readonly scope: WritableScope; readonly file: string },
): string | undefined {
  // For the local scope, some agents keep the file in the repository, others in the home folder.
  const way = paths.relative(project.root, file)
  const isInside = !way.startsWith('..') && !paths.isAbsolute(way)
  return scope === 'project' || (scope === 'local' && isInside) ? project.realRoot : undefined
}

/** Throws a Problem: `edit/…`, or `write/…` when the disk refuses. */
export async function editFile(
  world: World,
  { file, within, format, mode, onEdit }: FileToEdit,
  changes: Changes,
): Promise<'changed' | 'unchanged'> {
  const edit = await loadEdit(format ?? editFormatOf(file))
  let outcome: 'changed' | 'unchanged' = 'unchanged'
  await rewriteFile(world, { file, within, mode }, (text) => {
    const edited = edit({ file, text }, changes)
    onEdit?.({ before: text, after: edited })
    outcome = edited === (text ?? '') ? 'unchanged' : 'changed'
    return outcome === 'changed' ? edited : undefined
  })
  return outcome
}

/** The text that a file would have. Throws as `editFile`, as far as it can without writing. */
export async function previewEdit(
  world: World,
  { file, format }: Pick<FileToEdit, 'file' | 'format'>,
  changes: Changes,
): Promise<string> {
  const edit = await loadEdit(format ?? editFormatOf(file))
  const read = world.files.read(file)
  if (read.kind === 'unreadable')
    throw new ProblemError(notWritten(world, file, { kind: 'unreadable', why: read.why }))
  return edit({ file, text: read.kind === 'text' ? read.text : undefined }, changes)
}

/**
 * Replaces the whole text, by a function that may be called more than once. Throws `write/…`, and what `change` throws.
 */
export async function rewriteFile(
  world: World,
  { file, within, mode = 0o600 }: Omit<FileToEdit, 'format' | 'onEdit'>,
  change: (text: string | undefined) => string | undefined,
): Promise<void> {
  const write = world.files.update(file, { mode: world.files.mode(file) ?? mode, within }, change)
  await write.catch((error: unknown) => {
    if (!(error instanceof UpdateError)) throw error
    throw new ProblemError(notWritten(world, file, error.why), { cause: error })
  })
}

function notWritten(world: World, file: string, why: Unwritable): Problem {
  const { code, message, hints = [], note } = describe(world, file, why)
  return createProblem({
    code: `write/${code}`,
    message,
    where: { file },
    notes: [...(note === undefined ? [] : [note]), 'nothing was changed'],
    hints,
  })
}

interface Described {
  readonly code: string
  readonly message: string
  readonly note?: string
  readonly hints?: readonly string[]
}

function describe(world: World, file: string, why: Unwritable): Described {
  const run = (command: string, path: string): string =>
    `run \`${toCommandLine(command, [path], world.platform)}\``
  switch (why.kind) {
    case 'disk-full':
      return {
        code: 'disk-full',
        message: 'this file could not be written: the disk is full',
        hints: ['make room on the disk, then try again'],
      }
    case 'read-only-disk':
      return { code: 'read-only', message: 'this file could not be written: its disk is read-only' }
    case 'read-only-file':
      return {
        code: 'read-only',
        message: 'this file is read-only',
        hints: world.platform === 'win32' ? [] : [`to change it anyway, ${run('chmod u+w', file)} first`],
      }
    case 'other-owner':
      return {
        code: 'other-owner',
        message: 'this file belongs to somebody else',
        note: `its owner is the user with the number ${why.uid}`,
        hints: [`to make it yours, ${run('sudo chown "$USER"', file)}`],
      }
    case 'denied':
      return describeDenied(world, file, why.path)
    case 'no-folder':
      return {
        code: 'no-folder',
        message: 'this file could not be written: a part of its path is not a folder',
        hints: [`look at \`${why.path}\``],
      }
    case 'unreadable':
      return { code: 'unreadable', message: `this file cannot be changed: ${describeUnreadable(why.why)}` }
    case 'outside':
      return {
        code: 'outside',
        message: 'this file is not changed: a link leads out of the project',
        note: `\`${why.link}\` is a link, and \`${why.target}\` would be changed`,
        hints: ['put a file or a folder of the project in place of the link'],
      }
    case 'lock-taken':
      return {
        code: 'lock-taken',
        message: 'this file could not be written: something that is no file stands where its lock would be',
        hints: [`look at \`${why.path}\`, and remove it if nothing needs it`],
      }
    case 'locked':
      return {
        code: 'locked',
        message: 'this file could not be written: other Plugboards write it all the time',
        hints: ['wait until they are done, then try again'],
      }
    case 'busy':
      return {
        code: 'busy',
        message: 'this file could not be written: another program changes it all the time',
        hints: ['close the program it belongs to, then try again'],
      }
    case 'failed':
      return { code: 'failed', message: 'this file could not be written', note: why.message }
    default:
      return unreachable(why)
  }
}

function describeDenied(world: World, file: string, path: string): Described {
  const folder = world.paths.dirname(file)
  const isFile = path === file || path === world.files.realPath(file)
  const isThere = world.files.kind(folder) !== 'missing'
  if (isFile) return { code: 'denied', message: 'you may not write this file' }
  return {
    code: 'read-only-folder',
    message: isThere
      ? 'you may not write in the folder of this file'
      : 'the folder of this file cannot be made',
    hints: [`make sure that you may write in \`${isThere ? folder : path}\``],
  }
}

function describeUnreadable(why: Unreadable): string {
  switch (why.kind) {
    case 'not-a-file':
      return `it is ${why.what}`
    case 'denied':
      return 'you may not read it'
    case 'link-loop':
      return 'this link leads back to itself'
    case 'too-large':
      return 'it is too large to be configuration'
    case 'not-utf8':
      return 'it is not UTF-8 text'
    case 'failed':
      return why.message
    default:
      return unreachable(why)
  }
}
