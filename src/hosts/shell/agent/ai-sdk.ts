/**
 * ai-sdk: what the shell needs of the AI SDK and of its providers. They are more than half a megabyte, so this is imported
 * when a model is first asked.
 */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { jsonSchema, streamText, tool, type LanguageModel, type ToolSet } from 'ai'
import type { Secret } from '../../../base/secret.ts'
import type { BoardTool } from '../../../runtime/tools.ts'

// It would print what it thinks of models and settings into whatever is on the screen.
globalThis.AI_SDK_LOG_WARNINGS = false

export { streamText }

export interface ModelAddress {
  readonly id: string
  readonly baseURL: string
  readonly key: Secret | undefined
}

export function openAnthropic({ id, baseURL, key }: ModelAddress): LanguageModel {
  return createAnthropic({ baseURL, apiKey: key?.reveal() ?? 'none' })(id)
}

export function openCompatible({ id, baseURL, key }: ModelAddress): LanguageModel {
  const apiKey = key === undefined ? {} : { apiKey: key.reveal() }
  return createOpenAICompatible({ name: 'openai', baseURL, includeUsage: true, ...apiKey })(id)
}

/** Without an executor: we dispatch the calls. */
export function declareTools(tools: readonly BoardTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({
        ...(description === undefined ? {} : { description }),
        inputSchema: jsonSchema({ ...inputSchema }),
      }),
    ]),
  )
}
