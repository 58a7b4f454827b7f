/**
 * spelling: a template in the syntax of an agent. The inverse of pipeline/normalize/expand.ts.
 *
 * never  fills in a value; writes a reference that its agent does not support, without saying so
 */
import { showPart, type Reference, type Template } from '../../model/template.ts'

/** How each kind of reference is written. The agent does not support the missing ones. */
export interface Spelling {
  readonly env?: (name: string) => string
  readonly fallback?: (name: string, fallback: string) => string
  readonly file?: (path: string) => string
  readonly input?: (id: string) => string
  readonly command?: (text: string) => string
}

export interface Spelled {
  readonly text: string
  /** What the agent does not support, each as a clause. */
  readonly unsaid: readonly string[]
}

export function spell(template: Template, spelling: Spelling): Spelled {
  const parts = template.map((part) =>
    typeof part === 'string' ? { text: part, unsaid: [] } : spellReference(part, spelling),
  )
  return { text: parts.map(({ text }) => text).join(''), unsaid: parts.flatMap(({ unsaid }) => unsaid) }
}

function spellReference(part: Reference, spelling: Spelling): Spelled {
  switch (part.kind) {
    case 'env':
      return spellVariable(part, spelling)
    case 'file':
      return spellOther(part, spelling.file?.(part.path), 'takes no values from files')
    case 'input':
      return spellOther(part, spelling.input?.(part.id), 'does not ask for values')
    case 'command':
      return spellOther(part, spelling.command?.(part.text), 'runs no commands inside of values')
    case 'nested':
      return spellOther(part, undefined, 'puts in no variables inside of defaults')
  }
}

function spellVariable(part: Extract<Reference, { kind: 'env' }>, spelling: Spelling): Spelled {
  const { name, fallback } = part
  if (spelling.env === undefined) return spellOther(part, undefined, 'puts in no variables')
  if (fallback === undefined) return { text: spelling.env(name), unsaid: [] }
  const text = spelling.fallback?.(name, fallback)
  if (text !== undefined) return { text, unsaid: [] }
  // With the variable set it works. With an unsupported default as text it never would.
  return { text: spelling.env(name), unsaid: ['knows no defaults'] }
}

function spellOther(part: Reference, text: string | undefined, fault: string): Spelled {
  return text === undefined ? { text: showPart(part), unsaid: [fault] } : { text, unsaid: [] }
}

const dollarBraces = (name: string): string => `\${${name}}`
const withDefault = (name: string, fallback: string): string => `\${${name}:-${fallback}}`
const envPrefix = (name: string): string => `\${env:${name}}`
const filePrefix = (path: string): string => `\${file:${path}}`
const input = (id: string): string => `\${input:${id}}`

/** Plugboard's own. A name that no shell accepts needs a prefix that marks it as a variable. */
export const OURS: Spelling = {
  env: (name) => (/^[A-Za-z_]\w*$/.test(name) ? dollarBraces(name) : envPrefix(name)),
  fallback: withDefault,
  file: filePrefix,
  input,
}

export const SHELL_LIKE: Spelling = { env: dollarBraces, fallback: withDefault }

export const VARIABLES_ALONE: Spelling = { env: dollarBraces }

export const ENV_PREFIX: Spelling = { env: envPrefix }

export const WINDSURF: Spelling = { env: envPrefix, file: filePrefix }

export const VSCODE: Spelling = { env: envPrefix, input }

export const BRACES: Spelling = { env: (name) => `{env:${name}}`, file: (path) => `{file:${path}}` }

export const SHELL: Spelling = { ...SHELL_LIKE, command: (text) => `$(${text})` }

export const NO_REFERENCES: Spelling = {}
