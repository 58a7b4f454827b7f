/**
 * catalog: the result of a load. Every entry that any file declares is in it, with exactly one fate.
 */
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
  /** The folder of the project. */
  readonly folder: FolderTrust
}

/** An entry on its way to a fate: what admit hands to choose. */
export type Admission =
  | { readonly kind: 'admitted'; readonly entry: NormalizedEntry; readonly server: AdmittedServer }
  /** Out of the running: it takes no name and shadows nobody. */
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

/** Who decided: a line, a flag of the command or an option of the host. */
export interface Decider extends Partial<Spot> {
  readonly rule?: string
}

/** Why a connector is not fetched. */
export interface ConnectorRefusal {
  readonly by: Decider
  readonly reason: string
  /** A rule names its address, or nothing at all is admitted: its last copy is not used either. */
  readonly isDenied: boolean
}

/** One fact that is not as it was when the user approved it. */
export interface Change {
  readonly field: string
  readonly was?: string
  readonly is?: string
}

/** A place that was looked at. */
export interface Place extends Spot {
  readonly source: SourceId
  readonly scope: Scope
  readonly exists: boolean
  readonly entries: number
  /** For what was fetched: when. */
  readonly fetchedAt?: number
  /** What is there now cannot be read, and what was there before counts. */
  readonly isStale?: true
}

declare const admitted: unique symbol

/** A server that policy and its user let through. Nothing outside pipeline/admit can make one. */
export type AdmittedServer = ServerDefinition & {
  readonly [admitted]: true
  readonly found: FoundEntry
  /** Of a server of a repository: the hash of the `envFile` that its user approved. */
  readonly approvedEnvFile?: string
  /** Set for a server of the user's own in a folder that they do not trust. */
  readonly confinement?: Confinement
}

/** What a folder that its user does not trust means to one of the user's own servers. */
export type Confinement = {
  readonly folder: string
  /** As `FolderTrust`. */
  readonly names: readonly string[]
} & (
  | { readonly start: 'empty-folder' }
  /** Where its entry says, or nowhere on this machine: without what the folder has in the environment. */
  | { readonly start: 'elsewhere' }
  /** `field` leads into the folder: `command`, `cwd`, `envFile`, `args[1]`, `env.HOME`. */
  | { readonly start: 'refused'; readonly field: string; readonly value: string }
)
