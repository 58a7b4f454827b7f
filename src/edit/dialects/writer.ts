/**
 * writer: how one agent writes a server, as a table from our fields to its own. The inverse of
 * pipeline/normalize/draft.ts.
 *
 * The writer lists every field that the table lacks, because the format cannot express it: nothing is lost without a
 * message.
 */
import type { DialectId } from '../../model/entry.ts'
import type { Template } from '../../model/template.ts'
import type { ObjectValue, Value } from '../change.ts'
import { kindOf, type FactName, type Facts, type FactValue } from './facts.ts'
import { spell, type Spelling } from './spelling.ts'

export interface Writer {
  readonly dialect: DialectId
  /** The value for each kind of server; `null`: none is needed. A missing kind cannot be written. */
  readonly types: Readonly<Partial<Record<ServerKind, string | null>>>
  /** Whether the agent tries SSE where HTTP does not work. */
  readonly fallsBack: boolean
  /** Writes what the agent requires in every entry. */
  readonly begin?: (pen: Pen) => void
  /** In the order in which the agent writes them. */
  readonly rows: Rows
  readonly spelling: Spelling
  /** As in the definition: whether the agent runs commands and looks up variables in values. */
  readonly values: 'resolvable' | 'literal'
}

/** A transport; `auto` is HTTP that may turn out to be SSE. */
export type ServerKind =
  | 'stdio'
  | 'http'
  | 'auto'
  | 'sse'
  | 'ws'
  | 'sse-ide'
  | 'ws-ide'
  | 'sdk'
  | 'claudeai-proxy'

/** Where a field goes: a path of keys joined by dots, or a function. */
export type Rows = { readonly [K in FactName]?: string | Put<K> }

export type Put<K extends FactName> = (pen: Pen, value: FactValue<K>) => void

/** A field that could not be written. */
export interface Unsaid {
  /** Named as in our own files: `startupTimeout`, `env.TOKEN`. */
  readonly field: string
  /** A clause about the agent. Absent: its format has no such field. */
  readonly why?: string
}

/** The tools of a row. */
export interface Pen {
  readonly server: string
  readonly kind: ServerKind
  readonly facts: Facts
  put(path: string, value: Value): void
  /** The text of a template. Parts that the agent does not support are noted under `field`. */
  spell(template: Template, field: string): string
  unsay(field: string, why?: string): void
}

export interface Sheet {
  readonly pen: Pen
  readonly entry: ObjectValue
  readonly unsaid: readonly Unsaid[]
}

export function createSheet(of: Pick<Pen, 'server' | 'kind' | 'facts'>, spelling: Spelling): Sheet {
  const entry = createObject()
  const unsaid: Unsaid[] = []
  const pen: Pen = {
    ...of,
    put: (path, value) => putAt(entry, path.split('.'), value),
    spell(template, field) {
      const { text, unsaid: faults } = spell(template, spelling)
      for (const why of faults) pen.unsay(field, why)
      return text
    },
    unsay: (field, why) => void unsaid.push(why === undefined ? { field } : { field, why }),
  }
  return { pen, entry, unsaid }
}

/** A field in the default form of its kind. */
export function putPlainly<K extends FactName>(pen: Pen, name: K, path: string): void {
  const value = pen.facts[name]
  if (value !== undefined) pen.put(path, toValue(pen, name, value))
}

function toValue<K extends FactName>(pen: Pen, name: K, value: FactValue<K>): Value {
  switch (kindOf(name)) {
    case 'template':
      return pen.spell(value as FactValue<'command'>, name)
    case 'templates':
      return (value as FactValue<'args'>).map((one, i) => pen.spell(one, `${name}[${i}]`))
    case 'map':
      return toObject(pen, name, value as FactValue<'env'>)
    default:
      return value as FactValue<'includeTools' | 'timeout' | 'type'>
  }
}

export function toObject(pen: Pen, name: string, map: Iterable<readonly [string, Template]>): ObjectValue {
  const object = createObject()
  for (const [key, value] of map) object[key] = pen.spell(value, `${name}.${key}`)
  return object
}

/** Without a prototype, so that `__proto__` is a key like any other. */
export function createObject(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>
}

function putAt(object: Record<string, Value>, path: readonly string[], value: Value): void {
  const [key, ...rest] = path
  if (rest.length === 0) {
    object[key!] = value
    return
  }
  const inner = (object[key!] ?? createObject()) as Record<string, Value>
  object[key!] = inner
  putAt(inner, rest, value)
}

/** Seconds. For agents with whole seconds only, the value is rounded up. */
export function seconds<K extends 'timeout' | 'startupTimeout'>(
  name: K,
  path: string,
  precision: 'whole' | 'any' = 'any',
): Put<K> {
  return (pen, ms) => {
    const wanted = (ms as number) / 1000
    const written = precision === 'whole' ? Math.ceil(wanted) : wanted
    if (written !== wanted) pen.unsay(name, 'counts whole seconds')
    pen.put(path, written)
  }
}

/** A duration that an agent accepts between these limits only. */
export function between<K extends 'timeout' | 'startupTimeout'>(
  name: K,
  path: string,
  limits: { readonly from: number; readonly to: number },
): Put<K> {
  return (pen, ms) => {
    const value = ms as number
    if (value >= limits.from && value <= limits.to) pen.put(path, value)
    else pen.unsay(name, `accepts ${limits.from} to ${limits.to} ms`)
  }
}

/** One limit for both connecting and requests. */
export const sharedTimeout: Put<'timeout'> = (pen, ms) => {
  pen.put('timeout', ms)
  const startup = pen.facts.startupTimeout
  if (startup !== ms) pen.unsay('startupTimeout', 'has one limit for connecting and for requests')
}

/** Used with `sharedTimeout`: alone it would limit requests as well. */
export const startupWithShared: Put<'startupTimeout'> = (pen) => {
  if (pen.facts.timeout === undefined)
    pen.unsay('startupTimeout', 'has one limit for connecting and for requests')
}

/** `disabled: true` for `enabled: false`. */
export const disabled: Put<'enabled'> = (pen) => pen.put('disabled', true)

/** The same for an agent without such a field. It is kept for other readers of the file, and reported. */
export function unheeded(why = 'does not heed `disabled`: there it is on'): Put<'enabled'> {
  return (pen) => {
    pen.put('disabled', true)
    pen.unsay('enabled', why)
  }
}

/** A list as one string of words. */
export function joined<K extends 'oauth.scopes'>(path: string): Put<K> {
  return (pen, words) => pen.put(path, (words as readonly string[]).join(' '))
}

/** The variable, when the value is exactly one. */
export function soleVariable(template: Template): string | undefined {
  const [part] = template
  const isSole = template.length === 1 && typeof part === 'object' && part.kind === 'env'
  return isSole && part.fallback === undefined ? part.name : undefined
}

/** `Bearer ${NAME}` → NAME. */
export function bearerVariable(template: Template): string | undefined {
  return template[0] === 'Bearer ' ? soleVariable(template.slice(1)) : undefined
}
