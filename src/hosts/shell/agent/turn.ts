/**
 * turn: answers one prompt. It asks the model and makes its calls, and repeats both until the model calls nothing.
 *
 * in     an agent, the conversation so far, the prompt
 * out    the conversation with every new message, complete enough to continue, however the turn ended
 * never  rejects; leaves a call without a result; runs a tool except through the board
 */
import type { ModelMessage } from 'ai'
import type { Problem } from '../../../model/problem.ts'
import type { Agent, Prepared, ToolCall, TurnOptions } from './agent.ts'
import { askModel, type Asked } from './ask-model.ts'
import { callTools } from './call-tools.ts'
import { tooManySteps } from './problems.ts'
import { createToolSets } from './tool-set.ts'

export interface Turn {
  readonly messages: readonly ModelMessage[]
  /** All text of the last response. */
  readonly text: string
  readonly end: TurnEnd
}

export type TurnEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly problem: Problem }

const MAX_STEPS = 100

/** One for each kind of model. A set is the same value until the board's tools change. */
const toolSets = createToolSets()

export async function runTurn(
  agent: Agent,
  before: readonly ModelMessage[],
  prompt: ModelMessage | string,
  options: TurnOptions,
): Promise<Turn> {
  const { maxSteps = MAX_STEPS } = agent
  const asked: ModelMessage = typeof prompt === 'string' ? { role: 'user', content: prompt } : prompt
  let messages: readonly ModelMessage[] = [...before, asked]
  for (let step = 0; step < maxSteps; step++) {
    const answer = await askModel(await prepare(agent), messages, options)
    messages = [...messages, ...answer.messages]
    if (answer.kind !== 'answered') return { messages, text: answer.text, end: toEnd(answer, options) }
    if (answer.calls.length === 0) return { messages, text: answer.text, end: { kind: 'done' } }
    messages = [...messages, await answerCalls(agent, answer.calls, options)]
    if (options.signal.aborted) return { messages, text: answer.text, end: { kind: 'aborted' } }
  }
  return fail(messages, tooManySteps(maxSteps), options)
}

/**
 * Prepared for each request: if the user adds or disables a server during the turn, the next request uses that. Without
 * changes, tools and system prompt are the same values, so that the provider's cache stays valid.
 */
async function prepare({ board, model, instructions }: Agent): Promise<Prepared> {
  const section = board.systemPromptSection()
  return {
    model,
    system: section === '' ? instructions : `${instructions}\n\n${section}`,
    tools: await toolSets.of(board, model.profile),
  }
}

async function answerCalls(
  { board, model }: Agent,
  calls: readonly ToolCall[],
  options: TurnOptions,
): Promise<ModelMessage> {
  return { role: 'tool', content: await callTools(board, calls, { ...options, images: model.images }) }
}

function toEnd(answer: Exclude<Asked, { kind: 'answered' }>, { tell }: TurnOptions): TurnEnd {
  if (answer.kind === 'aborted') return { kind: 'aborted' }
  tell({ type: 'problem', problem: answer.problem })
  return { kind: 'failed', problem: answer.problem }
}

function fail(messages: readonly ModelMessage[], problem: Problem, { tell }: TurnOptions): Turn {
  tell({ type: 'problem', problem })
  return { messages, text: '', end: { kind: 'failed', problem } }
}
