/**
 * caps: of what the gateway keeps for a client that does not come back for it, it keeps so much; and a yes is for the
 * call that it was given for.
 */
import { describe, expect, it } from 'vitest'
import { grantOf } from '../../../src/hosts/gateway/principal.ts'
import { MAX_KEPT } from '../../../src/hosts/gateway/kept-states.ts'
import { MAX_STREAMS } from '../../../src/hosts/gateway/events.ts'
import { MAX_URIS } from '../../../src/hosts/gateway/subscriber.ts'
import { MODERN_VERSION } from '../../../src/model/session.ts'
import { serverEntry } from '../../boards/open.ts'
import { startProgram } from '../../servers/http/program.ts'
import { startSigningIssuer } from '../../servers/signing-issuer.ts'
import { openTestGateway, protocolOf, sdkEntry, TOKEN, type TestGateway } from './open.ts'

interface Unfinished {
  readonly requestState: string
  readonly inputRequests: Readonly<Record<string, { readonly params: unknown }>>
}

interface Answer {
  readonly result: Unfinished
  readonly error?: object
}

function post(
  gateway: TestGateway,
  { path, method, params, token = TOKEN }: { path: string; method: string; params: object; token?: string },
): Promise<Response> {
  const { name } = params as { readonly name?: string }
  return fetch(gateway.url(path), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN_VERSION,
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
          'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        },
      },
    }),
  })
}

async function call(gateway: TestGateway, path: string, params: object, token?: string): Promise<Answer> {
  const asked = { path, method: 'tools/call', params, ...(token === undefined ? {} : { token }) }
  return (await post(gateway, asked)).json() as Promise<Answer>
}

const answerTo = ({ requestState, inputRequests }: Unfinished, content: object): object => ({
  requestState,
  inputResponses: Object.fromEntries(
    Object.keys(inputRequests).map((key) => [key, { action: 'accept', content }]),
  ),
})

describe('a yes for one call', () => {
  it('is good for no other server', async () => {
    const servers = { a: sdkEntry('modern'), b: sdkEntry('modern') }
    await using gateway = await openTestGateway(servers, { rules: [] })
    const params = { name: 'ask', arguments: { only: ['elicitation'] } }
    const mine = async (): Promise<Unfinished> => (await call(gateway, '/mcp/a', params)).result
    const elsewhere = { error: { code: -32602, message: 'this `requestState` belongs to another request' } }
    const asked = answerTo(await mine(), { decision: 'once' })
    expect(await call(gateway, '/mcp/b', { ...params, ...asked })).toMatchObject(elsewhere)
    const permitted = await call(gateway, '/mcp/a', {
      ...params,
      ...answerTo(await mine(), { decision: 'once' }),
    })
    const more = answerTo(permitted.result, { name: 'Ada' })
    expect(await call(gateway, '/mcp/b', { ...params, ...more })).toMatchObject(elsewhere)
  })
})

