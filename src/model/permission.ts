/** permission: whether a call may happen, and who decided that. */
import type { Signal } from '../base/abort.ts'
import type { Params } from './message.ts'
import type { ListedTool } from './offering.ts'
import type { Spot } from './origin.ts'
import type { Level } from './policy.ts'
import type { Problem } from './problem.ts'

export type Action = 'allow' | 'ask' | 'deny'

/**
 * `plan`: no tool of any server runs. `bypass`: a call that would need a question is allowed; a denied call stays
 * denied.
 */
export type Mode = 'default' | 'plan' | 'bypass'

/** Who wants the call. A user who types a call has already approved it. */
export type Caller = 'model' | 'person'

export interface PermissionRule {
  /** A glob for names of tools (`mcp__github__*`), or a whole server (`mcp__github`). */
  readonly tool: string
  readonly action: Action
  readonly reason?: string
  readonly level: Level | 'session'
  /** Where it is written. Absent for a rule of this session. */
  readonly by?: Spot
}

/** What settings files say about calls. */
export interface PermissionSettings {
  /** Highest level first. Rules of a repository are included only when its user approved something of it. */
  readonly rules: readonly PermissionRule[]
  /** The line that says `mode: "plan"`. */
  readonly plan?: Spot
  /** A managed, user or local file whose rules cannot be understood permits nothing. */
  readonly broken?: Problem
}

/** Everything that a verdict depends on. The value is immutable: a change makes a new one. */
export interface Permissions {
  readonly mode: Mode
  /** The line that sets plan mode. Absent when a host set it. */
  readonly plan?: Spot
  readonly rules: readonly PermissionRule[]
  readonly grants: readonly Grant[]
  readonly pins: readonly Pin[]
  /** Globs of a fork and its parents: a tool must match one glob of each list. */
  readonly filters: readonly (readonly string[])[]
  /** The rules cannot be understood: everything is denied. */
  readonly broken?: Problem
  /**
   * The approvals cannot be read. No tool can be compared with its approved version, so the user is asked about every
   * call.
   */
  readonly unknownPins?: Problem
}

/**
 * A permission from the user, for ever or for this session. It is bound to the server's identity, so that an impostor
 * under the same name inherits nothing.
 */
export interface Grant {
  readonly server: string
  /** The trust fingerprint of the server. */
  readonly fingerprint: string
  /** The server's own name for the tool. */
  readonly tool: string
  readonly until: 'session' | 'always'
}

/** A tool as it was when its user first approved it. */
export interface Pin {
  readonly server: string
  readonly fingerprint: string
  readonly tool: string
  /** The hash of the definition; for a pin that is not whole, of name, description and schema. */
  readonly hash: string
  /** ISO 8601. */
  readonly at: string
  /** As the server listed it. */
  readonly definition: ListedTool
  /** False for a pin of an older version: it holds name, description, schema and hints, and only these are compared. */
  readonly isWhole: boolean
}

/** A tool's description of itself (`annotations`): shown, and never a reason to allow anything. */
export interface ToolHints {
  readonly readOnly?: boolean
  readonly destructive?: boolean
  readonly idempotent?: boolean
  readonly openWorld?: boolean
}

/** How a tool differs from its approved version. */
export interface PinChange {
  readonly was: Pin
  readonly is: ListedTool
}

/** A change in a form that users can read. */
export interface PinDiff {
  readonly name?: { readonly was: string; readonly is: string }
  /** Line by line; empty when the description is the same. */
  readonly description: readonly DiffLine[]
  /** Of `inputSchema`, by path: `properties.repo.type`. */
  readonly schema: readonly PathDiff[]
  /** Of every other field of the definition, by path: `annotations.readOnlyHint`. */
  readonly fields: readonly PathDiff[]
}

/** A new value has no `was`, a removed one no `is`. Both are JSON. */
export interface PathDiff {
  readonly path: string
  readonly was?: string
  readonly is?: string
}

