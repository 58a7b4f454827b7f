/**
 * telling: what clients are told without asking: changed resources, logs, instructions; and what goes on to servers with
 * a request beside what it is about.
 */
import { describe, expect, it } from 'vitest'
import { MODERN_VERSION, type Era } from '../../../src/model/session.ts'
import { serverEntry } from '../../boards/open.ts'
import { sendResult, serve } from '../../servers/http/loopback.ts'
import { startProgram } from '../../servers/http/program.ts'
import { connectClient, httpTransport, openTestGateway, protocolOf, sdkEntry, TOKEN } from './open.ts'
import { connectRaw, overHttp } from './raw-client.ts'

const ERAS = ['legacy', 'modern'] as const
const PAIRS = ERAS.flatMap((era) => ERAS.map((behind) => [era, behind] as const))

describe.each(PAIRS)('a %s client before a %s server', (era, behind) => {
  it('hears of the resources that it asked for, and of no other', async () => {
    const entry = serverEntry('tells-changes', ...(behind === 'modern' ? ['--modern'] : []))
    await using gateway = await openTestGateway({ x: { ...entry, protocol: protocolOf(behind) } })
    await using test = await connectClient(httpTransport(gateway.url('/mcp/x')), { era })
    await using other = await connectClient(httpTransport(gateway.url('/mcp/x')), { era })
    const { client } = test
    if (era === 'modern') {
      const listening = await client.listen({ resourceSubscriptions: ['note://one', 'note://secret'] })
      expect(listening.honoredFilter).toEqual({ resourceSubscriptions: ['note://one'] })
    } else {
      await client.subscribeResource({ uri: 'note://one' })
      // The old era has an error for it, the new one leaves it out of what it agrees to.
      const code = behind === 'legacy' ? -32602 : -32603
      await expect(client.subscribeResource({ uri: 'note://secret' })).rejects.toMatchObject({ code })
    }
    for (const uri of ['note://two', 'note://one'])
      await client.callTool({ name: 'touch', arguments: { uri } })
    await test.untilTold('notifications/resources/updated')
    const updates = test.told.filter(({ method }) => method === 'notifications/resources/updated')
    expect(updates).toMatchObject([{ params: { uri: 'note://one' } }])
    expect(other.told.filter(({ method }) => method === 'notifications/resources/updated')).toEqual([])
  })

  it('hears the logs that it wants, of its own calls', async () => {
    await using server = await startProgram('sdk')
    const entry = { type: 'http', url: `${server.origin}/mcp`, protocol: protocolOf(behind) }
    await using gateway = await openTestGateway({ x: entry })
    await using test = await connectClient(httpTransport(gateway.url('/mcp/x')), { era })
    const { client } = test
    if (era === 'legacy') await client.setLoggingLevel('warning')
    const meta = era === 'legacy' ? {} : { _meta: { 'io.modelcontextprotocol/logLevel': 'warning' } }
    await client.callTool({ name: 'log', arguments: {}, ...meta })
    expect(test.told.filter(({ method }) => method === 'notifications/message')).toMatchObject([
      { params: { level: 'warning', data: 'too hot', logger: 'kitchen' } },
    ])
  })
})

describe.each(PAIRS)('a %s client before a %s server that wants a page opened first', (era, behind) => {
  it('gets its error whole, and hears when somebody was there', async () => {
    const entry = serverEntry('needs-page', ...(behind === 'modern' ? ['--modern'] : []))
    await using gateway = await openTestGateway({ x: { ...entry, protocol: protocolOf(behind) } })
    await using client = await connectRaw(era, overHttp(gateway.url('/mcp/x'), TOKEN))
    const call = (name: string): Promise<unknown> => client.request('tools/call', { name, arguments: {} })
    const page = {
      mode: 'url',
      url: 'https://pay.example.test/start?order=7',
      message: 'Please pay first.',
      elicitationId: 'order-7',
    }
    const error = { code: -32042, message: 'URL elicitation required', data: { elicitations: [page] } }
    expect(await call('pay')).toEqual({ error })
    await call('visit')
    if (era === 'legacy') {
      await client.untilTold('notifications/elicitation/complete')
      const told = client.told.find(({ method }) => method === 'notifications/elicitation/complete')
      expect(told?.params).toEqual({ elicitationId: 'order-7' })
    }
    expect(await call('pay')).toMatchObject({ result: { content: [{ text: 'paid, asked 2 times' }] } })
  })
})

describe.each(ERAS)('a %s client that opens no pages', (era) => {
  it('is told in words which one to open', async () => {
    await using gateway = await openTestGateway({ x: serverEntry('needs-page') })
    await using test = await connectClient(httpTransport(gateway.url('/mcp/x')), { era })
    const result = await test.client.callTool({ name: 'pay', arguments: {} })
    expect(result).toMatchObject({ isError: true })
    expect(JSON.stringify(result)).toContain('page: https://pay.example.test/start?order=7')
  })
})

describe.each(ERAS)('a %s client of which a server takes its question back', (era) => {
  it('hears of it, and the call goes on without an answer', async () => {
    await using gateway = await openTestGateway({ x: { ...serverEntry('rich'), protocol: 'legacy' } })
    await using client = await connectRaw(era, overHttp(gateway.url('/mcp/x'), TOKEN))
    const answer = await client.request('tools/call', { name: 'take-back', arguments: {} })
    expect(answer).toMatchObject({ result: { content: [{ text: 'no answer' }] } })
    if (era === 'modern') return
    const cancelled = client.told.find(({ method }) => method === 'notifications/cancelled')
    expect(cancelled?.params).toEqual({ requestId: expect.stringMatching(/^plugboard-/) as string })
  })
})

