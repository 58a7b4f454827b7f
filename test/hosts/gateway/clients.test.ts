/**
 * clients: the official SDK's client, of either era, over HTTP and stdio, in front of a server of either era.
 */
import { describe, expect, it } from 'vitest'
import type { Era } from '../../../src/model/session.ts'
import { createObserved } from '../../worlds/observed.ts'
import {
  ANSWERS,
  connectClient,
  httpTransport,
  openTestGateway,
  sdkEntry,
  stdioTransport,
  writeSettings,
  type TestClient,
} from './open.ts'

type Way = 'http' | 'stdio' | 'own'

/** `own`: over HTTP, at the endpoint of the one server, under its own names. */
async function open(way: Way, era: Era, behind: Era): Promise<TestClient & { readonly prefix: string }> {
  const servers = { x: sdkEntry(behind) }
  if (way === 'stdio') {
    const scratch = createObserved()
    writeSettings(scratch.home, { servers })
    const one = await connectClient(stdioTransport(scratch), { era })
    const close = async (): Promise<void> => {
      await one[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    }
    return { ...one, prefix: 'mcp__x__', [Symbol.asyncDispose]: close }
  }
  const gateway = await openTestGateway(servers)
  const path = way === 'own' ? '/mcp/x' : '/mcp'
  const one = await connectClient(httpTransport(gateway.url(path)), { era })
  const close = async (): Promise<void> => {
    await one[Symbol.asyncDispose]()
    await gateway[Symbol.asyncDispose]()
  }
  return { ...one, prefix: way === 'own' ? '' : 'mcp__x__', [Symbol.asyncDispose]: close }
}

const WAYS: readonly (readonly [Way, Era, Era])[] = (['http', 'stdio', 'own'] as const).flatMap((way) =>
  (['legacy', 'modern'] as const).flatMap((era) =>
    (['legacy', 'modern'] as const).map((behind) => [way, era, behind] as const),
  ),
)

const textOf = (result: unknown): string =>
  (result as { readonly content: { readonly text: string }[] }).content[0]!.text

/** The server may not be there yet when its client is; that it is, is a change of the tools. */
async function untilTools(
  { client, told, untilTold }: TestClient,
  prefix: string,
): Promise<readonly { readonly name: string }[]> {
  if (client.getProtocolEra() === 'modern') await client.listen({ toolsListChanged: true })
  for (;;) {
    told.length = 0
    const { tools } = await client.listTools()
    if (tools.some(({ name }) => name === `${prefix}echo`)) return tools
    await untilTold('notifications/tools/list_changed')
  }
}

describe.each(WAYS)('over %s, a %s client before a %s server', (way, era, behind) => {
  it('has its tools, resources, prompts and completions, and hears what it is told', async () => {
    await using test = await open(way, era, behind)
    const { client, prefix } = test
    expect(client.getProtocolEra()).toBe(era)
    const tools = await untilTools(test, prefix)
    const weather = tools.find(({ name }) => name === `${prefix}weather`)
    expect(weather).toMatchObject({
      title: 'Weather',
      outputSchema: { type: 'object' },
      _meta: { 'example.test/unit': 'celsius' },
    })
    const call = (name: string, args: object = {}, options: object = {}): Promise<unknown> =>
      client.callTool({ name: prefix + name, arguments: args as Record<string, unknown> }, options)

    expect(await call('weather')).toMatchObject({
      content: [{ type: 'text', text: '{"degrees":21.5}' }],
      structuredContent: { degrees: 21.5 },
      _meta: { cached: false },
    })
    expect(await call('fail')).toMatchObject({ isError: true, content: [{ text: 'it went wrong' }] })
    await expect(call('refuse')).rejects.toMatchObject({ code: -31999, data: { why: ['a', 1], when: null } })

    const steps: number[] = []
    const onprogress = ({ progress }: { progress: number }): void => void steps.push(progress)
    await call('work', { steps: 4, ms: 20 }, { onprogress })
    expect(steps.slice(0, 3)).toEqual([1, 2, 3])

    const { resources } = await client.listResources()
    expect(resources[0]).toMatchObject({ uri: 'test://menu', size: 4 })
    expect((await client.readResource({ uri: 'test://menu' })).contents).toHaveLength(2)
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'test://dish/{name}' },
    ])
    await expect(client.readResource({ uri: 'test://none' })).rejects.toMatchObject({ code: -32602 })
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual([`${prefix}greet`])
    const ref = { type: 'ref/prompt', name: `${prefix}greet` } as const
    expect(await client.getPrompt({ name: ref.name, arguments: { who: 'Ada' } })).toMatchObject({
      messages: [{ content: { text: 'Greet Ada.' } }],
    })
    expect(await client.complete({ ref, argument: { name: 'who', value: 'A' } })).toMatchObject({
      completion: { values: ['Ada', 'Alan'] },
    })
    if (way === 'own') expect(client.getInstructions()).toBe('Ask politely.')

    // That the server itself is there was a change, too.
    test.told.length = 0
    await call('grow')
    await test.untilTold('notifications/tools/list_changed')
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain(`${prefix}grown_1`)
  })

  it('answers what the server asks', async () => {
    await using test = await open(way, era, behind)
    const { client, prefix } = test
    await untilTools(test, prefix)
    const [answers] = JSON.parse(textOf(await client.callTool({ name: `${prefix}ask`, arguments: {} })))
    expect(answers).toMatchObject({
      elicitation: { action: 'accept', content: { name: 'Ada' } },
      sampling: { content: ANSWERS.sample.content },
      roots: { roots: ANSWERS.roots },
    })
    expect(test.asked.map(({ method }) => method).sort()).toEqual([
      'elicitation/create',
      'roots/list',
      'sampling/createMessage',
    ])
  })

  it('gives up a call, and the next one works', async () => {
    await using test = await open(way, era, behind)
    const { client, prefix } = test
    await untilTools(test, prefix)
    const controller = new AbortController()
    const call = client.callTool(
      { name: `${prefix}work`, arguments: { steps: 1000, ms: 20 } },
      { signal: controller.signal, onprogress: () => controller.abort() },
    )
    await expect(call).rejects.toThrow()
    expect(textOf(await client.callTool({ name: `${prefix}echo`, arguments: { text: 'well' } }))).toBe('well')
  })
})
