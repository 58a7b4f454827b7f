/**
 * executable: where a command leads on this machine. Looks, never runs.
 */
import { argvOf } from '../../model/signature.ts'
import type { ServerDefinition, StdioTransport } from '../../model/definition.ts'
import { expandForComparison, showTemplate } from '../../model/template.ts'
import type { World } from '../../world/world.ts'

export interface Surroundings {
  /** Where relative paths begin. */
  readonly baseDir: string
  /** The variables of the entry's `envFile`, where it may be read. */
  readonly fileVariables?: ReadonlyMap<string, string>
}

export type Program =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing' }
  /** Its search path comes from a command or a file that is only read when the server starts. */
  | { readonly kind: 'unknown' }

/** The program that would be started, in the environment that the entry itself asks for. */
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

/** As `resolve` comes to it: the entry's own PATH, else that of its file, else the user's. Undefined: not known yet. */
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
    // What the C library searches where the variable is missing.
    return fromFile ?? env['PATH'] ?? env['Path'] ?? (platform === 'win32' ? '' : '/usr/bin:/bin')
  }
  const isLate = own.some((part) => typeof part !== 'string' && part.kind !== 'env')
  if (isLate || (values === 'resolvable' && showTemplate(own).startsWith('!'))) return undefined
  const text = expandForComparison(own, env)
  // In these dialects a value can be the name of a variable.
  return values === 'resolvable' && Object.hasOwn(env, text) ? env[text] : text
}

/** On Unix an empty part is the folder that the server starts in; on Windows relative folders are not searched. */
function foldersIn({ paths, platform }: World, searched: string): readonly string[] {
  const folders = searched.split(paths.delimiter)
  return platform === 'win32' ? folders.filter((folder) => paths.isAbsolute(folder)) : folders
}

function expandHome(world: World, path: string): string {
  return path.replace(/^~(?=[/\\]|$)/, () => world.home)
}

/** On Windows as it will be started (world/node/windows-command.ts): beside `npx.cmd` stands an `npx` for other shells. */
function firstExecutable({ platform, env, files }: World, path: string): string | undefined {
  const known = platform === 'win32' ? (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';') : []
  const isWhole = known.some((ending) => ending !== '' && path.toLowerCase().endsWith(ending.toLowerCase()))
  const endings = isWhole ? ['', ...known] : [...known, '']
  return endings.map((ending) => path + ending).find((candidate) => files.isExecutable(candidate))
}
