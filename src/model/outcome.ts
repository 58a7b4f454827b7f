/**
 * outcome: what became of a call. Every call has exactly one.
 */
import type { Result, RpcError } from './message.ts'
import type { Problem } from './problem.ts'

export type CallOutcome =
  | { readonly kind: 'done'; readonly result: Result }
  /** The tool ran and says that it went wrong. */
  | { readonly kind: 'tool-error'; readonly result: Result; readonly findings?: readonly string[] }
  /** The server answered with an error. */
  | {
      readonly kind: 'failed'
      readonly problem: Problem
      readonly error?: RpcError
      readonly findings?: readonly string[]
    }
  /** It did not happen. */
  | {
      readonly kind: 'not-sent'
      readonly code: NotSent
      readonly problem: Problem
      readonly error?: RpcError
    }
  /** Sent, and no answer came: it may have happened. */
  | { readonly kind: 'unknown'; readonly problem: Problem }
  | { readonly kind: 'aborted'; readonly wasSent: boolean; readonly problem: Problem }

export type NotSent = 'denied' | 'bad-arguments' | 'loop-guard' | 'not-connected' | 'unknown-tool'

/** An outcome in the form a host passes on to its model, or shows. */
export interface ToolResult {
  readonly outcome: CallOutcome['kind']
  readonly code?: NotSent
  /** For the model: all content in order, as text; `Error: …` and `MCP error: …` where it went wrong. */
  readonly text: string
  readonly isError: boolean
  /** For hosts that can show them. `text` names each. */
  readonly media: readonly Media[]
  /** As the server sent it. */
  readonly content: readonly unknown[]
  /** All that the server sent, untouched; absent when there is no answer. */
  readonly result?: Result
  /** The error that the server answered with, untouched. */
  readonly error?: RpcError
  readonly structuredContent?: unknown
  readonly details: ResultDetails
  readonly durationMs: number
  readonly problem?: Problem
  /** The call was sent and failed: what in its arguments does not fit the tool's schema, and may be why. */
  readonly findings?: readonly string[]
}

/** How hosts begin what they show of `findings`. */
export const FINDINGS_INTRO = "the arguments do not fit the tool's schema, which may be why:"

export interface Media {
  readonly kind: 'image' | 'audio'
  readonly mimeType: string
  /** Base64. */
  readonly data: string
}

export interface ResultDetails {
  /** Empty when no server has such a tool. */
  readonly serverName: string
  readonly mcpToolName: string
  /** What the model sees the tool called. */
  readonly name: string
  /** `mcp:github via Cursor`. */
  readonly label: string
  /** The output was too long, and `text` holds only its beginning and its end. */
  readonly isCut?: true
  /** Where the whole output is, when it is cut and could be saved. */
  readonly savedTo?: string
}

/** A call that its caller gave up: the one outcome that is thrown, because nobody waits for a result any more. */
export class ToolAbortError extends Error {
  /** Whether it may have happened all the same. */
  readonly wasSent: boolean
  readonly result: ToolResult

  constructor(wasSent: boolean, result: ToolResult) {
    super(result.problem?.message ?? 'the call was aborted')
    this.name = 'ToolAbortError'
    this.wasSent = wasSent
    this.result = result
  }
}
