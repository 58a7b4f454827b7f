/** outcome: the result of a call. Every call has exactly one. */
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
  /** The call did not happen. */
  | {
      readonly kind: 'not-sent'
      readonly code: NotSent
      readonly problem: Problem
      readonly error?: RpcError
    }
  /** Sent, and no response came: the call may have happened. */
  | { readonly kind: 'unknown'; readonly problem: Problem }
  | { readonly kind: 'aborted'; readonly wasSent: boolean; readonly problem: Problem }

export type NotSent = 'denied' | 'bad-arguments' | 'loop-guard' | 'not-connected' | 'unknown-tool'

/** An outcome in the form a host passes on to its model, or shows. */
export interface ToolResult {
  readonly outcome: CallOutcome['kind']
  readonly code?: NotSent
  /** For the model: all content in order, as text, with `Error: …` and `MCP error: …` for failures. */
  readonly text: string
  readonly isError: boolean
  /** For hosts that can show media. `text` names each. */
  readonly media: readonly Media[]
  /** As the server sent it. */
  readonly content: readonly unknown[]
  /** The whole result of the server, unchanged; absent when there is none. */
  readonly result?: Result
  /** The server's error, unchanged. */
  readonly error?: RpcError
  readonly structuredContent?: unknown
  readonly details: ResultDetails
  readonly durationMs: number
  readonly problem?: Problem
  /** For a call that was sent and failed: which arguments do not fit the tool's schema, as a possible reason. */
  readonly findings?: readonly string[]
}

/** The words before `findings` in every host. */
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
  /** The tool's name for the model. */
  readonly name: string
  /** `mcp:github via Cursor`. */
  readonly label: string
  /** The output was too long, and `text` holds only its beginning and its end. */
  readonly isCut?: true
  /** Where the whole output is, when it is cut and could be saved. */
  readonly savedTo?: string
}

/**
 * The command is built as several bundles, and each has its own copy of the class. This brand lets them recognise each
 * other's.
 */
const ABORT_BRAND: unique symbol = Symbol.for('plugboard.abort')

/**
 * A call that its caller cancelled. It is the only outcome that is thrown, because the caller waits for no result any
 * more.
 */
export class ToolAbortError extends Error {
  readonly [ABORT_BRAND] = true

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && ABORT_BRAND in value
  }

  /** Whether the server may have carried it out all the same. */
  readonly wasSent: boolean
  readonly result: ToolResult

  constructor(wasSent: boolean, result: ToolResult) {
    super(result.problem?.message ?? 'the call was aborted')
    this.name = 'ToolAbortError'
    this.wasSent = wasSent
    this.result = result
  }
}
