/**
 * anthropic: the tools of a board for `@anthropic-ai/sdk`, and the calls that its models make.
 *
 * in     a board or a fork; a `tool_use` block
 * out    `tools` of a request; the `tool_result` block, images included
 * never  rejects except with ToolAbortError
 */
import type {
  ImageBlockParam,
  Tool,
  ToolResultBlockParam,
  ToolUseBlock,
} from '@anthropic-ai/sdk/resources/messages'
import { imagesOf, type Image } from '../shared/images.ts'
import {
  answerCall,
  offer,
  type Answer,
  type OfferOptions,
  type RunOptions,
  type ToolBoard,
} from './offer.ts'

export type { OfferOptions, RunOptions, ToolBoard }

export function toAnthropicTools(board: ToolBoard, options: OfferOptions = {}): Tool[] {
  return offer(board, ['anthropic'], options).map(({ tool: { name, description }, schema }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: { ...schema, type: 'object' },
  }))
}

export async function runAnthropicToolUse(
  board: ToolBoard,
  { id, name, input }: Pick<ToolUseBlock, 'id' | 'name' | 'input'>,
  options: RunOptions = {},
): Promise<ToolResultBlockParam> {
  const answer = await answerCall(board, { name, input }, options)
  return { type: 'tool_result', tool_use_id: id, ...toContent(answer) }
}

/** With an error, the API accepts only text. */
function toContent(answer: Answer): Pick<ToolResultBlockParam, 'content' | 'is_error'> {
  const { text, isError } = answer
  if (isError) return { content: text, is_error: true }
  const images = imagesOf(answer)
  return { content: images.length === 0 ? text : [{ type: 'text', text }, ...images.map(toBlock)] }
}

function toBlock({ mimeType, data }: Image): ImageBlockParam {
  return { type: 'image', source: { type: 'base64', media_type: mimeType, data } }
}
