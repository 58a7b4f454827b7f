/**
 * windows-command: what Windows can start by itself, and how the rest is handed to `cmd.exe`.
 *
 * `npx` is a script there (`npx.cmd`), and Node refuses to start one without a shell. Arguments are quoted twice: once
 * for the program, once for `cmd.exe`, so that none of them can become a command of its own.
 */
import type { Platform } from '../world.ts'

export interface Spawnable {
  readonly command: string
  readonly args: readonly string[]
  /** The arguments are already in the form the system takes. */
  readonly isVerbatim: boolean
}

export function toSpawnable(
  command: string,
  args: readonly string[],
  { platform, env }: { readonly platform: Platform; readonly env: Readonly<Record<string, string>> },
): Spawnable {
  if (platform !== 'win32' || /\.(?:exe|com)$/i.test(command)) return { command, args, isVerbatim: false }
  const line = [escapeMeta(command), ...args.map((arg) => escapeMeta(quote(arg)))].join(' ')
  return {
    command: env['ComSpec'] ?? env['COMSPEC'] ?? 'cmd.exe',
    args: ['/d', '/s', '/c', `"${line}"`],
    isVerbatim: true,
  }
}

/** As the C runtime takes arguments apart: backslashes count only before a quote. */
function quote(arg: string): string {
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
}

/** `cmd.exe` acts on these, quoted or not. */
function escapeMeta(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&')
}
