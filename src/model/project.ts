/**
 * project: the folder the user works in, as far as configuration is concerned.
 */
export interface Project {
  /** The git root, or the working directory where there is none. */
  readonly root: string
  /** The root with links resolved: what approvals are bound to. */
  readonly realRoot: string
  /** From the working directory up to the root. */
  readonly dirsNearestFirst: readonly string[]
}
