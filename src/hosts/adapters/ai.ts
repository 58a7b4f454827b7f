/**
 * ai: the tools of a board as a tool set of the Vercel AI SDK (`ai`).
 *
 * in     a board or a fork
 * out    a tool set whose tools call the board; abort signals are passed on, images reach the model
 * never  rejects in `execute` except with ToolAbortError: a failure is an output that the model can read
 */
import type { ToolSet } from 'ai'
import type { Profile } from '../../model/profile.ts'
import { imagesOf } from '../shared/images.ts'
import { answerCall, offer, type Answer, type OfferOptions, type ToolBoard } from './offer.ts'

export type { OfferOptions, Profile, ToolBoard }

export interface AiOptions extends OfferOptions {
  /** The provider whose rules the schemas must follow. Default: `openai`, which other providers accept as well. */
  readonly profile?: Profile | undefined
  /** `name` for providers that accept no images in a result: the text names them. Default: `send`. */
  readonly images?: 'send' | 'name' | undefined
}

/** What `execute` resolves with: the parts of a result that a chat can store. */
export type AiToolOutput = Answer

type ModelOutput = Awaited<ReturnType<NonNullable<ToolSet[string]['toModelOutput']>>>

export async function toAiTools(board: ToolBoard, options: AiOptions = {}): Promise<ToolSet> {
  const { dynamicTool, jsonSchema } = await import('ai')
  const { profile = 'openai', images = 'send' } = options
  const tools = offer(board, [profile], options).map(({ tool: { name, description }, schema }) => {
    const made = dynamicTool({
      ...(description === undefined ? {} : { description }),
      inputSchema: jsonSchema({ ...schema }),
      execute: async (input, { abortSignal }) =>
        toOutput(await answerCall(board, { name, input }, { signal: abortSignal })),
      toModelOutput: ({ output }) => toModelOutput(output as AiToolOutput, images),
    })
    return [name, made] as const
  })
  return Object.fromEntries(tools)
}

function toOutput({ text, isError, media, structuredContent }: Answer): AiToolOutput {
  return { text, isError, media, ...(structuredContent === undefined ? {} : { structuredContent }) }
}

function toModelOutput(output: AiToolOutput, images: 'send' | 'name'): ModelOutput {
  const { text, isError } = output
  if (isError) return { type: 'error-text', value: text }
  const seen = images === 'send' ? imagesOf(output) : []
  if (seen.length === 0) return { type: 'text', value: text }
  const parts = seen.map(({ mimeType, data }) => ({ type: 'image-data' as const, data, mediaType: mimeType }))
  return { type: 'content', value: [{ type: 'text', text }, ...parts] }
}
