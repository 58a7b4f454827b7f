/**
 * env-file: parses the text of a `.env` file into variables.
 *
 * `NAME=value`, also with `export`; single quotes as they are, double quotes with `\n`, both over several lines; a `#`
 * at the beginning of a line or after a blank begins a comment. Nothing is expanded.
 */
import { sha256 } from '../../base/sha256.ts'

export interface EnvFile {
  /** The last value wins when a name is written twice. */
  readonly variables: ReadonlyMap<string, string>
  /** Line numbers, from 1, of lines that are neither a variable nor a comment. */
  readonly badLines: readonly number[]
}

/** An approval is bound to this hash of the text that the user saw. */
export function hashOfEnvFile(text: string): string {
  return `sha256:${sha256(text)}`
}

export function parseEnvFile(text: string): EnvFile {
  const variables = new Map<string, string>()
  const badLines: number[] = []
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!
    if (/^\s*(?:#|$)/.test(line)) continue
    const head = /^\s*(?:export\s+)?([\w.-]+)\s*=/.exec(line)
    const value = head === null ? undefined : readValue(lines, i, head[0].length)
    if (head === null || value === undefined) {
      badLines.push(i + 1)
      continue
    }
    variables.set(head[1]!, value.text)
    i = value.lastLine
  }
  return { variables, badLines }
}

interface Value {
  readonly text: string
  readonly lastLine: number
}

/** Undefined for a quote that is never closed, or has text after it. */
function readValue(lines: readonly string[], line: number, from: number): Value | undefined {
  const rest = lines[line]!.slice(from)
  const quote = /^\s*(["'])/.exec(rest)
  if (quote === null) return { text: rest.replace(/\s#.*$/, '').trim(), lastLine: line }
  const closing = quote[1] === '"' ? /^((?:[^"\\]|\\.)*)"(.*)$/s : /^([^']*)'(.*)$/s
  let text = rest.slice(quote[0].length)
  for (let last = line; last < lines.length; text += `\n${lines[++last] ?? ''}`) {
    const closed = closing.exec(text)
    if (closed === null) continue
    if (!/^\s*(?:#|$)/.test(closed[2]!)) return undefined
    return { text: quote[1] === '"' ? unescape(closed[1]!) : closed[1]!, lastLine: last }
  }
  return undefined
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

function unescape(text: string): string {
  return text.replace(/\\([nrt"\\$])/g, (_, letter: string) => ESCAPES[letter] ?? letter)
}
