/**
 * draft: an entry while its fields are being read.
 *
 * A dialect is a table from field names to readers; each reader writes our own field into the draft, or a problem.
 * What the table does not know is reported as not used, so nothing a file says vanishes.
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
  /** False: every text is literal. Whoever wrote the entry must not learn the user's variables. */
  readonly hasReferences?: boolean
  /** Whether a value may be `!cmd` or the name of a variable. */
  readonly values: ServerDefinition['values']
  /** What `url` without `type` means to this agent. */
  readonly typeOfUrl: 'http' | 'sse'
  /** What this agent calls the fields that a server needs, where it has a word of its own. */
  readonly spellings?: Partial<Record<FieldName, string>>
  /** Spellings of `type` that only this agent knows. */
  readonly types?: Readonly<Record<string, TransportType>>
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
  /** The paths of all that our own files can say, in whatever dialect this entry is. */
  readonly ourFields: ReadonlySet<string>
  readonly dialect: Dialect
  readonly platform: Platform
  readonly fields: DraftFields
  /** Where each of our fields was written. */
  readonly nodes: Partial<Record<FieldName, Field>>
  /** The line that says `enabled: false`, or its like. */
  off?: Switch
  /** Set by a reader when this kind of server cannot be ours (a built-in of the agent, a socket …). */
  unsupported?: Problem
  /** Everything that is not known yet, and where it is asked for. */
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

/** The text of a field with its references recognised, and noted. */
export function templateIn(draft: Draft, text: string, field: Field): Template {
  const { dialect, platform, found } = draft
  if (dialect.hasReferences === false || !mayRefer(text)) return literal(text)
  const template = toTemplate(text, { syntaxes: dialect.syntaxes, platform, variables: found.variables })
  for (const part of template) if (typeof part !== 'string') draft.references.push({ field, reference: part })
  return template
}

/** A reference that stands in another form than text, such as a list of names. */
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
