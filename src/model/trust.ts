/** trust: a user's decisions about the servers that a repository declares. */
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

/** Whether the user's own servers may start in the folder of the project, and so run code from it. */
export interface FolderTrust {
  /** The real path of the project root: what the decision is bound to. */
  readonly path: string
  /**
   * The root as it is reached, and its real path. Empty where the root contains the user's home, as `/` does: then a
   * path into it says nothing.
   */
  readonly names: readonly string[]
  readonly decision: FolderDecision['decision'] | 'unknown'
  /** The root, or its `.git`, where another user of this machine owns it. */
  readonly foreign?: string
}

/** By server name. Two files of a project may use one name, so a name can have several decisions. */
export type ProjectTrust = ReadonlyMap<string, readonly TrustDecision[]>

export interface TrustDecision {
  readonly decision: 'approved' | 'declined'
  /** ISO 8601. */
  readonly at: string
  /** The facts behind the decision. It is valid only while they stay the same. */
  readonly facts: TrustFacts
}

/** The prefix of facts that say which data of the user a server gets: `uses.header.Authorization`. */
export const USES = 'uses.'

/**
 * Everything about a server that its user must trust, in the order shown. Values of variables and headers are hashed,
 * unless they are commands. Arguments and addresses are as in the repository.
 */
export type TrustFacts = Readonly<Record<string, string>>
