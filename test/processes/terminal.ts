/**
 * terminal: a command line in a real terminal of some width, and a person who answers what it asks.
 *
 * `script`, which every Debian has, makes the terminal; nothing else of it is used.
 */
import { spawn } from 'node:child_process'
import type { Machine } from './plugboard.ts'

const LIMIT_MS = 30_000

export interface Answer {
  /** Text that must have appeared since the last answer. */
  readonly when: string
  /** What happens while the question is open, before it is answered. */
  readonly meanwhile?: () => void
  readonly keys: string
}

export const KEYS = {
  enter: '\r',
  down: '\u001b[B',
  up: '\u001b[A',
  escape: '\u001b',
  interrupt: '\u0003',
} as const

export interface Shown {
  readonly code: number
  /** Everything that was written, as it was. */
  readonly raw: string
  /** The same without colours and movements of the cursor. */
  readonly text: string
}

export function runInTerminal(
  machine: Machine,
  line: string,
  options: {
    readonly columns: number
    readonly answers?: readonly Answer[]
    readonly env?: Readonly<Record<string, string>>
  },
): Promise<Shown> {
  const { columns, answers = [], env = {} } = options
  const path = `${machine.bin}:${process.env['PATH']}`
  return new Promise((resolve, reject) => {
    const child = spawn('script', ['-qec', `stty cols ${columns} rows 40; ${line}`, '/dev/null'], {
      cwd: machine.project,
      env: { PATH: path, HOME: machine.home, TERM: 'xterm', SHELL: '/bin/sh', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    })
    const waiting = [...answers]
    let raw = ''
    let seen = 0
    const timer = setTimeout(() => {
      process.kill(-child.pid!, 'SIGKILL')
      reject(new Error(`no end after ${LIMIT_MS / 1000} s: ${line}\n${toText(raw)}`))
    }, LIMIT_MS)
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      raw += chunk
      const next = waiting[0]
      if (next === undefined || !toText(raw.slice(seen)).includes(next.when)) return
      waiting.shift()
      seen = raw.length
      next.meanwhile?.()
      child.stdin.write(next.keys)
    })
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ code: code ?? -1, raw, text: toText(raw) })
    })
  })
}

function toText(raw: string): string {
  // oxlint-disable-next-line no-control-regex
  return raw.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '')
}
