/**
 * windows-command: what Windows can start by itself, and how `cmd.exe` starts the rest.
 *
 * in     a command and its arguments, as on other systems; a function that looks for files
 * out    what to start, or why it is refused: a program is started as it is; a script (`npx` is one there, `npx.cmd`)
 *        goes through `cmd.exe`, with every argument escaped so that none can become a command of its own
 * never  looks for a program in the working directory, as Windows itself does: that may be an untrusted repository
 */
import type { Platform } from '../world.ts'

export type Spawnable =
  | {
      readonly kind: 'spawn'
      readonly command: string
      readonly args: readonly string[]
      /** The arguments are already in the form the system takes. */
      readonly isVerbatim: boolean
    }
  /** In the form of an error of the system. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }

export interface Surroundings {
  readonly platform: Platform
  /** Of the program to be started. */
  readonly env: Readonly<Record<string, string>>
  isFile(path: string): boolean
}

export function toSpawnable(command: string, args: readonly string[], around: Surroundings): Spawnable {
  if (around.platform !== 'win32') return toProgram(command, args)
  const file = findFile(command, around)
  if (file === undefined) return { kind: 'refused', code: 'ENOENT', message: `spawn ${command} ENOENT` }
  return /\.[^\\/.]+$/.test(file) && !/\.(?:exe|com)$/i.test(file)
    ? toScript(file, args, around.env)
    : toProgram(file, args)
}

/** A program of Windows itself, by its full path: Windows would first search the working directory for a bare name. */
export function inSystem32(
  program: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return `${valueOf(env, 'SystemRoot') ?? 'C:\\Windows'}\\System32\\${program}`
}

function toProgram(command: string, args: readonly string[]): Spawnable {
  return { kind: 'spawn', command, args, isVerbatim: false }
}

/** Searches as `cmd.exe` does: each ending in each folder of the PATH. */
function findFile(command: string, { env, isFile }: Surroundings): string | undefined {
  const endings = (valueOf(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((one) => one !== '')
  const isWhole = endings.some((ending) => command.toLowerCase().endsWith(ending.toLowerCase()))
  const isPath = /[\\/]/.test(command)
  const names = [
    ...(isWhole ? [command] : []),
    ...endings.map((ending) => command + ending),
    // A command with a folder names exactly one file. A bare name may be a script for another shell.
    ...(isPath && !isWhole ? [command] : []),
  ]
  const folders = (valueOf(env, 'PATH') ?? '')
    .split(';')
    .map((folder) => folder.replaceAll('"', '').replace(/[\\/]+$/, ''))
    .filter((folder) => /^(?:[A-Za-z]:|[\\/]{2})/.test(folder))
  const paths = isPath ? names : folders.flatMap((folder) => names.map((name) => `${folder}\\${name}`))
  return paths.find(isFile)
}

/** Windows ignores the case of the names of variables. */
function valueOf(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const upper = name.toUpperCase()
  const key = Object.keys(env).find((one) => one.toUpperCase() === upper)
  return key === undefined ? undefined : env[key]
}

/** The longest line that `cmd.exe` takes. */
const MAX_LINE = 8191

function toScript(file: string, args: readonly string[], env: Surroundings['env']): Spawnable {
  // A line break ends the command wherever it stands, and no escape changes that.
  if ([file, ...args].some((text) => /[\r\n]/.test(text))) {
    const message = 'an argument holds a line break, which cannot be given to a script on Windows'
    return { kind: 'refused', code: 'EINVAL', message }
  }
  // A batch file passes its arguments on as `%*`, and `cmd.exe` parses them a second time in that line.
  const readings = /\.(?:bat|cmd)$/i.test(file) ? 2 : 1
  const words = args.map((arg) => escapeFor(readings, quote(arg)))
  const line = `"${[escapeFor(1, file), ...words].join(' ')}"`
  const shell = valueOf(env, 'ComSpec') ?? inSystem32('cmd.exe', env)
  // No AutoRun, no `!variables!`, and `cmd.exe` removes only the outer quotes.
  const flags = ['/d', '/v:off', '/s', '/c']
  if ([shell, ...flags, line].join(' ').length > MAX_LINE) {
    const message = `with its arguments it is longer than the ${MAX_LINE} characters that a script can be started with on Windows`
    return { kind: 'refused', code: 'E2BIG', message }
  }
  return { kind: 'spawn', command: shell, args: [...flags, line], isVerbatim: true }
}

/**
 * As the C runtime parses arguments: backslashes matter only before a quote, and the last backslash stands before ours.
 */
function quote(arg: string): string {
  const inner = arg.replace(/\\+"?|"/g, (run: string, at: number) => {
    const isQuote = run.endsWith('"')
    const slashes = isQuote ? run.slice(0, -1) : run
    const isLast = at + run.length === arg.length
    return (isQuote || isLast ? slashes + slashes : slashes) + (isQuote ? '\\"' : '')
  })
  return `"${inner}"`
}

/**
 * `cmd.exe` acts on these, quoted or not, and removes the `^` before them. The quotes are escaped, too, so `cmd.exe`
 * sees nothing as quoted. So no quote in an argument can end what another began. `%` cannot be escaped, but with a `^`
 * before the second one there is no variable of that name.
 */
function escapeFor(readings: 1 | 2, text: string): string {
  const once = text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&')
  return readings === 1 ? once : escapeFor(1, once)
}
