/** events: every event of a turn in an agent session. Screens, plain lines and JSON lines use only these. */
import type { Params } from '../../../model/message.ts'
import type { ToolResult } from '../../../model/outcome.ts'
import type { Problem } from '../../../model/problem.ts'

export type SessionEvent =
  /** The next piece of the model's text. */
  | { readonly type: 'text'; readonly text: string }
  /** The next piece of the model's thoughts, where the provider sends them. */
  | { readonly type: 'thought'; readonly text: string }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly input: unknown }
  /** The call is allowed, and was sent. */
  | { readonly type: 'tool-started'; readonly id: string }
  | { readonly type: 'tool-progress'; readonly id: string; readonly progress: Params }
  | { readonly type: 'tool-result'; readonly id: string; readonly name: string; readonly result: CallResult }
  /** The request to the model failed, and will be repeated. */
  | { readonly type: 'retry'; readonly afterMs: number; readonly attempt: number; readonly problem: Problem }
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number }
  | { readonly type: 'problem'; readonly problem: Problem }

/** The parts of a result that can be shown. A call that never reached the board has no others. */
export type CallResult = Pick<ToolResult, 'outcome' | 'text' | 'isError' | 'media' | 'durationMs'> &
  Partial<Pick<ToolResult, 'code' | 'structuredContent' | 'problem' | 'details'>>

export type Tell = (event: SessionEvent) => void
