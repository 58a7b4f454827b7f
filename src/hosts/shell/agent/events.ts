/**
 * events: all that a turn of an agent session tells. Screens, plain lines and JSON lines are made of these alone.
 */
import type { Params } from '../../../model/message.ts'
import type { ToolResult } from '../../../model/outcome.ts'
import type { Problem } from '../../../model/problem.ts'

export type SessionEvent =
  /** The next piece of the answer. */
  | { readonly type: 'text'; readonly text: string }
  /** The next piece of what the model thinks, where it says so. */
  | { readonly type: 'thought'; readonly text: string }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly input: unknown }
  /** It is allowed, and was sent. */
  | { readonly type: 'tool-started'; readonly id: string }
  | { readonly type: 'tool-progress'; readonly id: string; readonly progress: Params }
  | { readonly type: 'tool-result'; readonly id: string; readonly name: string; readonly result: CallResult }
  /** The model could not be asked, and will be again. */
  | { readonly type: 'retry'; readonly afterMs: number; readonly attempt: number; readonly problem: Problem }
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number }
  | { readonly type: 'problem'; readonly problem: Problem }

/** Of a result, what can be shown and told; a call that never reached the board has no more. */
export type CallResult = Pick<ToolResult, 'outcome' | 'text' | 'isError' | 'media' | 'durationMs'> &
  Partial<Pick<ToolResult, 'code' | 'structuredContent' | 'problem' | 'details'>>

export type Tell = (event: SessionEvent) => void
