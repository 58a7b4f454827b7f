/**
 * ask-model: one request to the model, told while it streams, and sent again while that is sensible.
 *
 * in     the conversation, the tools, the system prompt
 * out    what is to be added to the conversation, and the calls that it wants made
 * never  rejects; repeats a request of which something was shown already
 */
import type { AssistantModelMessage, LanguageModelUsage, ModelMessage, TextStreamPart, ToolSet } from 'ai'
import { untilAborted } from '../../../base/until-aborted.ts'
import type { Problem } from '../../../model/problem.ts'
import type { Prepared, ToolCall, TurnOptions } from './agent.ts'
import { brokeOff, isWorthAnother, toModelProblem, waitAskedFor } from './problems.ts'

export type Asked = {
  readonly messages: readonly ModelMessage[]
  readonly text: string
} & (
  | { readonly kind: 'answered'; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly problem: Problem }
)

/** After the first try. */
const RETRIES = 3

const FIRST_WAIT_MS = 1000

/** A provider that asks for more is not waited for. */
const LONGEST_WAIT_MS = 60_000

export async function askModel(
  prepared: Prepared,
  messages: readonly ModelMessage[],
  options: TurnOptions,
): Promise<Asked> {
  for (let attempt = 1; ; attempt++) {
    const streamed = await stream(prepared, messages, options)
    if (options.signal.aborted) return { ...keep(streamed), kind: 'aborted' }
    if (streamed.error === undefined) return toAnswer(streamed)
    const problem = toModelProblem(streamed.error, prepared.model)
    const afterMs = waitAskedFor(streamed.error) ?? FIRST_WAIT_MS * 2 ** (attempt - 1)
    const isLast = attempt > RETRIES || afterMs > LONGEST_WAIT_MS
    if (isLast || hasShown(streamed) || !isWorthAnother(streamed.error))
      return { ...keep(streamed), kind: 'failed', problem }
    options.tell({ type: 'retry', afterMs, attempt, problem })
    if (!(await pause(prepared, afterMs, options.signal))) return { ...keep(streamed), kind: 'aborted' }
  }
}

interface Streamed {
  text: string
  readonly calls: ToolCall[]
  /** As `ai` makes them of a whole answer. */
  messages: readonly ModelMessage[]
  error?: unknown
}

function hasShown({ text, calls }: Streamed): boolean {
  return text !== '' || calls.length > 0
}

async function stream(
  { model, system, tools }: Prepared,
  messages: readonly ModelMessage[],
  { signal, tell }: TurnOptions,
): Promise<Streamed> {
  const streamed: Streamed = { text: '', calls: [], messages: [] }
  try {
    const { streamText } = await import('./ai-sdk.ts')
    const result = streamText({
      model: await model.open(),
      ...model.cached({ system, messages: [...messages] }),
      tools,
      abortSignal: signal,
      // Ours, which are told.
      maxRetries: 0,
      // Told by us; without this, it is printed.
      onError: () => undefined,
    })
    let hasEnded = false
    for await (const part of result.fullStream) {
      if (part.type === 'finish') hasEnded = part.finishReason !== 'error'
      take(streamed, part, tell)
    }
    if (streamed.error === undefined && !signal.aborted) {
      if (!hasEnded) throw brokeOff()
      const { messages: said } = await result.response
      // `ai` answers a call that it cannot read, or of a tool that it does not know; the board answers it in its place.
      streamed.messages = said.filter(({ role }) => role !== 'tool')
    }
  } catch (error) {
    streamed.error ??= error
  }
  return streamed
}

function take(streamed: Streamed, part: TextStreamPart<ToolSet>, tell: TurnOptions['tell']): void {
  switch (part.type) {
    case 'text-delta':
      streamed.text += part.text
      tell({ type: 'text', text: part.text })
      break
    case 'reasoning-delta':
      tell({ type: 'thought', text: part.text })
      break
    case 'tool-call': {
      const { toolCallId: id, toolName: name, input } = part
      tell({ type: 'tool-call', id, name, input })
      streamed.calls.push({ id, name, input })
      break
    }
    case 'finish':
      tellUsage(part.totalUsage, tell)
      break
    case 'error':
      streamed.error = part.error
      break
    default:
  }
}

function tellUsage(
  { inputTokens = 0, outputTokens = 0 }: LanguageModelUsage,
  tell: TurnOptions['tell'],
): void {
  tell({ type: 'usage', inputTokens, outputTokens })
}

function toAnswer({ text, calls, messages }: Streamed): Asked {
  return { kind: 'answered', text, calls, messages }
}

/** Of an answer that broke off, what was shown stays; calls that were not made are left out, since they have no result. */
function keep({ text }: Streamed): Pick<Asked, 'messages' | 'text'> {
  const said: AssistantModelMessage = { role: 'assistant', content: text }
  return { text, messages: text === '' ? [] : [said] }
}

/** False when the wait was given up. */
function pause({ model }: Prepared, ms: number, signal: AbortSignal): Promise<boolean> {
  const over = new Promise<boolean>((resolve) => model.after(ms, () => resolve(true)))
  return untilAborted(over, signal).catch(() => false)
}
