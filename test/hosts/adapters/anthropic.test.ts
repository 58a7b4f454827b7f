/**
 * anthropic: with the real `@anthropic-ai/sdk`, and a scripted endpoint.
 */
import Anthropic from '@anthropic-ai/sdk'
import type { MessageParam, ToolResultBlockParam, ToolUseBlock } from '@anthropic-ai/sdk/resources/messages'
import { describe, expect, it } from 'vitest'
import { runAnthropicToolUse, toAnthropicTools } from '../../../src/hosts/adapters/anthropic.ts'
import { ToolAbortError } from '../../../src/model/outcome.ts'
import {
  anthropicCall,
  anthropicText,
  NOTES_CALLS,
  NOTES_TOOLS,
  openModel,
  openNotes,
  openOutcomes,
  PNG,
  type TurnBoard,
} from './model-endpoint.ts'

const QUESTION: MessageParam = { role: 'user', content: 'go' }

/** A turn with one call, as a host would write it: what the second request says of the result. */
async function takeTurn({ tools: board }: TurnBoard, name: string, input: object = {}) {
  await using model = await openModel(anthropicCall(name, input), anthropicText('well'))
  const client = new Anthropic({ apiKey: 'k', baseURL: model.origin, maxRetries: 0 })
  const settings = { model: 'scripted', max_tokens: 100, tools: toAnthropicTools(board) }
  const first = await client.messages.create({ ...settings, messages: [QUESTION] })
  const block = first.content.find((one): one is ToolUseBlock => one.type === 'tool_use')!
  const result = await runAnthropicToolUse(board, block)
  const messages: MessageParam[] = [
    QUESTION,
    { role: 'assistant', content: first.content },
    { role: 'user', content: [result] },
  ]
  const second = await client.messages.create({ ...settings, messages })
  expect(second.content).toMatchObject([{ type: 'text', text: 'well' }])
  const [sent, answered] = model.requests
  const last = (answered!.body['messages'] as MessageParam[]).at(-1)!
  return { sent: sent!.body, result: (last.content as ToolResultBlockParam[])[0]! }
}

describe('a turn', () => {
  it('sends the definitions, calls the tool, and gives the result back', async () => {
    await using test = await openOutcomes()
    const { sent, result } = await takeTurn(test, 'mcp__x__strict', { title: 'a' })
    const tools = sent['tools'] as { name: string }[]
    expect(tools.map(({ name }) => name)).toEqual(test.board.tools().map(({ name }) => name))
    expect(tools.find(({ name }) => name === 'mcp__x__busy')).toEqual({
      name: 'mcp__x__busy',
      description: 'busy.',
      input_schema: { type: 'object', properties: { ms: { type: 'integer' } } },
    })
    expect(result).toEqual({ type: 'tool_result', tool_use_id: 'toolu_1', content: '{"title":"a"}' })
  })

  it('gives images to the model, and names what it cannot take', async () => {
    await using test = await openOutcomes()
    const { result } = await takeTurn(test, 'mcp__x__mixed')
    expect(result.content).toEqual([
      { type: 'text', text: expect.stringMatching(/audio\/wav[^]*last$/) },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    ])
  })

  it.each([
    ['mcp__x__fails', {}, 'Error: it went wrong'],
    ['mcp__x__refuses', {}, 'MCP error: '],
    ['mcp__x__nothing', {}, 'no tool is named'],
    ['mcp__x__strict', {}, 'title'],
    ['mcp__x__strict', [], 'the arguments are no JSON object'],
  ])('tells the model what went wrong: %s', async (name, input, text) => {
    await using test = await openOutcomes()
    const { result } = await takeTurn(test, name, input)
    expect(result).toMatchObject({ is_error: true, content: expect.stringContaining(text) })
  })
})

it('an aborted call ends, and its server is told', async () => {
  await using test = await openOutcomes()
  const controller = new AbortController()
  const block = { id: 'toolu_1', name: 'mcp__x__hangs', input: {} }
  const work = runAnthropicToolUse(test.tools, block, { signal: controller.signal })
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
    const { sent, result } = await takeTurn(notes, name, args)
    expect((sent['tools'] as { name: string }[]).map((tool) => tool.name)).toEqual(NOTES_TOOLS)
    expect(result.content).toContain(expected)
  },
)

it('a tool that the API would refuse is left out, with the reason', () => {
  const left: [string, string][] = []
  const [good, bad] = [toTool('good', 'a'), toTool('bad', 'not a name')]
  const board = {
    tools: () => [good, bad],
    builtinTools: () => [],
    call: () => Promise.reject(new Error('not called')),
  }
  const tools = toAnthropicTools(board, { onLeftOut: ({ name }, reason) => left.push([name, reason]) })
  expect(tools.map(({ name }) => name)).toEqual(['good'])
  expect(left).toEqual([['bad', expect.stringContaining('`not a name`')]])
})

function toTool(name: string, argument: string) {
  const inputSchema = { type: 'object', properties: { [argument]: { type: 'string' } } } as const
  const definition = { name, inputSchema }
  return { name, server: 'x', tool: name, inputSchema, label: 'mcp:x', isDeferred: false, definition }
}
