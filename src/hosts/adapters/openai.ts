/**
 * openai: the tools of a board for `openai`, and the calls that its models make.
 *
 * in     a board or a fork; a tool call, of chat completions or of responses
 * out    `tools` of a request; the message or item that answers the call
 * never  rejects except with ToolAbortError
 */
import type {
  ChatCompletionFunctionTool,
  ChatCompletionMessageToolCall,
  ChatCompletionToolMessageParam,
} from 'openai/resources/chat/completions'
import type {
  FunctionTool,
  ResponseFunctionToolCall,
  ResponseInputItem,
} from 'openai/resources/responses/responses'
import { imagesOf } from '../shared/images.ts'
import {
  answerCall,
  offer,
  toDataUrl,
  type Answer,
  type FittingTool,
  type OfferOptions,
  type RunOptions,
  type ToolBoard,
} from './offer.ts'

export type { OfferOptions, RunOptions, ToolBoard }

export interface OpenAiOptions extends OfferOptions {
  /**
   * The provider enforces the schema while the model writes. A tool whose schema does not allow that is sent without
   * `strict`. Default: false.
   */
  readonly strict?: boolean | undefined
  /** Default: `chat`. */
  readonly api?: 'chat' | 'responses' | undefined
}

export function toOpenAiTools(
  board: ToolBoard,
  options: OpenAiOptions & { readonly api: 'responses' },
): FunctionTool[]
export function toOpenAiTools(
  board: ToolBoard,
  options?: OpenAiOptions & { readonly api?: 'chat' | undefined },
): ChatCompletionFunctionTool[]
export function toOpenAiTools(
  board: ToolBoard,
  options: OpenAiOptions = {},
): FunctionTool[] | ChatCompletionFunctionTool[] {
  const fitting = offer(board, options.strict === true ? ['openai-strict', 'openai'] : ['openai'], options)
  const functions = fitting.map(toFunction)
  return options.api === 'responses'
    ? functions.map((one) => ({ type: 'function', ...one }))
    : functions.map((one) => ({ type: 'function', function: one }))
}

/** `strict` is always sent: the responses API treats a missing one as true. */
function toFunction({ tool: { name, description }, schema, profile }: FittingTool) {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    parameters: { ...schema },
    strict: profile === 'openai-strict',
  }
}

export type OpenAiToolCall = ChatCompletionMessageToolCall | ResponseFunctionToolCall

export function runOpenAiToolCall(
  board: ToolBoard,
  toolCall: ResponseFunctionToolCall,
  options?: RunOptions,
): Promise<ResponseInputItem.FunctionCallOutput>
export function runOpenAiToolCall(
  board: ToolBoard,
  toolCall: ChatCompletionMessageToolCall,
  options?: RunOptions,
): Promise<ChatCompletionToolMessageParam>
export async function runOpenAiToolCall(
  board: ToolBoard,
  toolCall: OpenAiToolCall,
  options: RunOptions = {},
): Promise<ResponseInputItem.FunctionCallOutput | ChatCompletionToolMessageParam> {
  if (toolCall.type === 'function_call') {
    const { call_id, name } = toolCall
    const answer = await answerCall(board, { name, input: parse(toolCall.arguments) }, options)
    return { type: 'function_call_output', call_id, output: toOutput(answer) }
  }
  const { name, written } = writtenOf(toolCall)
  // A tool message accepts text only. The text names the images.
  const { text } = await answerCall(board, { name, input: parse(written) }, options)
  return { role: 'tool', tool_call_id: toolCall.id, content: text }
}

function writtenOf(toolCall: ChatCompletionMessageToolCall): {
  readonly name: string
  readonly written: string
} {
  if (toolCall.type === 'custom') return { name: toolCall.custom.name, written: toolCall.custom.input }
  const { name, arguments: written } = toolCall.function
  return { name, written }
}

/** Invalid JSON stays a text, and so is no object. */
function parse(written: string): unknown {
  try {
    return written.trim() === '' ? {} : (JSON.parse(written) as unknown)
  } catch {
    return written
  }
}

function toOutput(answer: Answer): ResponseInputItem.FunctionCallOutput['output'] {
  const images = imagesOf(answer)
  if (images.length === 0) return answer.text
  return [
    { type: 'input_text', text: answer.text },
    ...images.map((image) => ({ type: 'input_image' as const, image_url: toDataUrl(image) })),
  ]
}
