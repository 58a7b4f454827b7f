/**
 * permission: may a call happen, and who says so.
 */
import type { Signal } from '../base/abort.ts'
import type { Params } from './message.ts'
import type { ListedTool } from './offering.ts'
import type { Spot } from './origin.ts'
import type { Level } from './policy.ts'
import type { Problem } from './problem.ts'

export type Action = 'allow' | 'ask' | 'deny'

/** `plan`: no tool of any server runs. `bypass`: what would be asked is allowed; what is denied stays denied. */
export type Mode = 'default' | 'plan' | 'bypass'

/** Who wants the call: a model does; a person who types it has answered the question already. */
export type Caller = 'model' | 'person'

export interface PermissionRule {
  /** A glob over names of tools (`mcp__github__*`), or a whole server (`mcp__github`). */
  readonly tool: string
  readonly action: Action
  readonly reason?: string
  readonly level: Level | 'session'
  /** Where it is written; a rule of this session is written nowhere. */
  readonly by?: Spot
}

/** What settings files say about calls. */
export interface PermissionSettings {
  /** Highest level first; those of a repository only when its user approved something of it. */
  readonly rules: readonly PermissionRule[]
  /** The line that says `mode: "plan"`. */
  readonly plan?: Spot
  /** A managed, user or local file whose rules cannot be understood permits nothing. */
  readonly broken?: Problem
}

/** Everything that a verdict depends on. A value: whoever changes something makes a new one. */
export interface Permissions {
  readonly mode: Mode
  /** The line that asks for plan mode, when it was no host. */
  readonly plan?: Spot
  readonly rules: readonly PermissionRule[]
  readonly grants: readonly Grant[]
  readonly pins: readonly Pin[]
  /** Globs, as a fork was given them: a tool must be named by one of each list. */
  readonly filters: readonly (readonly string[])[]
  /** The rules cannot be understood: everything is denied. */
  readonly broken?: Problem
  /** What was approved cannot be read: nobody knows whether a tool is still the same, so everything is asked. */
  readonly unknownPins?: Problem
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
  /** Of the definition; of a pin that is not whole, of name, description and schema. */
  readonly hash: string
  /** ISO 8601. */
  readonly at: string
  /** As the server listed it. */
  readonly definition: ListedTool
  /** False for a pin of an older version: it holds name, description, schema and hints, and only these are compared. */
  readonly isWhole: boolean
}

/** What a tool says of itself (`annotations`): shown, and never a reason to allow anything. */
export interface ToolHints {
  readonly readOnly?: boolean
  readonly destructive?: boolean
  readonly idempotent?: boolean
  readonly openWorld?: boolean
}

/** How a tool differs from what was approved. */
export interface PinChange {
  readonly was: Pin
  readonly is: ListedTool
}

/** A change in a form that people can read. */
export interface PinDiff {
  readonly name?: { readonly was: string; readonly is: string }
  /** Line by line; empty when the description is the same. */
  readonly description: readonly DiffLine[]
  /** Of `inputSchema`, by path: `properties.repo.type`. */
  readonly schema: readonly PathDiff[]
  /** Of every other field of the definition, by path: `annotations.readOnlyHint`. */
  readonly fields: readonly PathDiff[]
}

/** What is new has no `was`, what is gone no `is`. Both are JSON. */
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
  /** What the server calls it. */
  readonly tool: string
  /** What the model sees it called. */
  readonly name: string
  /** What the model would see in the other styles: a rule that denies under one style denies under all. */
  readonly otherNames: readonly string[]
  /** The trust fingerprint of the server. */
  readonly fingerprint: string
  readonly definition: ListedTool
}

/** Who decided. */
export type Evidence =
  | { readonly kind: 'rule'; readonly rule: PermissionRule }
  | { readonly kind: 'grant'; readonly grant: Grant }
  | { readonly kind: 'mode'; readonly mode: 'plan' | 'bypass'; readonly by?: Spot }
  | { readonly kind: 'pin'; readonly change: PinChange }
  /** A person typed the call, or answered the question. */
  | { readonly kind: 'person'; readonly reason?: string }
  /** A fork that may use other tools only. */
  | { readonly kind: 'filter' }
  /** Rules, or what was approved, cannot be read. */
  | { readonly kind: 'unreadable'; readonly problem: Problem }
  /** No rule matches. */
  | { readonly kind: 'default' }

export interface Verdict {
  readonly action: Action
  readonly by: Evidence
}

/** Everything that was looked at for a verdict. */
export interface Considered {
  /** Those that match, strictest first. */
  readonly rules: readonly PermissionRule[]
  readonly grant: Grant | undefined
  readonly pin: Pin | undefined
}

/** A verdict when everybody was asked who had to be. */
export type Decision =
  | { readonly action: 'allow'; readonly by: Evidence }
  | { readonly action: 'deny'; readonly by: Evidence; readonly problem: Problem }

/** What a host asks the person in front of it. */
export interface Question {
  readonly server: string
  readonly tool: string
  readonly name: string
  readonly description?: string
  readonly hints: ToolHints
  /** What it is to be called with. */
  readonly arguments?: unknown
  /** Why it is asked: no rule, a rule, a tool that changed. */
  readonly why: Evidence
  /** For a tool that changed. */
  readonly diff?: PinDiff
  /** A tool that was approved under another name, with the same description and schema. */
  readonly renamedFrom?: string
  /** Whether `session` and `always` mean more than `once`: not where the organisation wants to be asked each time. */
  readonly canRemember: boolean
}

export type Answer = 'once' | 'session' | 'always' | 'no' | { readonly no: string }
/** A tool as boards list it. */
export type ToolToCall = Pick<CallTarget, 'server' | 'tool' | 'name' | 'definition'>

/** Asked before every call. Answers at once where nobody has to be asked. Never rejects because of what a rule or a person says. */
export type Permit = (tool: ToolToCall, call: WantedCall) => Permission | Promise<Permission>

export interface WantedCall {
  readonly args: Params
  /** `person`: whoever typed the call has answered what would be asked. */
  readonly who: 'model' | 'person'
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: Signal | undefined
  /** Who is to be asked, in place of the one whom the board would ask. */
  readonly ask?: Ask | undefined
  /** `nothing`: whoever answers is not its user, so that the answer is for this call alone and leaves no pin behind. */
  readonly remember?: 'nothing' | undefined
}

/** Asks a person. The signal is aborted when nobody waits for the answer any more. */
export type Ask = (question: Question, options: { readonly signal: AbortSignal }) => Answer | Promise<Answer>

export type Permission =
  /** `isUnchanged`: the tool is as it was when it was pinned, so that its hints may be relied upon. */
  | { readonly kind: 'allowed'; readonly isUnchanged: boolean; readonly by?: Evidence }
  | { readonly kind: 'denied'; readonly problem: Problem; readonly by?: Evidence }

/** The code of the problem with a tool that is no longer what the call was allowed for. */
export const TOOL_CHANGED = 'call/changed'
