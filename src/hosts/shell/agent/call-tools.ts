/**
 * call-tools: makes the calls of one step through the board, all at once.
 *
 * in     the calls that the model requests
 * out    one result for each, in the order of the calls, also for those that were aborted
 * never  rejects
 */
import type { ToolModelMessage } from 'ai'
import { toPrintable } from '../../../base/printable.ts'
import { ToolAbortError } from '../../../model/outcome.ts'
import { argumentsFor } from '../../../runtime/tools-for.ts'
import { imagesOf } from '../../shared/images.ts'
import type { AgentBoard, ToolCall, TurnOptions } from './agent.ts'
import type { CallResult } from './events.ts'

export interface CallToolsOptions extends TurnOptions {
  /** Whether the model accepts images in a result. */
  readonly images: 'send' | 'name'
}

type ResultPart = Extract<ToolModelMessage['content'][number], { type: 'tool-result' }>

export function callTools(
  board: AgentBoard,
  calls: readonly ToolCall[],
  options: CallToolsOptions,
): Promise<ResultPart[]> {
  return Promise.all(
    calls.map(async (call) => {
      const result = await callOne(board, call, options)
      options.tell({ type: 'tool-result', id: call.id, name: call.name, result })
      return toPart(call, result, options)
    }),
  )
}

async function callOne(
  board: AgentBoard,
  { id, name, input }: ToolCall,
  { signal, tell }: CallToolsOptions,
): Promise<CallResult> {
  try {
    return await board.call(name, (tool) => argumentsFor(tool, input), {
      signal,
      onJudged: ({ kind }) => {
        if (kind === 'allowed') tell({ type: 'tool-started', id })
      },
      onProgress: (progress) => tell({ type: 'tool-progress', id, progress }),
    })
  } catch (error) {
    if (error instanceof ToolAbortError) return error.result
    // The provider refuses a conversation that contains a call without a result.
    const text = `Error: \`${name}\` could not be called: ${toPrintable(String(error instanceof Error ? error.message : error))}`
    return { outcome: 'failed', text, isError: true, media: [], durationMs: 0 }
  }
}

function toPart({ id, name }: ToolCall, result: CallResult, { images }: CallToolsOptions): ResultPart {
  const { text, isError } = result
  const part = { type: 'tool-result', toolCallId: id, toolName: name } as const
  if (isError) return { ...part, output: { type: 'error-text', value: text } }
  const seen = images === 'send' ? imagesOf(result) : []
  if (seen.length === 0) return { ...part, output: { type: 'text', value: text } }
  const pictures = seen.map(({ data, mimeType }) => ({
    type: 'image-data' as const,
    data,
    mediaType: mimeType,
  }))
  return { ...part, output: { type: 'content', value: [{ type: 'text', text }, ...pictures] } }
}
