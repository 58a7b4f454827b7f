/** say: tool calls and their results, one line each. */
import { isTooDeep } from '../../base/depth.ts'
import { toPrintable } from '../../base/printable.ts'
import type { SessionEvent } from './agent/events.ts'

type Call = Extract<SessionEvent, { type: 'tool-call' }>
type Result = Extract<SessionEvent, { type: 'tool-result' }>

const LONGEST = 160

/** `→ mcp__files__read_file path=notes.md`. */
export function sayCall({ name, input }: Pick<Call, 'name' | 'input'>): string {
  return cut(`→ ${name} ${sayInput(input)}`)
}

export function sayInput(input: unknown): string {
  if (isTooDeep(input)) return '(nested too deep to show)'
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return JSON.stringify(input) ?? ''
  return Object.entries(input)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}

/** `← mcp__files__read_file: 12 lines, 34 ms`, or why there is no result. */
export function sayResult({ name, result }: Pick<Result, 'name' | 'result'>): string {
  const time = sayDuration(result.durationMs)
  if (result.isError) return cut(`✗ ${name}: ${firstLine(result.text)} (${time})`)
  const lines = result.text === '' ? 0 : result.text.split('\n').length
  const size = lines <= 1 ? firstLine(result.text) : `${lines} lines`
  return cut(`← ${name}: ${size === '' ? 'nothing' : size} (${time})`)
}

export function sayDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

function cut(text: string): string {
  const line = toPrintable(text.replace(/\s+/g, ' ').trim())
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line
}
