/**
 * openai: with the real `openai`, both APIs, and a scripted endpoint.
 */
import OpenAI from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions'
import type { ResponseFunctionToolCall, ResponseInputItem } from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import { runOpenAiToolCall, toOpenAiTools } from '../../../src/hosts/adapters/openai.ts'
import { ToolAbortError } from '../../../src/model/outcome.ts'
import {
  chatCall,
  chatText,
  NOTES_CALLS,
  NOTES_TOOLS,
  openModel,
  openNotes,
  openOutcomes,
  PNG,
  responseCall,
  responseText,
  type AdapterBoard,
  type ModelEndpoint,
  type TurnBoard,
} from './model-endpoint.ts'

const QUESTION = { role: 'user', content: 'go' } as const

function connect({ origin }: ModelEndpoint): OpenAI {
  return new OpenAI({ apiKey: 'k', baseURL: `${origin}/v1`, maxRetries: 0 })
}

/** A turn with one call, as a host would write it: the first request, and the last message of the second. */
async function takeTurn(
  { tools: board }: TurnBoard,
  name: string,
  { args = {}, strict }: { args?: object | string; strict?: boolean } = {},
) {
  await using model = await openModel(chatCall(name, args), chatText('well'))
  const client = connect(model)
  const settings = { model: 'scripted', tools: toOpenAiTools(board, { strict }) }
  const { choices } = await client.chat.completions.create({ ...settings, messages: [QUESTION] })
  const { message } = choices[0]!
  const result = await runOpenAiToolCall(board, message.tool_calls![0]!)
  const second = await client.chat.completions.create({ ...settings, messages: [QUESTION, message, result] })
  expect(second.choices[0]!.message.content).toBe('well')
  const [sent, answered] = model.requests
  return {
    tools: sent!.body['tools'] as ChatCompletionTool[],
    result: (answered!.body['messages'] as ChatCompletionMessageParam[]).at(-1)!,
  }
}

/** The same with the other API. */
async function takeResponsesTurn({ tools: board }: AdapterBoard, name: string, args: object = {}) {
  await using model = await openModel(responseCall(name, args), responseText('well'))
  const client = connect(model)
  const settings = { model: 'scripted', tools: toOpenAiTools(board, { api: 'responses', strict: true }) }
  const first = await client.responses.create({ ...settings, input: 'go' })
  const toolCall = first.output.find((one): one is ResponseFunctionToolCall => one.type === 'function_call')!
  const result = await runOpenAiToolCall(board, toolCall)
  const second = await client.responses.create({ ...settings, input: [QUESTION, toolCall, result] })
  expect(second.output_text).toBe('well')
  const [sent, answered] = model.requests
  return {
    tools: sent!.body['tools'] as object[],
    result: (answered!.body['input'] as ResponseInputItem[]).at(-1)!,
  }
}

describe('a turn of chat completions', () => {
  it('sends the definitions, calls the tool, and gives the result back', async () => {
    await using test = await openOutcomes()
    const { tools, result } = await takeTurn(test, 'mcp__x__strict', { args: { title: 'a' } })
    expect(tools).toHaveLength(test.board.tools().length)
    expect(tools).toContainEqual({
      type: 'function',
      function: {
        name: 'mcp__x__busy',
        description: 'busy.',
        parameters: { type: 'object', properties: { ms: { type: 'integer' } } },
        strict: false,
      },
    })
    expect(result).toEqual({ role: 'tool', tool_call_id: 'call_1', content: '{"title":"a"}' })
  })

  it('names images, which a tool message cannot have', async () => {
    await using test = await openOutcomes()
    const { result } = await takeTurn(test, 'mcp__x__mixed')
    expect(result.content).toContain('image/png')
    expect(result.content).not.toContain(PNG)
  })

  it.each([
    ['mcp__x__fails', {}, 'Error: it went wrong'],
    ['mcp__x__refuses', {}, 'MCP error: '],
    ['mcp__x__nothing', {}, 'no tool is named'],
    ['mcp__x__strict', {}, 'title'],
    ['mcp__x__strict', '{"title": ', 'the arguments are no JSON object'],
    ['mcp__x__strict', '[]', 'the arguments are no JSON object'],
  ])('tells the model what went wrong: %s %o', async (name, args, text) => {
    await using test = await openOutcomes()
    const { result } = await takeTurn(test, name, { args })
    expect(result.content).toContain(text)
  })

  it('takes no arguments at all for an empty object', async () => {
    await using test = await openOutcomes()
    const { result } = await takeTurn(test, 'mcp__x__structured', { args: '' })
    expect(result.content).toContain('42')
  })
})

describe('strict', () => {
  it('is said of the tools that can be, and the others are sent without', async () => {
    await using test = await openOutcomes()
    const tools = toOpenAiTools(test.tools, { strict: true })
    const strictOf = (name: string) => tools.find((one) => one.function.name === name)!.function.strict
    expect(tools).toHaveLength(test.board.tools().length)
    // `sends` takes an object of any shape.
    expect([strictOf('mcp__x__busy'), strictOf('mcp__x__sends')]).toEqual([true, false])
  })

  it('lets a model write null for what it leaves out', async () => {
    await using test = await openOutcomes()
    const args = { title: 'a', count: null, state: null, urgent: null, tags: null }
    const { result } = await takeTurn(test, 'mcp__x__strict', { args, strict: true })
    expect(result.content).toBe('{"title":"a"}')
  })
})

describe('a turn of responses', () => {
  it('sends the definitions, calls the tool, and gives the result back', async () => {
    await using test = await openOutcomes()
    const { tools, result } = await takeResponsesTurn(test, 'mcp__x__busy', { ms: 1 })
    expect(tools).toContainEqual({
      type: 'function',
      name: 'mcp__x__busy',
      description: 'busy.',
      parameters: {
        type: 'object',
        properties: { ms: { type: ['integer', 'null'] } },
        required: ['ms'],
        additionalProperties: false,
      },
      strict: true,
    })
    expect(result).toEqual({ type: 'function_call_output', call_id: 'call_1', output: '1' })
  })

  it('gives images to the model', async () => {
    await using test = await openOutcomes()
    const { result } = await takeResponsesTurn(test, 'mcp__x__mixed')
    expect(result).toMatchObject({
      output: [
        { type: 'input_text', text: expect.stringContaining('last') },
        { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
      ],
    })
  })
})

it('an aborted call ends, and its server is told', async () => {
  await using test = await openOutcomes()
  const controller = new AbortController()
  const toolCall = {
    type: 'function',
    id: 'call_1',
    function: { name: 'mcp__x__hangs', arguments: '{}' },
  } as const
  const work = runOpenAiToolCall(test.tools, toolCall, { signal: controller.signal })
  const ended = expect(work).rejects.toThrow(ToolAbortError)
  await test.untilCalled()
  controller.abort()
  await ended
  expect(await test.countCancelled()).toBe(1)
})

it.each(NOTES_CALLS)(
  'a fork offers the built-in tools that it may use: %s %j',
  async (name, args, expected) => {
    await using notes = await openNotes()
    const { tools, result } = await takeTurn(notes, name, { args, strict: true })
    expect(tools.map((tool) => (tool.type === 'function' ? tool.function.name : ''))).toEqual(NOTES_TOOLS)
    expect(result.content).toContain(expected)
  },
)
