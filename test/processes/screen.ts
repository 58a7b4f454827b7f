/**
 * screen: the built command in a real pseudo-terminal, and what a person in front of it would see.
 *
 * in     keys
 * out    the screen as text, scrolled lines included; promises that settle when something is to be seen
 * never  sleeps: whoever waits is told with the next thing written
 */
import { spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { notePrinted } from '../leaks/printed.ts'
import { BIN, type Machine } from './plugboard.ts'

const LIMIT_MS = 40_000

export const PRESS = {
  enter: '\r',
  escape: '\u001b',
  altEnter: '\u001b\r',
  tab: '\t',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  space: ' ',
  interrupt: '\u0003',
  unfold: '\u000f',
} as const

export interface ScreenOptions {
  readonly columns?: number
  readonly rows?: number
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** In place of `plugboard`. */
  readonly start?: readonly string[]
}

export interface Screen extends AsyncDisposable {
  readonly pid: number
  type(keys: string): void
  resize(columns: number, rows: number): void
  /** All that is to be seen, and what has scrolled away above it. */
  text(): string
  /** What was written, escape sequences and all. */
  raw(): string
  /** Resolves with the text when it can be seen; what was there before `since` does not count. */
  until(wanted: string | RegExp): Promise<string>
  /** As `until`, for what goes away. */
  untilGone(wanted: string | RegExp): Promise<void>
  /** Resolves when the question that is asked, if one is, takes answers: it says by which keys only then. */
  untilHeard(): Promise<string>
  /** Types as soon as somebody listens, and waits for what follows. */
  do(keys: string, wanted: string | RegExp): Promise<string>
  /** The exit code. */
  readonly exit: Promise<number>
}

export function openScreen(machine: Machine, options: ScreenOptions = {}): Screen {
  const { columns = 100, rows = 40, args = [], env = {} } = options
  const [program = '', ...rest] = options.start ?? [process.execPath, BIN]
  const child = spawn(program, [...rest, ...args], {
    cols: columns,
    rows,
    cwd: machine.project,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: machine.home,
      PLUGBOARD_KEYCHAIN: 'off',
      TERM: 'xterm-256color',
      ...env,
    },
  })
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true })
  const looks = new Set<() => void>()
  let raw = ''
  child.onData((data) => {
    raw += data
    notePrinted(`terminal of ${child.pid}`, data)
    terminal.write(data, () => looks.forEach((look) => look()))
  })
  const exit = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)))
  const text = (): string => {
    const { active } = terminal.buffer
    const lines: string[] = []
    for (let i = 0; i < active.length; i++) lines.push(active.getLine(i)?.translateToString(true) ?? '')
    return lines.join('\n').trimEnd()
  }
  const wait = (what: string, isThere: () => boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer)
        looks.delete(look)
      }
      const look = (): void => {
        if (!isThere()) return
        end()
        resolve(text())
      }
      const timer = setTimeout(() => {
        end()
        reject(new Error(`not on the screen within ${LIMIT_MS / 1000} s: ${what}\n${text()}`))
      }, LIMIT_MS)
      looks.add(look)
      look()
    })
  // What is drawn anew is gone for a moment, so that the screen of now does not tell.
  const isPlain = (): boolean => !raw.includes('─')
  const isIn = (wanted: string | RegExp): boolean =>
    typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text())
  const screen: Screen = {
    pid: child.pid,
    exit,
    text,
    raw: () => raw,
    type: (keys) => child.write(keys),
    resize(columns, rows) {
      terminal.resize(columns, rows)
      child.resize(columns, rows)
    },
    until: (wanted) => wait(String(wanted), () => isIn(wanted)),
    untilGone: async (wanted) => void (await wait(`not ${String(wanted)}`, () => !isIn(wanted))),
    untilHeard: () => wait('keys that answer', () => isPlain() || isHearing(text())),
    async do(keys, wanted) {
      await screen.untilHeard()
      child.write(keys)
      return screen.until(wanted)
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exit
      terminal.dispose()
    },
  }
  return screen
}

/** Below the last rule there is a line to type in, or a question that names its keys. */
function isHearing(text: string): boolean {
  const last = text.lastIndexOf('─')
  const below = text.slice(last + 1)
  return last !== -1 && (below.startsWith('\n>') || below.includes('Esc: '))
}
