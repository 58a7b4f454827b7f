/**
 * draft: an entry while its fields are being read.
 *
 * A dialect is a table from field names to readers. Each reader writes our own field, or a problem, into the draft.
 * Fields outside the table are reported as not used, so that nothing in a file disappears without a message.
 */
import type { Auth, OAuth, ServerDefinition, TransportType } from '../../model/definition.ts'
import type { ConfigNode } from '../../model/document.ts'
import type { DialectId, FoundEntry, Switch } from '../../model/entry.ts'
import type { Problem } from '../../model/problem.ts'
import { literal, type Reference, type Template } from '../../model/template.ts'
import type { Platform } from '../../world/world.ts'
import { mayRefer, toTemplate, type Syntax } from './expand.ts'

export interface Dialect {
  readonly id: DialectId
  readonly fields: Readonly<Record<string, FieldReader>>
  readonly syntaxes: readonly Syntax[]
  /** False: every text is literal. The author of such an entry must not learn the user's variables. */
  readonly hasReferences?: boolean
  /** Whether a value may be `!cmd` or the name of a variable. */
  readonly values: ServerDefinition['values']
  /** The meaning of `url` without `type` for this agent. */
  readonly typeOfUrl: 'http' | 'sse'
  /** The agent's own names for the fields that a server needs. */
  readonly spellings?: Partial<Record<FieldName, string>>
  /** Spellings of `type` that only this agent knows. */
  readonly types?: Readonly<Record<string, TransportType>>
  /** Values of `type` for which this agent also falls back from HTTP to SSE. */
  readonly fallbackTypes?: readonly string[]
  /** `invalid` is for a closed format: an unknown field makes the entry invalid. */
  readonly unknownField: 'not-used' | 'invalid'
  /** Rules of this format alone, checked after the fields are read. */
  readonly check?: (draft: Draft) => void
}

export type FieldReader = (draft: Draft, field: Field) => void

export interface Field {
  /** The path of keys in the file, for messages: `oauth.clientId`. */
  readonly path: string
  readonly node: ConfigNode
}

/** Our fields, as far as they are read. */
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
  maxDurationMs?: number
  startupTimeoutMs?: number
  required?: boolean
  includeTools?: string[]
  excludeTools?: string[]
  description?: string
  protocol?: string
  inheritEnv?: boolean
  supportsParallelCalls?: boolean
  isolation?: string
  values?: string
}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export type FieldName = keyof DraftFields

export interface Draft {
  readonly found: FoundEntry
  /** The paths of all fields that our own files accept, whatever the dialect of this entry. */
  readonly ourFields: ReadonlySet<string>
  readonly dialect: Dialect
  readonly platform: Platform
  readonly fields: DraftFields
  /** The place of each of our fields in the file. */
  readonly nodes: Partial<Record<FieldName, Field>>
  /** The line that turns the server off, such as `enabled: false`. */
  off?: Switch
  /** A reader sets this for a kind of server that Plugboard cannot run (a built-in of the agent, a socket …). */
  unsupported?: Problem
  /** All unresolved references, with their fields. */
  readonly references: { readonly field: Field; readonly reference: Reference }[]
  readonly problems: Problem[]
  readonly warnings: Problem[]
}

export function createDraft(
  found: FoundEntry,
  given: Pick<Draft, 'dialect' | 'platform' | 'ourFields'>,
): Draft {
  return {
    found,
    ...given,
    fields: {},
    nodes: {},
    references: [],
    problems: [],
    warnings: [],
  }
}

/** The text of a field as a template. Its references are also recorded in the draft. */
export function templateIn(draft: Draft, text: string, field: Field): Template {
  const { dialect, platform, found } = draft
  if (dialect.hasReferences === false || !mayRefer(text)) return literal(text)
  const template = toTemplate(text, { syntaxes: dialect.syntaxes, platform, variables: found.variables })
  for (const part of template) if (typeof part !== 'string') draft.references.push({ field, reference: part })
  return template
}

/** A reference that is not inside a text, such as an item in a list of names. */
export function referTo(draft: Draft, name: string, field: Field): Reference {
  const reference: Reference = { kind: 'env', name }
  draft.references.push({ field, reference })
  return reference
}

export function setField<K extends FieldName>(
  draft: Draft,
  name: K,
  field: Field,
  value: NonNullable<DraftFields[K]>,
): void {
  ;(draft.fields as Record<FieldName, unknown>)[name] = value
  draft.nodes[name] = field
}
