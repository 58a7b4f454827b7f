/**
 * draft: an entry while its fields are being read.
 *
 * A dialect is a table from field names to readers; each reader writes our own field into the draft, or a problem.
 * What the table does not know is reported as not used, so nothing a file says vanishes.
 */
import type { Auth, OAuth, ServerDefinition } from '../../model/definition.ts'
import type { ConfigNode } from '../../model/document.ts'
import type { DialectId, FoundEntry, Switch } from '../../model/entry.ts'
import type { Problem } from '../../model/problem.ts'
import type { Template } from '../../model/template.ts'
import type { Platform } from '../../world/world.ts'
import { toTemplate, type Syntax } from './expand.ts'

export interface Dialect {
  readonly id: DialectId
  readonly fields: Readonly<Record<string, FieldReader>>
  readonly syntaxes: readonly Syntax[]
  /** Whether a value may be `!cmd` or the name of a variable. */
  readonly values: ServerDefinition['values']
  /** What `url` without `type` means to this agent. */
  readonly typeOfUrl: 'http' | 'sse'
  /** Spellings of `type` that only this agent knows. */
  readonly types?: Readonly<Record<string, string>>
  /** Values of `type` with which this agent, too, falls back from HTTP to SSE. */
  readonly fallbackTypes?: readonly string[]
  /** A closed format: a field the table does not know makes the entry invalid. */
  readonly unknownField: 'not-used' | 'invalid'
  /** Rules of this format alone, after the fields were read. */
  readonly check?: (draft: Draft) => void
}

export type FieldReader = (draft: Draft, field: Field) => void

export interface Field {
  /** The path of keys as the file has it, for messages: `oauth.clientId`. */
  readonly path: string
  readonly node: ConfigNode
}

/** Our fields, as far as they were read. */
export interface DraftFields {
  type?: string
  command?: Template
  args?: Template[]
  env?: Map<string, Template>
  envFile?: Template
  cwd?: Template
  url?: Template
  headers?: Map<string, Template>
  headersHelper?: Template
  oauth?: Mutable<OAuth>
  auth?: Mutable<Auth>
  ideName?: string
  authToken?: Template
  ideRunningInWindows?: boolean
  sdkName?: string
  id?: string
  enabled?: boolean
  timeoutMs?: number
  startupTimeoutMs?: number
  required?: boolean
  includeTools?: string[]
  excludeTools?: string[]
  description?: string
  protocol?: string
  inheritEnv?: boolean
  supportsParallelCalls?: boolean
  isolation?: string
}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export type FieldName = keyof DraftFields

export interface Draft {
  readonly found: FoundEntry
  readonly dialect: Dialect
  readonly platform: Platform
  readonly fields: DraftFields
  /** Where each of our fields was written. */
  readonly nodes: Map<FieldName, Field>
  /** The line that says `enabled: false`, or its like. */
  off?: Switch
  /** Set by a reader when this kind of server cannot be ours (a built-in of the agent, a socket …). */
  unsupported?: Problem
  readonly problems: Problem[]
  readonly warnings: Problem[]
}

export function createDraft(found: FoundEntry, dialect: Dialect, platform: Platform): Draft {
  return { found, dialect, platform, fields: {}, nodes: new Map(), problems: [], warnings: [] }
}

/** Text of the entry with its references recognised. */
export function templateIn(draft: Draft, text: string): Template {
  return toTemplate(text, syntaxesOf(draft), draft.found.variables)
}

/** Outside of Windows a `%` is a `%`. */
function syntaxesOf({ dialect, platform }: Draft): ReadonlySet<Syntax> {
  return new Set(dialect.syntaxes.filter((syntax) => syntax !== 'percent' || platform === 'win32'))
}

export function setField<K extends FieldName>(
  draft: Draft,
  name: K,
  field: Field,
  value: NonNullable<DraftFields[K]>,
): void {
  ;(draft.fields as Record<FieldName, unknown>)[name] = value
  draft.nodes.set(name, field)
}
