/**
 * budgets: results that are too long for a model, as clients of the gateway get them.
 */
import { readFileSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LEGACY_VERSIONS, type Era } from '../../../src/model/session.ts'
import { serverEntry } from '../../boards/open.ts'
import { startSigningIssuer } from '../../servers/signing-issuer.ts'
import { connectClient, httpTransport, openTestGateway, TOKEN, type TestGateway } from './open.ts'
import { connectRaw, overHttp, type RawAnswer, type RawClient } from './raw-client.ts'

const ERAS: readonly Era[] = ['legacy', 'modern']
const SERVERS = { x: serverEntry('large', '--count', '1') }

type Block = Readonly<Record<string, unknown>> & { readonly type: string; readonly text?: string }

interface Called {
  readonly content: readonly Block[]
  readonly structuredContent: { readonly said: string }
  readonly _meta: unknown
}

const connect = (gateway: TestGateway, era: Era, path: string, token = TOKEN): Promise<RawClient> =>
  connectRaw(era, overHttp(gateway.url(path), token))

const nameAt = (path: string): string => (path === '/mcp' ? 'mcp__x__long' : 'long')

async function call(client: RawClient, path: string, args: object = {}): Promise<Called> {
  // A server that was never seen may be on its way; a call waits for it.
  const { result } = await client.request('tools/call', { name: nameAt(path), arguments: args })
  return result as unknown as Called
}

const read = (client: RawClient, uri: string): Promise<RawAnswer> => client.request('resources/read', { uri })

async function readText(client: RawClient, uri: string): Promise<string> {
  const { result, error } = await read(client, uri)
  expect(error).toBeUndefined()
  const { contents } = result as unknown as { readonly contents: readonly { readonly text: string }[] }
  expect(contents).toMatchObject([{ uri, mimeType: 'text/plain' }])
  return contents[0]!.text
}

const previewOf = ({ content }: Called): string => content.find(({ type }) => type === 'text')!.text!
const uriIn = (text: string): string => /plugboard:\/\/results\/[\w-]+/.exec(text)![0]

describe.each(ERAS)('for a %s client, a result over the budget', (era) => {
  it.each(['/mcp', '/mcp/x'])('is a preview, with where the whole is: %s', async (path) => {
    await using gateway = await openTestGateway(SERVERS)
    await using client = await connect(gateway, era, path)
    const result = await call(client, path)
    const { content, structuredContent, _meta } = result
    const preview = previewOf(result)
    const uri = uriIn(preview)
    expect(content).toEqual([
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'text', text: preview },
      { type: 'resource_link', uri: 'large://1', name: 'one' },
      { type: 'resource', resource: { uri: 'large://3', mimeType: 'image/png', blob: 'iVBORw0KGgo=' } },
      { type: 'hologram', beam: { angle: 1 } },
      {
        type: 'resource_link',
        uri,
        name: 'result',
        title: 'The whole result',
        mimeType: 'text/plain',
        size: expect.any(Number) as number,
      },
    ])
    // Clients hold it against the schema of the tool.
    expect(structuredContent.said).toHaveLength(100_000)
    expect(_meta).toEqual({ 'example.test/mark': 1 })
    expect(preview.length).toBeLessThan(9000)
    const file = /all of it is in (\S+),/.exec(preview)![1]!
    const whole = readFileSync(file, 'utf8')
    expect(whole.match(/soup /g)).toHaveLength(40_000)
    expect(content.at(-1)!['size']).toBe(Buffer.byteLength(whole))
    expect(await readText(client, uri)).toBe(whole)
    const count = Number(/\?part=(\d+)\)/.exec(preview)![1])
    const parts = await Promise.all(
      Array.from({ length: count }, (_, i) => readText(client, `${uri}?part=${i + 1}`)),
    )
    expect(parts.join('')).toBe(whole)
    for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(100_000)
    const code = era === 'legacy' ? -32002 : -32602
    for (const wrong of [`${uri}?part=${count + 1}`, `${uri}?part=0`, `${uri}x`])
      expect(await read(client, wrong), wrong).toMatchObject({ error: { code } })
    rmSync(file)
    expect(await read(client, uri)).toMatchObject({ error: { code } })
  })

  it('is accepted by a client that checks what the tool has a schema for', async () => {
    await using gateway = await openTestGateway(SERVERS)
    await using test = await connectClient(httpTransport(gateway.url('/mcp/x')), { era })
    await test.client.listTools()
    const { structuredContent } = await test.client.callTool({ name: 'long', arguments: { odd: false } })
    expect(structuredContent).toMatchObject({ said: expect.stringContaining('soup') as string })
  })

  it('is what the settings say: more, less, or no limit', async () => {
    for (const [maxResultTokens, characters, isCut] of [
      [0, 400_000, false],
      [100_000, 300_000, false],
      [1000, 3000, false],
      [1000, 5000, true],
    ] as const) {
      await using gateway = await openTestGateway(SERVERS, { gateway: { maxResultTokens } })
      await using client = await connect(gateway, era, '/mcp/x')
      const result = await call(client, '/mcp/x', { characters })
      expect(previewOf(result).includes('plugboard://results/'), String(maxResultTokens)).toBe(isCut)
    }
  })

  it('is cut between characters, whatever they are', async () => {
    await using gateway = await openTestGateway(SERVERS, { gateway: { maxResultTokens: 500 } })
    await using client = await connect(gateway, era, '/mcp/x')
    const preview = previewOf(await call(client, '/mcp/x', { characters: 4000, word: 'a漢😀' }))
    expect(preview).not.toMatch(/\p{Surrogate}/u)
    const uri = uriIn(preview)
    const whole = await readText(client, uri)
    const count = Number(/\?part=(\d+)\)/.exec(preview)![1])
    let joined = ''
    for (let part = 1; part <= count; part++) {
      const text = await readText(client, `${uri}?part=${part}`)
      expect(text).not.toMatch(/\p{Surrogate}/u)
      joined += text
    }
    expect(joined).toBe(whole)
  })
})