describe.each(ERAS)('for a %s client, an argument that a modern server wants in a header', (era) => {
  it('is there', async () => {
    const META = 'io.modelcontextprotocol/'
    const region = { type: 'string', 'x-mcp-header': 'Region' }
    const tool = { name: 'where', inputSchema: { type: 'object', properties: { region } } }
    const answers: Readonly<Record<string, object>> = {
      'server/discover': {
        supportedVersions: [MODERN_VERSION],
        capabilities: { tools: {} },
        _meta: { [`${META}serverInfo`]: { name: 'far', version: '1' } },
      },
      'tools/list': { tools: [tool] },
      'tools/call': { content: [] },
    }
    await using far = await serve((request) =>
      sendResult(request, { resultType: 'complete', ...answers[request.message.method] }),
    )
    await using gateway = await openTestGateway({
      x: { type: 'http', url: far.url, protocol: MODERN_VERSION },
    })
    await using client = await connectRaw(era, overHttp(gateway.url('/mcp/x'), TOKEN))
    const headers = era === 'modern' ? { 'mcp-param-region': 'eu' } : {}
    const call = { name: 'where', arguments: { region: 'eu' } }
    expect(await client.request('tools/call', call, { headers })).not.toHaveProperty('error')
    const { headers: sent } = await far.until('tools/call')
    expect(sent).toMatchObject({ 'mcp-param-region': 'eu', 'mcp-name': 'where', 'mcp-method': 'tools/call' })
  })
})

describe('the aggregate', () => {
  it('joins the instructions of all servers, and leads each resource to its own', async () => {
    await using gateway = await openTestGateway({
      notes: serverEntry('tells-changes'),
      x: sdkEntry('modern'),
    })
    // Both are there once each was asked for.
    for (const name of ['notes', 'x'])
      await (
        await connectClient(httpTransport(gateway.url(`/mcp/${name}`)), { era: 'modern' })
      )[Symbol.asyncDispose]()
    await using test = await connectClient(httpTransport(gateway.url()), { era: 'legacy' })
    expect(test.client.getInstructions()).toBe(
      '## notes\n\nRead a note before you change it.\n\n## x\n\nAsk politely.',
    )
    expect((await test.client.readResource({ uri: 'test://menu' })).contents).toHaveLength(2)
    const { resources } = await test.client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual([
      'note://one',
      'note://two',
      'note://secret',
      'test://menu',
      'plugboard://status',
    ])
  })
})

describe('a raw request', () => {
  const META = 'io.modelcontextprotocol/'

  async function post(
    url: URL,
    method: string,
    params: object,
    headers: object = {},
  ): Promise<Record<string, never>> {
    const meta = { [`${META}protocolVersion`]: MODERN_VERSION, [`${META}clientCapabilities`]: {} }
    const { _meta: given = {}, ...rest } = params as { readonly _meta?: object }
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': MODERN_VERSION,
        'mcp-method': method,
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 'a',
        method,
        params: { ...rest, _meta: { ...meta, ...given } },
      }),
    })
    return (await response.json()) as Record<string, never>
  }

  it('has its lists with the hints of the server, and its own id', async () => {
    await using server = await startProgram('reference')
    const era: Era = 'modern'
    const entry = { type: 'http', url: `${server.origin}/mcp`, protocol: protocolOf(era) }
    await using gateway = await openTestGateway({ x: entry })
    expect(await post(gateway.url('/mcp/x'), 'tools/list', {})).toMatchObject({
      id: 'a',
      result: { resultType: 'complete', ttlMs: 60_000, cacheScope: 'public' },
    })
    expect(await post(gateway.url('/mcp/x'), 'tools/list', { cursor: 'x' })).toMatchObject({
      error: { code: -32602 },
    })
  })

  it('says in its headers what it says in its arguments, where the tool wants that', async () => {
    await using server = await startProgram('reference')
    const entry = { type: 'http', url: `${server.origin}/mcp`, protocol: protocolOf('modern') }
    await using gateway = await openTestGateway({ x: entry })
    const call = (region: string | undefined): Promise<object> =>
      post(
        gateway.url('/mcp/x'),
        'tools/call',
        { name: 'test_region', arguments: { region: 'eu' } },
        { 'mcp-name': 'test_region', ...(region === undefined ? {} : { 'mcp-param-region': region }) },
      )
    expect(await call('eu')).toMatchObject({ result: { content: [{ text: 'in eu' }] } })
    expect(await call('=?base64?ZXU=?=')).toMatchObject({ result: { content: [{ text: 'in eu' }] } })
    for (const wrong of ['us', undefined])
      expect(await call(wrong)).toMatchObject({ error: { code: -32020 } })
  })

  it('cannot answer for another: a state that is not known is refused', async () => {
    await using gateway = await openTestGateway({ x: sdkEntry('legacy') })
    const answer = await post(
      gateway.url('/mcp/x'),
      'tools/call',
      { name: 'echo', arguments: { text: 'a' }, requestState: 'plugboard.guessed', inputResponses: {} },
      { 'mcp-name': 'echo' },
    )
    expect(answer).toMatchObject({ error: { code: -32602 } })
  })
})
