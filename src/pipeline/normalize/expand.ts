/**
 * expand: turns text with references, in an agent's syntax, into a Template.
 *
 * never  puts in the value of a variable: that is for resolve, after the user approved the server
 */
import type { Platform } from '../../world/world.ts'
import { literal, type Part, type Template } from '../../model/template.ts'

/** Beyond `${VAR}` and `${VAR:-default}`, which every file may use. */
export type Syntax =
  /** `$VAR` */
  | 'dollar'
  /** `%VAR%`, on Windows */
  | 'percent'
  /** `${env:VAR}` */
  | 'env-prefix'
  /** `{env:VAR}` and `{file:path}` */
  | 'braces'
  /** `${file:path}` */
  | 'file-prefix'
  /** `${input:id}` */
  | 'input'
  /** `$(command)` */
  | 'command'
  /** `${user_config.KEY}`, which a plugin asks the user for at its installation */
  | 'user-config'

const REFERENCE =
  /\$\{([^{}]*)\}|\{(env|file):([^{}]*)\}|(\$\()|\$([A-Za-z_]\w*)|%([A-Za-z_]\w*)%|(\$\{([A-Za-z_]\w*):-[^{}]*\$\{)/g

/** The syntax and the meaning of references in a text. */
export interface Expansion {
  readonly syntaxes: readonly Syntax[]
  readonly platform: Platform
  readonly variables: Readonly<Record<string, string>>
}

export const PLAIN: Expansion = { syntaxes: [], platform: 'linux', variables: {} }

export function toTemplate(text: string, expansion: Expansion): Template {
  if (!mayRefer(text)) return literal(text)
  const parts: Part[] = []
  // A command ends at the last bracket. A pattern that searched for it would take quadratic time.
  const lastBracket = text.lastIndexOf(')')
  let end = 0
  let isNestedOpen = false
  // Not `matchAll`, which makes a new expression each time: this runs for every value of every file.
  REFERENCE.lastIndex = 0
  for (let match = REFERENCE.exec(text); match !== null; match = REFERENCE.exec(text)) {
    if (match[7] !== undefined) {
      // If one reference has no end, no later one has: a new search for each would take quadratic time.
      const close = isNestedOpen ? undefined : findClose(text, match.index)
      if (close === undefined) {
        isNestedOpen = true
        REFERENCE.lastIndex = match.index + 2
        continue
      }
      const nested = text.slice(match.index, close)
      parts.push(text.slice(end, match.index), { kind: 'nested', name: match[8]!, text: nested })
      end = REFERENCE.lastIndex = close
      continue
    }
    const isCommand = match[4] !== undefined
    if (isCommand && lastBracket < match.index) continue
    if (isCommand) REFERENCE.lastIndex = lastBracket + 1
    const part = isCommand
      ? toCommand(text.slice(match.index + 2, lastBracket), expansion)
      : toPart(match, expansion)
    if (part === undefined) continue
    parts.push(text.slice(end, match.index), part)
    end = REFERENCE.lastIndex
  }
  parts.push(text.slice(end))
  return joinLiterals(parts)
}

/** The position after the bracket that closes the one at this place. */
function findClose(text: string, from: number): number | undefined {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') depth += 1
    else if (text[at] === '}' && --depth === 0) return at + 1
  }
  return undefined
}

/** Whether a text has the characters of every reference. Most texts do not, and stay as they are. */
export function mayRefer(text: string): boolean {
  return /[$%{]/.test(text)
}

function toCommand(code: string, { syntaxes }: Expansion): Part | undefined {
  return syntaxes.includes('command') ? { kind: 'command', text: code } : undefined
}

/** Undefined: not a reference in this dialect, so it is plain text. */
function toPart(match: RegExpExecArray, expansion: Expansion): Part | undefined {
  const { syntaxes, platform, variables } = expansion
  // By index: destructuring costs more than everything below, and there may be a thousand references.
  const braced = match[1]
  if (braced !== undefined) return toBracedPart(braced, expansion)
  const [, , kind, argument, , bare, percent] = match
  if (kind !== undefined && syntaxes.includes('braces')) {
    return kind === 'env' ? { kind: 'env', name: argument! } : { kind: 'file', path: argument! }
  }
  if (bare !== undefined && syntaxes.includes('dollar')) {
    return Object.hasOwn(variables, bare) ? variables[bare] : { kind: 'env', name: bare }
  }
  // Only Windows uses `%` for variables.
  if (percent !== undefined && syntaxes.includes('percent') && platform === 'win32')
    return { kind: 'env', name: percent }
  return undefined
}

function toBracedPart(body: string, { syntaxes, variables }: Expansion): Part | undefined {
  if (Object.hasOwn(variables, body)) return variables[body]
  const prefixed = /^(env|file|input):(.+)$/s.exec(body)
  if (prefixed !== null) {
    const [, prefix, name] = prefixed
    if (prefix === 'env' && syntaxes.includes('env-prefix')) return { kind: 'env', name: name! }
    if (prefix === 'file' && syntaxes.includes('file-prefix')) return { kind: 'file', path: name! }
    if (prefix === 'input' && syntaxes.includes('input')) return { kind: 'input', id: name! }
  }
  if (body.startsWith('user_config.') && syntaxes.includes('user-config')) return { kind: 'env', name: body }
  const match = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(body)
  if (match === null) return undefined
  const name = match[1]!
  const fallback = match[2]
  return fallback === undefined ? { kind: 'env', name } : { kind: 'env', name, fallback }
}

function joinLiterals(parts: readonly Part[]): Template {
  const joined: Part[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part === '') continue
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part
    else joined.push(part)
  }
  return joined
}
