/**
 * visit: a command that a gateway carries out which runs already. All that is loaded for it is this.
 *
 * in     the words of the line
 * out    what the gateway says to print, and its exit code; `alone` is called where there is no gateway that can do it
 * never  calls `alone` once the gateway may have begun: what was asked for might happen twice
 */
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { gatewayPlaceOf } from '../gateway-place.ts'
import { GREETING_MS, NO_GREETING, type From, type Reply, type Visit, type Word } from '../visit.ts'
import { isPrivateFolder } from './own-folder.ts'
import { createWriter, lookAtTerminal } from './terminal-facts.ts'
import { findUser } from './user.ts'

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
    // At once: Node would first take its heap apart, for which nobody should wait.
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
  const timer = setTimeout(goAlone, GREETING_MS, NO_GREETING)
  const interrupt = (): void => {
    // The second ends the program.
    process.once('SIGINT', () => process.exit(130))
    say({ interrupt: true })
  }
  const take = (word: Word): void => {
    switch (word.say) {
      case 'hello':
        clearTimeout(timer)
        state = 'waiting'
        process.once('SIGINT', interrupt)
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
    if (state !== 'over') take(JSON.parse(line) as Word)
  })
  socket.on('connect', () => {
    say({ version, wants: { ...from, kind: 'command', argv, terminal } })
  })
  // The end tells.
  socket.on('error', () => undefined)
  socket.on('close', () => {
    if (state === 'calling') return goAlone()
    if (state !== 'waiting') return
    const { text, json } = LOST
    if (argv.includes('--json')) write(1, `${JSON.stringify(json)}\n`)
    else write(2, text)
    end(1)
  })
}

/** Undefined: there is none, or it could belong to another user. */
export function findSocket(): string | undefined {
  const user = findUser()
  // Without one in the environment, the command itself looks for the home.
  if (user === undefined) return undefined
  const { socket } = gatewayPlaceOf(user)
  if (user.platform === 'win32') return socket
  return isPrivateFolder(user.paths.dirname(socket)) && existsSync(socket) ? socket : undefined
}

/** Undefined in a folder that is gone. */
export function toFrom(): From | undefined {
  try {
    return { cwd: process.cwd(), env: process.env as Record<string, string> }
  } catch {
    return undefined // the command itself knows what to do there
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

const MESSAGE = 'the gateway went away before it had answered'
const HINT = 'what was asked for may have happened; to see how the gateway is, run `plugboard status`'

/** As the command itself would put it, of which nothing is loaded. */
const LOST = {
  text: `error: ${MESSAGE}\n\nhint: ${HINT}\n`,
  json: { error: { code: 'serve/lost', message: MESSAGE, hints: [HINT] } },
}
