/**
 * entry-json: an entry and its fate as JSON for scripts. The shape changes only with a major version.
 */
import type { CatalogEntry, Change, Fate, FateKind } from '../../model/catalog.ts'
import type { NormalizedEntry } from '../../model/entry.ts'
import type { Scope, SourceId } from '../../model/origin.ts'
import type { Problem } from '../../model/problem.ts'
import { maskChange } from '../../problem/mask-fact.ts'
import { toProblemJson, type ProblemJson } from './problem-json.ts'
import { toShownFile } from './show-path.ts'

export interface EntryJson {
  readonly name: string
  /** Null when the entry names no type, or an invalid one. */
  readonly type: string | null
  readonly scope: Scope
  readonly source: SourceId
  readonly file: string
  readonly line: number
  readonly column: number
  readonly fate: FateJson
  /** The file can no longer be read: this is its last known content. */
  readonly stale?: true
  /** The problems of an entry that cannot be used. */
  readonly problems?: readonly ProblemJson[]
  readonly warnings: readonly ProblemJson[]
}

export interface FateJson {
  readonly kind: FateKind
  readonly by?: DeciderJson
  readonly reason?: string
  /** The differences from what the user approved. */
  readonly changed?: readonly Change[]
}

export interface DeciderJson {
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly source?: SourceId
  readonly scope?: Scope
  readonly name?: string
  readonly rule?: string
}

export function toEntryJson({ entry, fate }: CatalogEntry): EntryJson {
  const { name, origin } = entry.found
  const problems = problemsOf(entry)
  return {
    name,
    type: typeOf(entry) ?? null,
    scope: origin.scope,
    source: origin.source,
    file: toShownFile(origin.file),
    line: origin.line,
    column: origin.column,
    fate: toFateJson(fate),
    ...(entry.found.document.isStale === true ? { stale: true as const } : {}),
    ...(problems.length === 0 ? {} : { problems: problems.map(toProblemJson) }),
    warnings: entry.warnings.map(toProblemJson),
  }
}

/** The transport, if the entry determines it. */
export function typeOf(entry: NormalizedEntry): string | undefined {
  return entry.kind === 'definition' ? entry.definition.transport.type : entry.type
}

function toFateJson(fate: Fate): FateJson {
  const by = 'by' in fate && fate.by !== undefined ? toDeciderJson(fate.by) : undefined
  return {
    kind: fate.kind,
    ...(by === undefined ? {} : { by }),
    ...('reason' in fate ? { reason: fate.reason } : {}),
    ...('changed' in fate && fate.changed !== undefined ? { changed: fate.changed.map(maskChange) } : {}),
  }
}

/** Problems of the entry itself, whatever its fate is: an entry that waits for approval can be invalid too. */
export function problemsOf(entry: NormalizedEntry): readonly Problem[] {
  if (entry.kind === 'invalid') return entry.problems
  return entry.kind === 'unsupported' ? [entry.problem] : []
}

const DECIDER_FIELDS = ['line', 'column', 'source', 'scope', 'name', 'rule'] as const

/** Only the fields that have a value, always in the same order. */
function toDeciderJson(by: DeciderJson): DeciderJson {
  const file = by.file === undefined ? {} : { file: toShownFile(by.file) }
  const rest = DECIDER_FIELDS.filter((field) => by[field] !== undefined).map((field) => [field, by[field]])
  return { ...file, ...(Object.fromEntries(rest) as DeciderJson) }
}