describe('somebody whose gateway it is not', () => {
  it('is offered a yes for this once, and what it answers beyond is a no', async () => {
    await using issuer = await startSigningIssuer()
    const wish = { issuer: issuer.issuer, audiences: [], scopes: undefined, publicUrl: undefined }
    await using gateway = await openTestGateway(
      { x: sdkEntry('modern') },
      { rules: [], http: { issuer: wish } },
    )
    const token = await issuer.sign({ aud: gateway.url().href })
    const params = { name: 'echo', arguments: { text: 'well' } }
    const answered = async (decision: string): Promise<unknown> => {
      const { result } = await call(gateway, '/mcp/x', params, token)
      expect(JSON.stringify(result.inputRequests)).not.toMatch(/"(always|session)"/)
      return (await call(gateway, '/mcp/x', { ...params, ...answerTo(result, { decision }) }, token)).result
    }
    for (const decision of ['always', 'session'])
      expect(await answered(decision), decision).toMatchObject({ isError: true })
    expect(await answered('once')).toMatchObject({ content: [{ text: 'well' }] })
  })

  it('leaves no pin behind, and nobody waits for its answer', async () => {
    await using issuer = await startSigningIssuer()
    const wish = { issuer: issuer.issuer, audiences: [], scopes: undefined, publicUrl: undefined }
    await using gateway = await openTestGateway(
      { x: sdkEntry('modern') },
      { rules: [], http: { issuer: wish } },
    )
    const tokens = await Promise.all(
      ['ada', 'bob'].map((sub) => issuer.sign({ aud: gateway.url().href, sub })),
    )
    const pins = async (): Promise<number> =>
      (await gateway.serving.board.permissions()).current().pins.length
    // One call that the server finishes at once, and one in which it asks as well.
    for (const [name, args] of [
      ['echo', { text: 'well' }],
      ['ask', { only: ['elicitation'] }],
    ] as const) {
      const params = { name, arguments: args }
      const open = await Promise.all(tokens.map((token) => call(gateway, '/mcp/x', params, token)))
      for (const [i, { result }] of open.entries()) {
        const answered = { ...params, ...answerTo(result, { decision: 'once' }) }
        const next = await call(gateway, '/mcp/x', answered, tokens[i]!)
        const { inputRequests } = next.result
        const last =
          inputRequests === undefined
            ? next
            : await call(
                gateway,
                '/mcp/x',
                { ...params, ...answerTo(next.result, { name: 'Ada' }) },
                tokens[i]!,
              )
        expect(last).toMatchObject({ result: { content: [{ type: 'text' }] } })
        expect(last).not.toMatchObject({ result: { isError: true } })
      }
      expect(await pins(), name).toBe(0)
    }
    // What the user says is kept.
    await gateway.serving.board.call({ server: 'x', tool: 'echo' }, { text: 'well' }, { who: 'person' })
    expect(await pins()).toBe(1)
  })

  it('has lists that are for nobody else', async () => {
    await using server = await startProgram('reference')
    await using issuer = await startSigningIssuer()
    const wish = { issuer: issuer.issuer, audiences: [], scopes: undefined, publicUrl: undefined }
    const entry = { type: 'http', url: `${server.origin}/mcp`, protocol: protocolOf('modern') }
    await using gateway = await openTestGateway({ x: entry }, { http: { issuer: wish } })
    const token = await issuer.sign({ aud: gateway.url().href })
    const asked = { path: '/mcp/x', method: 'tools/list', params: {}, token }
    expect(await (await post(gateway, asked)).json()).toMatchObject({
      result: { ttlMs: 60_000, cacheScope: 'private' },
    })
  })
})

describe('of what a client leaves open', () => {
  it('the oldest question is given up', async () => {
    await using gateway = await openTestGateway({ x: sdkEntry('modern') }, { rules: [] })
    const params = { name: 'ask', arguments: { only: ['elicitation'] } }
    const round = (unfinished: Unfinished, content: object): Promise<Answer> =>
      call(gateway, '/mcp/x', { ...params, ...answerTo(unfinished, content) })
    const open: Unfinished[] = []
    for (let i = 0; i <= MAX_KEPT; i++) {
      const { result } = await call(gateway, '/mcp/x', params)
      // Permitted, and now the server asks.
      open.push((await round(result, { decision: 'once' })).result)
    }
    expect(await round(open[0]!, { name: 'Ada' })).toMatchObject({ error: { code: -32602 } })
    expect(await round(open.at(-1)!, { name: 'Ada' })).not.toHaveProperty('error')
  }, 60_000)

  it('the oldest stream is ended', async () => {
    await using gateway = await openTestGateway({})
    const params = { notifications: { toolsListChanged: true } }
    const listen = (): Promise<Response> =>
      post(gateway, { path: '/mcp', method: 'subscriptions/listen', params })
    const first = await listen()
    const others: Response[] = []
    for (let i = 0; i < MAX_STREAMS; i++) others.push(await listen())
    expect(await first.text()).toContain('"resultType":"complete"')
    await Promise.all(others.map((one) => one.body?.cancel()))
  }, 60_000)

  it('resources are heard of up to a number', async () => {
    await using gateway = await openTestGateway({ x: serverEntry('rich', '--modern') })
    const uris = Array.from({ length: MAX_URIS + 5 }, (_, i) => `rich://dish/${i}`)
    const params = { notifications: { resourceSubscriptions: uris } }
    const response = await post(gateway, { path: '/mcp/x', method: 'subscriptions/listen', params })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('\n\n')) text += (await reader.read()).value ?? ''
    await reader.cancel()
    expect(text.match(/rich:\/\/dish/g)).toHaveLength(MAX_URIS)
  }, 60_000)
})

it('a name with a space in it is not two names', () => {
  expect(grantOf(['a b']).key).not.toBe(grantOf(['a', 'b']).key)
})
