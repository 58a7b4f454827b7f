/**
 * terminal: the real one, on stdin, stdout and stderr.
 */
import { isatty } from 'node:tty'
import type { Terminal } from '../world.ts'

export function createNodeTerminal(): Terminal {
  const { stdout, stderr, env } = process
  // The reader went away (`plugboard list | head`): there is nobody left to tell.
  stdout.on('error', (error: NodeJS.ErrnoException) => leaveOnBrokenPipe(error))
  stderr.on('error', (error: NodeJS.ErrnoException) => leaveOnBrokenPipe(error))
  return {
    // `process.stdin` would open the stream only to ask.
    canAsk: isatty(0) && stdout.isTTY === true,
    columns: stdout.isTTY ? stdout.columns || undefined : undefined,
    hasColor: { out: hasColor(stdout.isTTY, env), err: hasColor(stderr.isTTY, env) },
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    async choose(question, options) {
      const { select } = await import('@clack/prompts')
      const answer = await select<string>({ message: question, options: [...options] })
      // Anything else is the mark of a cancelled question.
      return options.find(({ value }) => value === answer)?.value
    },
  }
}

function leaveOnBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit()
}

/** What the user says outranks what the terminal is; FORCE_COLOR outranks NO_COLOR, as it does in Node itself. */
function hasColor(isTerminal: boolean | undefined, env: NodeJS.ProcessEnv): boolean {
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  if ((env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb') return false
  return isTerminal === true
}
