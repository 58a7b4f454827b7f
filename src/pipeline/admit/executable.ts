/**
 * executable: finds the program of a command on this machine. It only looks and never runs anything.
 */
import { argvOf } from '../../model/signature.ts'
import type { ServerDefinition, StdioTransport } from '../../model/definition.ts'
import { expandForComparison, showTemplate } from '../../model/template.ts'
import type { World } from '../../world/world.ts'

export interface Surroundings {
  /** The folder where relative paths begin. */
  readonly baseDir: string
  /** The variables of the entry's `envFile`, if it may be read. */
  readonly fileVariables?: ReadonlyMap<string, string>
}

export type Program =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing' }
  /** Its search path comes from a command or a file that is read only when the server starts. */
  | { readonly kind: 'unknown' }

/** The program that would start, in the environment that the entry sets. */
export function findProgram(
  world: World,
  { transport, values }: { readonly transport: StdioTransport; readonly values: ServerDefinition['values'] },
  { baseDir, fileVariables }: Surroundings,
): Program {
  const { paths, env } = world
  const command = argvOf(transport, env)[0]!
  const cwd =
    transport.cwd === undefined
      ? baseDir
      : paths.resolve(baseDir, expandHome(world, expandForComparison(transport.cwd, env)))
  if (/[/\\]/.test(command)) return toProgram(world, [paths.resolve(cwd, expandHome(world, command))])
  const searched = searchPathOf(world, { transport, values }, fileVariables)
  if (searched === undefined) return { kind: 'unknown' }
  return toProgram(
    world,
    foldersIn(world, searched).map((folder) => paths.resolve(cwd, folder, command)),
  )
}

function toProgram(world: World, candidates: readonly string[]): Program {
  for (const candidate of candidates) {
    const path = firstExecutable(world, candidate)
    if (path !== undefined) return { kind: 'found', path }
  }
  return { kind: 'missing' }
}

/**
 * The same search path that `resolve` uses: the entry's own PATH, else that of its file, else the user's. Undefined:
 * not known yet.
 */
function searchPathOf(
  { env, platform }: World,
  { transport, values }: { readonly transport: StdioTransport; readonly values: ServerDefinition['values'] },
  fileVariables: Surroundings['fileVariables'],
): string | undefined {
  const isPath = ([name]: readonly [string, unknown]): boolean =>
    name === 'PATH' || (platform === 'win32' && name.toUpperCase() === 'PATH')
  const own = [...transport.env].findLast(isPath)?.[1]
  if (own === undefined) {
    const fromFile = [...(fileVariables ?? [])].findLast(isPath)?.[1]
    // The C library's own search path when the variable is missing.
    return fromFile ?? env['PATH'] ?? env['Path'] ?? (platform === 'win32' ? '' : '/usr/bin:/bin')
  }
  const isLate = own.some((part) => typeof part !== 'string' && part.kind !== 'env')
  if (isLate || (values === 'resolvable' && showTemplate(own).startsWith('!'))) return undefined
  const text = expandForComparison(own, env)
  // In these dialects a value can be the name of a variable.
  return values === 'resolvable' && Object.hasOwn(env, text) ? env[text] : text
}

/** On Unix, an empty part is the folder that the server starts in. On Windows, relative folders are not searched. */
function foldersIn({ paths, platform }: World, searched: string): readonly string[] {
  const folders = searched.split(paths.delimiter)
  return platform === 'win32' ? folders.filter((folder) => paths.isAbsolute(folder)) : folders
}

function expandHome(world: World, path: string): string {
  return path.replace(/^~(?=[/\\]|$)/, () => world.home)
}

/**
 * On Windows, the same choice as at the start (world/node/windows-command.ts): beside `npx.cmd` is an `npx` for other
 * shells.
 */
function firstExecutable({ platform, env, files }: World, path: string): string | undefined {
  const known = platform === 'win32' ? (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';') : []
  const isWhole = known.some((ending) => ending !== '' && path.toLowerCase().endsWith(ending.toLowerCase()))
  const endings = isWhole ? ['', ...known] : [...known, '']
  return endings.map((ending) => path + ending).find((candidate) => files.isExecutable(candidate))
}
