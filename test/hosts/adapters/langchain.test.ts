/**
 * langchain: with the real `@langchain/core` and `@langchain/openai`, and a scripted endpoint.
 */
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { describe, expect, it } from 'vitest'
import { toLangChainTools, type LangChainOptions } from '../../../src/hosts/adapters/langchain.ts'
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
  type TurnBoard,
} from './model-endpoint.ts'

/** A turn with one call, as a host would write it. */
async function takeTurn(test: TurnBoard, name: string, options: LangChainOptions & { args?: object } = {}) {
  await using endpoint = await openModel(chatCall(name, options.args), chatText('well'))
  const tools = await toLangChainTools(test.tools, options)
  const configuration = { baseURL: `${endpoint.origin}/v1` }
  const model = new ChatOpenAI({ model: 'scripted', apiKey: 'k', maxRetries: 0, configuration }).bindTools(
    tools,
  )
  const question = new HumanMessage('go')
  const asked = await model.invoke([question])
  const [toolCall] = asked.tool_calls!
  const message: unknown = await tools
    .find((tool) => tool.name === toolCall!.name)!
    .invoke({ ...toolCall!, type: 'tool_call' })
  if (!(message instanceof ToolMessage)) throw new Error('no message')
  const last = await model.invoke([question, asked, message])
  expect(last.content).toBe('well')
  const [sent, answered] = endpoint.requests
  const messages = answered!.body['messages'] as object[]
  return { sent: sent!.body, message, result: messages.at(-1) }
}

describe('a turn', () => {
  it.each(NOTES_CALLS)('has the built-in tools that a fork may use: %s %j', async (name, args, expected) => {
    await using notes = await openNotes()
    const { sent, message } = await takeTurn(notes, name, { args })
    const tools = sent['tools'] as { function: { name: string } }[]
    expect(tools.map((tool) => tool.function.name)).toEqual(NOTES_TOOLS)
    expect(message.content).toContain(expected)
  })

  it('sends the definitions, calls the tool, and gives the result back', async () => {
    await using test = await openOutcomes()
    const { sent, message, result } = await takeTurn(test, 'mcp__x__strict', { args: { title: 'a' } })
    expect(sent['tools']).toHaveLength(test.board.tools().length)
    expect(sent['tools']).toContainEqual({
      type: 'function',
      function: {
        name: 'mcp__x__busy',
        description: 'busy.',
        parameters: { type: 'object', properties: { ms: { type: 'integer' } } },
      },
    })
    expect(message).toMatchObject({ status: 'success', tool_call_id: 'call_1', name: 'mcp__x__strict' })
    expect(result).toMatchObject({ role: 'tool', tool_call_id: 'call_1', content: '{"title":"a"}' })
  })

  it('keeps images beside the message, and names them in it', async () => {
    await using test = await openOutcomes()
    const { message, result } = await takeTurn(test, 'mcp__x__mixed')
    expect(message.artifact).toEqual({
      media: [
        { kind: 'image', mimeType: 'image/png', data: PNG },
        { kind: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' },
      ],
      structuredContent: { n: 1 },
    })
    expect(result).toMatchObject({ content: expect.stringContaining('image/png') })
  })

  it('gives images to a model that takes them there', async () => {
    await using test = await openOutcomes()
    const { result } = await takeTurn(test, 'mcp__x__mixed', { images: 'send' })
    expect(result).toMatchObject({
      content: [
        { type: 'text', text: expect.stringContaining('last') },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      ],
    })
  })

  it.each([
    ['mcp__x__fails', 'Error: it went wrong'],
    ['mcp__x__refuses', 'MCP error: '],
  ])('tells the model what went wrong: %s', async (name, text) => {
    await using test = await openOutcomes()
    const { message, result } = await takeTurn(test, name)
    expect(message.status).toBe('error')
    expect(result).toMatchObject({ content: expect.stringContaining(text) })
  })
})

it('called by its host, a tool gives the content alone', async () => {
  await using test = await openOutcomes()
  const tools = await toLangChainTools(test.tools)
  const echo = tools.find(({ name }) => name === 'mcp__x__strict')!
  expect(await echo.invoke({ title: 'a' })).toBe('{"title":"a"}')
})

it('an aborted call ends, and its server is told', async () => {
  await using test = await openOutcomes()
  const tools = await toLangChainTools(test.tools)
  const controller = new AbortController()
  const hangs = tools.find(({ name }) => name === 'mcp__x__hangs')!
  const ended = expect(hangs.invoke({}, { signal: controller.signal })).rejects.toThrow(ToolAbortError)
  await test.untilCalled()
  controller.abort()
  await ended
  expect(await test.countCancelled()).toBe(1)
})
