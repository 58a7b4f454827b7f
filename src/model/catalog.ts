/** catalog: the result of a load. It holds every entry that any file declares, each with exactly one fate. */
import type { ServerDefinition } from './definition.ts'
import type { FoundEntry, NormalizedEntry } from './entry.ts'
import type { Origin, Scope, SourceId, Spot } from './origin.ts'
import type { Problem } from './problem.ts'
import type { FolderTrust } from './trust.ts'
import type { Secret } from '../base/secret.ts'

export interface Catalog {
  /** Every entry: by name, then precedence, highest first. */
  readonly entries: readonly CatalogEntry[]
  /** The servers that may run, by name. */
  readonly servers: readonly AdmittedServer[]
  /** What is wrong with files rather than with entries. */
  readonly problems: readonly Problem[]
  readonly places: readonly Place[]
  /** Servers the host implements itself, with the key the user configured for them. */
  readonly native: readonly { readonly name: string; readonly key?: Secret }[]
  /** Whether the user trusts the folder of the project. */
  readonly folder: FolderTrust
}

/** An entry on its way to a fate: what admit hands to choose. */
export type Admission =
  | { readonly kind: 'admitted'; readonly entry: NormalizedEntry; readonly server: AdmittedServer }
  /** Not a candidate: it takes no name and shadows no other entry. */
  | { readonly kind: 'aside'; readonly entry: NormalizedEntry; readonly fate: Fate }
  /** It keeps its name, so that a broken or forbidden override never silently becomes a different server. */
  | { readonly kind: 'barred'; readonly entry: NormalizedEntry; readonly fate: Fate }

export interface CatalogEntry {
  readonly entry: NormalizedEntry
  readonly fate: Fate
}

export type Fate =
  | { readonly kind: 'chosen' }
  | { readonly kind: 'shadowed'; readonly by: Origin; readonly reason: string }
  | { readonly kind: 'duplicate'; readonly by: Origin & { readonly name: string }; readonly reason: string }
  | { readonly kind: 'disabled'; readonly by: Spot; readonly reason: string }
  | { readonly kind: 'denied' | 'not-allowed'; readonly by: Decider; readonly reason: string }
  | { readonly kind: 'excluded'; readonly by: Decider; readonly reason: string }
  | { readonly kind: 'untrusted'; readonly reason: string; readonly changed?: readonly Change[] }
  | { readonly kind: 'declined'; readonly by?: Spot; readonly reason: string }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[]; readonly reason: string }
  | { readonly kind: 'unsupported'; readonly problem: Problem; readonly reason: string }

export type FateKind = Fate['kind']

/** The author of a decision: a line, a flag of the command or an option of the host. */
export interface Decider extends Partial<Spot> {
  readonly rule?: string
}

/** Why a connector is not fetched. */
export interface ConnectorRefusal {
  readonly by: Decider
  readonly reason: string
  /** A rule denies its address, or policy admits nothing at all: its last copy is not used either. */
  readonly isDenied: boolean
}

/** One fact that has changed since the user approved the server. */
export interface Change {
  readonly field: string
  readonly was?: string
  readonly is?: string
}

/** A place where the load looked for configuration. */
export interface Place extends Spot {
  readonly source: SourceId
  readonly scope: Scope
  readonly exists: boolean
  readonly entries: number
  /** When it was fetched. Absent for a file. */
  readonly fetchedAt?: number
  /** The current text cannot be read, so the previous one counts. */
  readonly isStale?: true
}

declare const admitted: unique symbol

/** A server that policy and its user let through. Only pipeline/admit can make one. */
export type AdmittedServer = ServerDefinition & {
  readonly [admitted]: true
  readonly found: FoundEntry
  /** For a server of a repository: the hash of the `envFile` that its user approved. */
  readonly approvedEnvFile?: string
  /** Set for a server of the user's own in a folder that they do not trust. */
  readonly confinement?: Confinement
}

/** How an untrusted folder limits one of the user's own servers. */
export type Confinement = {
  readonly folder: string
  /** As `FolderTrust`. */
  readonly names: readonly string[]
} & (
  | { readonly start: 'empty-folder' }
  /** It starts where its entry says, or in no folder of this machine, without the folder's part of the environment. */
  | { readonly start: 'elsewhere' }
  /** `field` is a path into the folder: `command`, `cwd`, `envFile`, `args[1]`, `env.HOME`. */
  | { readonly start: 'refused'; readonly field: string; readonly value: string }
)
