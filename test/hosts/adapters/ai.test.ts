/**
 * ai: with the real `ai`, two of its providers, and a scripted endpoint.
 */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, stepCountIs } from 'ai'
import { describe, expect, it } from 'vitest'
import { toAiTools, type AiOptions } from '../../../src/hosts/adapters/ai.ts'
import {
  anthropicCall,
  anthropicText,
  chatCall,
  chatText,
  NOTES_CALLS,
  NOTES_TOOLS,
  openModel,
  openNotes,
  openOutcomes,
  PNG,
  type AdapterBoard,
  type ModelEndpoint,
  type TurnBoard,
} from './model-endpoint.ts'

function anthropicAt({ origin }: ModelEndpoint) {
  return createAnthropic({ apiKey: 'k', baseURL: `${origin}/v1` })('scripted')
}

function chatAt({ origin }: ModelEndpoint) {
  return createOpenAICompatible({ name: 'local', baseURL: `${origin}/v1` })('scripted')
}

const LOOP = { prompt: 'go', maxOutputTokens: 100, maxRetries: 0, stopWhen: stepCountIs(3) }

async function takeAnthropicTurn(test: AdapterBoard, name: string, options: AiOptions = {}) {
  await using model = await openModel(anthropicCall(name), anthropicText('well'))
  const tools = await toAiTools(test.tools, options)
  const { text } = await generateText({ ...LOOP, model: anthropicAt(model), tools })
  expect(text).toBe('well')
  const [sent, answered] = model.requests
  const messages = answered!.body['messages'] as { content: object[] }[]
  return { sent: sent!.body, result: messages.at(-1)!.content[0] }
}

async function takeChatTurn(test: TurnBoard, name: string, args: object = {}) {
  await using model = await openModel(chatCall(name, args), chatText('well'))
  const tools = await toAiTools(test.tools, { images: 'name' })
  const { text, steps } = await generateText({ ...LOOP, model: chatAt(model), tools })
  expect(text).toBe('well')
  const [sent, answered] = model.requests
  const messages = answered!.body['messages'] as object[]
  return { sent: sent!.body, result: messages.at(-1), steps }
}

describe('generateText', () => {
  it.each(NOTES_CALLS)(
    'offers the built-in tools that a fork may use: %s %j',
    async (name, args, expected) => {
      await using notes = await openNotes()
      const { sent, result } = await takeChatTurn(notes, name, args)
      const tools = sent['tools'] as { function: { name: string } }[]
      expect(tools.map((tool) => tool.function.name)).toEqual(NOTES_TOOLS)
      expect((result as { content: string }).content).toContain(expected)
    },
  )

  it('sends the definitions, calls the tool, and gives the result back', async () => {
    await using test = await openOutcomes()
    const { sent, result, steps } = await takeChatTurn(test, 'mcp__x__strict', { title: 'a' })
    expect(sent['tools']).toHaveLength(test.board.tools().length)
    expect(sent['tools']).toContainEqual({
      type: 'function',
      function: {
        name: 'mcp__x__busy',
        description: 'busy.',
        parameters: { type: 'object', properties: { ms: { type: 'integer' } } },
      },
    })
    expect(result).toEqual({ role: 'tool', tool_call_id: 'call_1', content: '{"title":"a"}' })
    expect(steps[0]!.toolResults).toMatchObject([
      { dynamic: true, output: { text: '{"title":"a"}', isError: false, media: [] } },
    ])
  })

  it('gives images to a model that can see', async () => {
    await using test = await openOutcomes()
    const { result } = await takeAnthropicTurn(test, 'mcp__x__mixed')
    expect(result).toMatchObject({
      type: 'tool_result',
      content: [
        { type: 'text', text: expect.stringContaining('last') },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      ],
    })
  })

  it('names them to one that cannot', async () => {
    await using test = await openOutcomes()
    const { result } = await takeChatTurn(test, 'mcp__x__mixed')
    expect(result).toMatchObject({ content: expect.stringContaining('image/png') })
    expect(JSON.stringify(result)).not.toContain(PNG)
  })

  it('tells the model what went wrong', async () => {
    await using test = await openOutcomes()
    const { result } = await takeAnthropicTurn(test, 'mcp__x__fails', { profile: 'anthropic' })
    expect(result).toMatchObject({ is_error: true, content: 'Error: it went wrong' })
  })

  it('tells the model what is wrong with its arguments', async () => {
    await using test = await openOutcomes()
    const { result } = await takeChatTurn(test, 'mcp__x__strict', { titel: 'a' })
    expect(result).toMatchObject({ content: expect.stringContaining('title') })
  })

  it('aborted, ends the call, and the server is told', async () => {
    await using test = await openOutcomes()
    await using model = await openModel(chatCall('mcp__x__hangs'))
    const controller = new AbortController()
    const tools = await toAiTools(test.tools)
    const work = generateText({ ...LOOP, model: chatAt(model), tools, abortSignal: controller.signal })
    const ended = expect(work).rejects.toMatchObject({ name: 'AbortError' })
    await test.untilCalled()
    controller.abort()
    await ended
    expect(await test.countCancelled()).toBe(1)
  })
})
