/**
 * visit: runs a command in a gateway that is already running. Nothing else is loaded for it.
 *
 * in     the arguments of the command line
 * out    what the gateway says to print, and its exit code; `alone` is called when no gateway can carry out the command
 * never  calls `alone` once the gateway may have begun: the command might run twice
 */
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { gatewayPlaceOf } from '../gateway-place.ts'
import {
  ALIVE_MS,
  GREETING_MS,
  MOST_MISSED,
  NO_GREETING,
  type From,
  type Reply,
  type Visit,
  type Word,
} from '../visit.ts'
import type { Platform } from '../world.ts'
import { isPrivateFolder } from './own-folder.ts'
import { pathsOf } from './paths.ts'
import { createWriter, lookAtTerminal } from './terminal-facts.ts'

export interface VisitLine {
  readonly argv: readonly string[]
  readonly version: string
}

export function visitGateway({ argv, version }: VisitLine, alone: () => void): void {
  const path = findSocket()
  const from = toFrom()
  if (path === undefined || from === undefined) return alone()
  const { write, isWriting } = createWriter()
  const { isTerminal: _, ...terminal } = lookAtTerminal()
  const socket = process.getBuiltinModule('node:net').connect(path)
  const say = (said: Visit | Reply): void => void socket.write(`${JSON.stringify(said)}\n`)
  let state: 'calling' | 'waiting' | 'over' = 'calling'
  const end = (code: number): void => {
    state = 'over'
    process.exitCode = code
    // At once: Node would first tear down its heap, and the user would wait for that.
    if (!isWriting()) process.exit()
    socket.destroy()
  }
  const goAlone = (why?: string): void => {
    state = 'over'
    clearTimeout(timer)
    process.off('SIGINT', interrupt)
    socket.destroy()
    if (why !== undefined) write(2, `note: ${why}\n`)
    alone()
  }
  const lose = (message: string): void => {
    if (argv.includes('--json')) write(1, `${JSON.stringify(lostJson(message))}\n`)
    else write(2, lostText(message))
    end(1)
  }
  const timer = setTimeout(goAlone, GREETING_MS, NO_GREETING)
  // A counter, not the clock: a machine that was asleep for an hour has missed nothing.
  let missed = 0
  const watch = (): void => {
    const ticks = setInterval(() => {
      if (state === 'over') clearInterval(ticks)
      else if (++missed > MOST_MISSED) lose(SILENT)
    }, ALIVE_MS)
  }
  const interrupt = (): void => {
    // The second Ctrl-C ends the program.
    process.once('SIGINT', () => process.exit(130))
    say({ interrupt: true })
  }
  const take = (word: Word): void => {
    switch (word.say) {
      case 'hello':
        clearTimeout(timer)
        state = 'waiting'
        process.once('SIGINT', interrupt)
        watch()
        return say({ go: true })
      case 'out':
        return write(1, word.text)
      case 'err':
        return write(2, word.text)
      case 'input':
        return passInput(say)
      case 'exit':
        return end(word.code)
      case 'alone':
        return goAlone(word.why)
      default:
    }
  }
  readLines(socket, (line) => {
    missed = 0
    if (state !== 'over') take(JSON.parse(line) as Word)
  })
  socket.on('connect', () => {
    say({ version, wants: { ...from, kind: 'command', argv, terminal } })
  })
  // The `close` event reports it.
  socket.on('error', () => undefined)
  socket.on('close', () => {
    if (state === 'calling') return goAlone()
    if (state === 'waiting') lose(GONE)
  })
}

/** Undefined: certainly no gateway runs, or the socket could belong to another user. */
export function findSocket(): string | undefined {
  const platform: Platform =
    process.platform === 'win32' || process.platform === 'darwin' ? process.platform : 'linux'
  const { env } = process
  const paths = pathsOf(platform)
  const home = env[platform === 'win32' ? 'USERPROFILE' : 'HOME']
  // For a user without a home, the command itself searches, which takes longer.
  if (home === undefined || !paths.isAbsolute(home)) return undefined
  const { socket } = gatewayPlaceOf({ platform, env, home, paths })
  if (platform === 'win32') return socket
  return isPrivateFolder(paths.dirname(socket)) && existsSync(socket) ? socket : undefined
}

/** Undefined when the current folder was removed. */
export function toFrom(): From | undefined {
  try {
    return { cwd: process.cwd(), env: process.env as Record<string, string> }
  } catch {
    return undefined // the command itself handles this
  }
}

export function readLines(from: Readable, onLine: (line: string) => void): void {
  let rest = ''
  from.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    for (const line of lines) onLine(line)
  })
}

function passInput(say: (reply: Reply) => void): void {
  process.stdin
    .setEncoding('utf8')
    .on('data', (input: string) => say({ input }))
    .on('end', () => say({ input: null }))
}

const GONE = 'the gateway went away before it had answered'
const SILENT = `the gateway has not answered for ${(MOST_MISSED * ALIVE_MS) / 1000} s: it may be suspended`
const HINT = 'what was asked for may have happened; to see how the gateway is, run `plugboard status`'

/** The same text as the command itself would print. None of its code is loaded here. */
function lostText(message: string): string {
  return `error: ${message}\n\nhint: ${HINT}\n`
}

function lostJson(message: string): object {
  return { error: { code: 'serve/lost', message, hints: [HINT] } }
}