export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new'
  readonly text: string
}

/** The tool that a question is about. */
export interface CallTarget {
  readonly server: string
  /** The server's own name for the tool. */
  readonly tool: string
  /** The tool's name for the model. */
  readonly name: string
  /** The names for the model in the other styles: a rule that denies under one style denies under all. */
  readonly otherNames: readonly string[]
  /** The trust fingerprint of the server. */
  readonly fingerprint: string
  readonly definition: ListedTool
}

/** Who or what decided. */
export type Evidence =
  | { readonly kind: 'rule'; readonly rule: PermissionRule }
  | { readonly kind: 'grant'; readonly grant: Grant }
  | { readonly kind: 'mode'; readonly mode: 'plan' | 'bypass'; readonly by?: Spot }
  | { readonly kind: 'pin'; readonly change: PinChange }
  /** The user typed the call, or answered the question. */
  | { readonly kind: 'person'; readonly reason?: string }
  /** The filter of a fork, which allows other tools only. */
  | { readonly kind: 'filter' }
  /** The rules or the approvals cannot be read. */
  | { readonly kind: 'unreadable'; readonly problem: Problem }
  /** No rule matches. */
  | { readonly kind: 'default' }

export interface Verdict {
  readonly action: Action
  readonly by: Evidence
}

/** Everything that led to a verdict. */
export interface Considered {
  /** Those that match, strictest first. */
  readonly rules: readonly PermissionRule[]
  readonly grant: Grant | undefined
  readonly pin: Pin | undefined
}

/** A verdict, after every necessary question was answered. */
export type Decision =
  | { readonly action: 'allow'; readonly by: Evidence }
  | { readonly action: 'deny'; readonly by: Evidence; readonly problem: Problem }

/** A host's question to its user. */
export interface Question {
  readonly server: string
  readonly tool: string
  readonly name: string
  readonly description?: string
  readonly hints: ToolHints
  /** The arguments of the call. */
  readonly arguments?: unknown
  /** Why the question is needed: no rule, a rule, a tool that changed. */
  readonly why: Evidence
  /** For a tool that changed. */
  readonly diff?: PinDiff
  /** A tool that was approved under another name, with the same description and schema. */
  readonly renamedFrom?: string
  /**
   * Whether `session` and `always` mean more than `once`. False where the organisation requires a question for each
   * call.
   */
  readonly canRemember: boolean
}

export type Answer = 'once' | 'session' | 'always' | 'no' | { readonly no: string }
/** A tool as boards list it. */
export type ToolToCall = Pick<CallTarget, 'server' | 'tool' | 'name' | 'definition'>

/**
 * Called before every call. Answers synchronously where no question is needed. Never rejects because of a rule or a
 * person's answer.
 */
export type Permit = (tool: ToolToCall, call: WantedCall) => Permission | Promise<Permission>

export interface WantedCall {
  readonly args: Params
  /** `person`: the user typed the call, which counts as an answer to the question. */
  readonly who: 'model' | 'person'
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal?: Signal | undefined
  /** Asks the question in place of the board's own handler. */
  readonly ask?: Ask | undefined
  /**
   * `nothing`: the person who answers is not the board's user. So the answer is for this call alone and leaves no pin.
   */
  readonly remember?: 'nothing' | undefined
}

/** Asks a person. The signal is aborted when the caller no longer waits for the answer. */
export type Ask = (question: Question, options: { readonly signal: AbortSignal }) => Answer | Promise<Answer>

export type Permission =
  /** `isUnchanged`: the tool is the same as in its pin, so that its hints can be trusted. */
  | { readonly kind: 'allowed'; readonly isUnchanged: boolean; readonly by?: Evidence }
  | { readonly kind: 'denied'; readonly problem: Problem; readonly by?: Evidence }

/** The code of the problem with a tool that changed after its call was allowed. */
export const TOOL_CHANGED = 'call/changed'
