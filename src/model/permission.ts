/**
 * permission: may a call happen, and who says so.
 */
import type { Params } from './message.ts'
import type { ListedTool } from './offering.ts'
import type { Spot } from './origin.ts'
import type { Problem } from './problem.ts'

export type Action = 'allow' | 'ask' | 'deny'

/** `plan`: no tool of any server runs. `bypass`: what would be asked is allowed; what is denied stays denied. */
export type Mode = 'default' | 'plan' | 'bypass'

export interface PermissionRule {
  /** A glob over names of tools (`mcp__github__*`), or a whole server (`mcp__github`). */
  readonly tool: string
  readonly action: Action
  readonly reason?: string
  readonly level: 'managed' | 'user' | 'project' | 'local' | 'session'
  /** Where it is written; a rule of this session is written nowhere. */
  readonly by?: Spot
}

/** What a user allowed for good, or for this session. Bound to what the server is, so that an impostor under its name inherits nothing. */
export interface Grant {
  readonly server: string
  /** The trust fingerprint of the server. */
  readonly fingerprint: string
  /** What the server calls the tool. */
  readonly tool: string
  readonly until: 'session' | 'always'
}

/** A tool as it was when its user first approved it. */
export interface Pin {
  readonly server: string
  readonly fingerprint: string
  readonly tool: string
  /** Of name, description and schema. */
  readonly hash: string
  /** ISO 8601. */
  readonly at: string
  readonly definition: PinnedDefinition
}

export interface PinnedDefinition {
  readonly name: string
  readonly description?: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** How a tool differs from what was approved. */
export interface PinChange {
  readonly was: Pin
  readonly is: PinnedDefinition
}

/** The tool that a question is about. */
export interface CallTarget {
  readonly server: string
  /** What the server calls it. */
  readonly tool: string
  /** What the model sees it called. */
  readonly name: string
  readonly fingerprint: string
  readonly definition: ListedTool
}

/** Who decided. */
export type Evidence =
  | { readonly kind: 'rule'; readonly rule: PermissionRule }
  | { readonly kind: 'grant'; readonly grant: Grant }
  | { readonly kind: 'mode'; readonly mode: 'plan' | 'bypass' }
  | { readonly kind: 'pin'; readonly change: PinChange }
  /** A person typed the call, or answered the question. */
  | { readonly kind: 'person' }
  /** A fork that may use other tools only. */
  | { readonly kind: 'filter' }
  /** No rule matches. */
  | { readonly kind: 'default' }

export interface Verdict {
  readonly action: Action
  readonly by: Evidence
}

/** Asked before every call. Never rejects because of what a rule or a person says. */
export type Permit = (target: CallTarget, call: WantedCall) => Promise<Permission>

export interface WantedCall {
  readonly args: Params
  /** `person`: whoever typed the call has answered what would be asked. */
  readonly who: 'model' | 'person'
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined
}

export type Permission =
  /** `isUnchanged`: the tool is as it was when it was pinned, so that its hints may be relied upon. */
  | { readonly kind: 'allowed'; readonly isUnchanged: boolean }
  | { readonly kind: 'denied'; readonly problem: Problem }

/** The code of the problem with a tool that is no longer what the call was allowed for. */
export const TOOL_CHANGED = 'call/changed'