describe.each(ERAS)('for a %s client, a result that fits', (era) => {
  it('is as the server sent it', async () => {
    await using gateway = await openTestGateway(SERVERS)
    await using client = await connect(gateway, era, '/mcp/x')
    const args = { characters: 99_000 }
    const { result } = await gateway.serving.board.call({ server: 'x', tool: 'long' }, args)
    expect(await call(client, '/mcp/x', args)).toEqual(
      era === 'legacy' ? result : { resultType: 'complete', ...result },
    )
  })
})

describe('a result over the budget', () => {
  it.each(LEGACY_VERSIONS)('has a link only for a client that knows one: %s', async (version) => {
    await using gateway = await openTestGateway(SERVERS)
    const post = async (message: object, session: Record<string, string> = {}): Promise<Response> =>
      fetch(gateway.url('/mcp/x'), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${TOKEN}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...session,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
      })
    const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'old', version: '1' } }
    const greeted = await post({ method: 'initialize', params })
    const session = { 'mcp-session-id': greeted.headers.get('mcp-session-id')! }
    const answer = await post({ method: 'tools/call', params: { name: 'long', arguments: {} } }, session)
    const { result } = (await answer.json()) as { readonly result: Called }
    const links = result.content.filter(({ type }) => type === 'resource_link')
    expect(links).toHaveLength(version >= '2025-06-18' ? 2 : 1)
    expect(previewOf(result)).toContain('plugboard://results/')
  })

  it('is for whoever made the call, and tells strangers nothing of this machine', async () => {
    await using issuer = await startSigningIssuer()
    const wish = { issuer: issuer.issuer, audiences: [], scopes: undefined, publicUrl: undefined }
    await using gateway = await openTestGateway(SERVERS, { http: { issuer: wish } })
    const clientOf = async (sub: string): Promise<RawClient> =>
      connect(gateway, 'modern', '/mcp', await issuer.sign({ aud: gateway.url().href, sub }))
    await using ada = await clientOf('ada')
    await using bob = await clientOf('bob')
    const result = await call(ada, '/mcp')
    const preview = previewOf(result)
    expect(JSON.stringify(result)).not.toContain(gateway.scratch.home)
    const uri = uriIn(preview)
    expect((await readText(ada, uri)).length).toBeGreaterThan(200_000)
    for (const wanted of [uri, `${uri}?part=1`])
      expect(await read(bob, wanted)).toMatchObject({
        error: { code: -32602, message: 'Resource not found' },
      })
  })

  it('is whole for a command of the user, which comes by the same board', async () => {
    await using gateway = await openTestGateway(SERVERS)
    const { text } = await gateway.serving.board.call({ server: 'x', tool: 'long' })
    expect(text.match(/soup /g)).toHaveLength(40_000)
  })
})
