/**
 * expand: text with references in some agent's syntax → Template.
 *
 * never  puts in the value of a variable: that is for resolve, after the user approved the server
 */
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

const REFERENCE = /\$\{([^{}]*)\}|\{(env|file):([^{}]*)\}|\$\((.*)\)|\$([A-Za-z_]\w*)|%([A-Za-z_]\w*)%/gs

export function toTemplate(
  text: string,
  syntaxes: ReadonlySet<Syntax>,
  variables: Readonly<Record<string, string>>,
): Template {
  if (!/[$%{]/.test(text)) return literal(text)
  const parts: Part[] = []
  let end = 0
  for (const match of text.matchAll(REFERENCE)) {
    const part = toPart(match, syntaxes, variables)
    if (part === undefined) continue
    parts.push(text.slice(end, match.index), part)
    end = match.index + match[0].length
  }
  parts.push(text.slice(end))
  return joinLiterals(parts)
}

/** Undefined: not a reference in this dialect, so it is plain text. */
function toPart(
  match: RegExpMatchArray,
  syntaxes: ReadonlySet<Syntax>,
  variables: Readonly<Record<string, string>>,
): Part | undefined {
  const [, braced, kind, argument, command, bare, percent] = match
  if (braced !== undefined) return toBracedPart(braced, syntaxes, variables)
  if (kind !== undefined && syntaxes.has('braces')) {
    return kind === 'env' ? { kind: 'env', name: argument! } : { kind: 'file', path: argument! }
  }
  if (command !== undefined && syntaxes.has('command')) return { kind: 'command', text: command }
  if (bare !== undefined && syntaxes.has('dollar')) return { kind: 'env', name: bare }
  if (percent !== undefined && syntaxes.has('percent')) return { kind: 'env', name: percent }
  return undefined
}

function toBracedPart(
  body: string,
  syntaxes: ReadonlySet<Syntax>,
  variables: Readonly<Record<string, string>>,
): Part | undefined {
  if (Object.hasOwn(variables, body)) return variables[body]
  const [, prefix, name] = /^(env|file|input):(.+)$/s.exec(body) ?? []
  if (prefix === 'env' && syntaxes.has('env-prefix')) return { kind: 'env', name: name! }
  if (prefix === 'file' && syntaxes.has('file-prefix')) return { kind: 'file', path: name! }
  if (prefix === 'input' && syntaxes.has('input')) return { kind: 'input', id: name! }
  const [, variable, fallback] = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(body) ?? []
  if (variable === undefined) return undefined
  return fallback === undefined ? { kind: 'env', name: variable } : { kind: 'env', name: variable, fallback }
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
