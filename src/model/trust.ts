/**
 * trust: what a user decided about the servers a repository declares.
 */
export interface TrustStore {
  /** By real path of the project root. */
  readonly projects: ReadonlyMap<string, ProjectTrust>
  /** By real path of the project root. */
  readonly folders: ReadonlyMap<string, FolderDecision>
}

export interface FolderDecision {
  readonly decision: 'trusted' | 'declined'
  /** ISO 8601. */
  readonly at: string
}

/** Whether the user's own servers may start in the folder of the project, and so run what lies there. */
export interface FolderTrust {
  /** The real path of the project root: what the decision is bound to. */
  readonly path: string
  /**
   * The root as it is reached, and its real path. Empty where the user's home is in it, as in `/`: then a path that leads
   * into it says nothing.
   */
  readonly names: readonly string[]
  readonly decision: FolderDecision['decision'] | 'unknown'
  /** The root, or its `.git`, where it belongs to another user of this machine. */
  readonly foreign?: string
}

/** By server name. Two files of a project may use one name, so a name can have several decisions. */
export type ProjectTrust = ReadonlyMap<string, readonly TrustDecision[]>

export interface TrustDecision {
  readonly decision: 'approved' | 'declined'
  /** ISO 8601. */
  readonly at: string
  /** What was decided upon; the decision holds only while these facts do. */
  readonly facts: TrustFacts
}

/** Begins the facts that say what of its user's a server is given: `uses.header.Authorization`. */
export const USES = 'uses.'

/**
 * Everything about a server that its user is asked to trust, in the order shown. Values of variables and headers are
 * here as hashes, unless they are commands; arguments and addresses as they stand in the repository.
 */
export type TrustFacts = Readonly<Record<string, string>>
