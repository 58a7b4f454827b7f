/**
 * langchain: the tools of a board for LangChain (`@langchain/core`).
 *
 * in     a board or a fork
 * out    structured tools that call the board; called by a model, they return a ToolMessage
 * never  rejects because of a tool or a server: the message has the status `error`
 *
 * LangChain itself refuses arguments that do not fit, before it calls the board.
 */
import type { ToolMessage } from '@langchain/core/messages'
import type { DynamicStructuredTool } from '@langchain/core/tools'
import type { Profile } from '../../model/profile.ts'
import { imagesOf } from '../shared/images.ts'
import { answerCall, offer, toDataUrl, type Answer, type OfferOptions, type ToolBoard } from './offer.ts'

export type { OfferOptions, Profile, ToolBoard }

export interface LangChainOptions extends OfferOptions {
  /** The provider whose rules the schemas must follow. Default: `openai`, which other providers accept as well. */
  readonly profile?: Profile | undefined
  /**
   * `send` for models that accept images in a tool message. Default: `name`: the text names them, the artifact has
   * them.
   */
  readonly images?: 'send' | 'name' | undefined
}

/** The parts of a message beside its content: for the host, not for the model. */
export type LangChainArtifact = Pick<Answer, 'media' | 'structuredContent'>

export async function toLangChainTools(
  board: ToolBoard,
  options: LangChainOptions = {},
): Promise<DynamicStructuredTool[]> {
  const [tools, messages] = await Promise.all([
    import('@langchain/core/tools'),
    import('@langchain/core/messages'),
  ])
  const { profile = 'openai', images = 'name' } = options
  return offer(board, [profile], options).map(
    ({ tool: { name, description = '' }, schema }) =>
      new tools.DynamicStructuredTool({
        name,
        description,
        schema: { ...schema },
        func: async (input: unknown, _manager, config) => {
          const answer = await answerCall(board, { name, input }, { signal: config?.signal })
          const id = callIdOf(config)
          const content = toContent(answer, images)
          if (id === undefined) return content
          return new messages.ToolMessage({ ...toFields(answer), content, name, tool_call_id: id })
        },
      }),
  )
}

/** Absent when a host calls the tool itself: then it expects the content. */
function callIdOf(config: unknown): string | undefined {
  const { toolCall } = (config ?? {}) as { readonly toolCall?: { readonly id?: string } }
  return toolCall?.id
}

function toFields({ isError, media, structuredContent }: Answer): {
  readonly status: 'success' | 'error'
  readonly artifact: LangChainArtifact
} {
  const artifact = { media, ...(structuredContent === undefined ? {} : { structuredContent }) }
  return { status: isError ? 'error' : 'success', artifact }
}

function toContent(answer: Answer, images: 'send' | 'name'): ToolMessage['content'] {
  const seen = images === 'send' && !answer.isError ? imagesOf(answer) : []
  if (seen.length === 0) return answer.text
  const parts = seen.map((image) => ({ type: 'image_url' as const, image_url: { url: toDataUrl(image) } }))
  return [{ type: 'text' as const, text: answer.text }, ...parts]
}
