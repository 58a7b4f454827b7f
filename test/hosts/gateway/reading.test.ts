/**
 * reading: what the user's rules mean for resources, prompts, completions and subscriptions of clients of the gateway.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Era } from '../../../src/model/session.ts'
import { serverEntry } from '../../boards/open.ts'
import { connectClient, httpTransport, openTestGateway, sdkEntry, TOKEN, type TestGateway } from './open.ts'
import { connectRaw, overHttp, type RawClient } from './raw-client.ts'

/** On a busy machine. */
const SOON = { timeout: 20_000 }

const ERAS: readonly Era[] = ['legacy', 'modern']

const RICH = serverEntry('rich')

type Way = readonly [method: string, what: string, params: Readonly<Record<string, unknown>>]

/** Every way to something of a server that is no tool, and what it would be refused for. */
const WAYS: readonly Way[] = [
  ['resources/read', 'resources', { uri: 'rich://menu' }],
  ['prompts/get', 'prompts', { name: 'greet', arguments: { who: 'Ada' } }],
  [
    'completion/complete',
    'prompts',
    { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'A' } },
  ],
  [
    'completion/complete',
    'resources',
    { ref: { type: 'ref/resource', uri: 'rich://dish/{name}' }, argument: { name: 'name', value: 'a' } },
  ],
]

const waysOf = (era: Era): readonly Way[] =>
  era === 'legacy' ? [...WAYS, ['resources/subscribe', 'resources', { uri: 'rich://menu' }]] : WAYS

const connect = (gateway: TestGateway, era: Era): Promise<RawClient> =>
  connectRaw(era, overHttp(gateway.url('/mcp/x'), TOKEN))

const DENY = [{ tool: 'mcp__x', action: 'deny' }]

describe.each(ERAS)('a %s client', (era) => {
  it('reads where nobody says no', async () => {
    await using gateway = await openTestGateway({ x: RICH }, { rules: [] })
    await using test = await connect(gateway, era)
    for (const [method, , params] of waysOf(era))
      expect(await test.request(method, params)).not.toHaveProperty('error')
  })

  it('reads nothing of a server that a rule denies, and is told which rule', async () => {
    await using gateway = await openTestGateway({ x: RICH }, { rules: DENY, audit: {} })
    await using test = await connect(gateway, era)
    const settings = join(gateway.scratch.home, '.config/plugboard/settings.json')
    for (const [method, what, params] of waysOf(era)) {
      const message = new RegExp(`^policy does not allow ${what} of \`x\`; denied by .*mcp__x`)
      expect(await test.request(method, params), method).toMatchObject({
        error: { message: expect.stringMatching(message) as string },
      })
    }
    const file = join(gateway.scratch.home, 'audit.jsonl')
    const lines = (): readonly Record<string, unknown>[] =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ server }) => server === 'x')
    await expect.poll(() => lines().length, SOON).toBe(waysOf(era).length)
    const verdict = { action: 'deny', by: 'rule', rule: 'deny mcp__x', level: 'user', file: settings }
    for (const line of lines())
      expect(line).toMatchObject({ server: 'x', verdict, outcome: 'not-sent', code: 'denied' })
  })

  it('reads nothing in plan mode', async () => {
    await using gateway = await openTestGateway({ x: RICH }, { mode: 'plan' })
    await using test = await connect(gateway, era)
    for (const [method, what, params] of waysOf(era))
      expect(await test.request(method, params), method).toMatchObject({
        error: {
          message: expect.stringContaining(`plan mode does not allow ${what} of \`x\``) as string,
        },
      })
    // What there is, everybody may know.
    expect(await test.request('resources/list')).not.toHaveProperty('error')
  })

  it('reads of the other servers what it could before, in the aggregate', async () => {
    await using gateway = await openTestGateway({ x: RICH, y: sdkEntry('modern') }, { rules: DENY })
    for (const name of ['x', 'y'])
      await (await connectClient(httpTransport(gateway.url(`/mcp/${name}`)), { era }))[Symbol.asyncDispose]()
    await using test = await connectClient(httpTransport(gateway.url()), { era })
    expect((await test.client.readResource({ uri: 'test://menu' })).contents).toHaveLength(2)
    await expect(test.client.readResource({ uri: 'rich://menu' })).rejects.toThrow(
      'policy does not allow resources of `x`',
    )
  })
})

describe('a modern client that listens', () => {
  it('is told of no resource of a server that a rule denies', async () => {
    await using gateway = await openTestGateway({ x: RICH }, { rules: DENY })
    await using test = await connectClient(httpTransport(gateway.url('/mcp/x')), { era: 'modern' })
    const listening = await test.client.listen({
      resourceSubscriptions: ['rich://menu'],
      toolsListChanged: true,
    })
    expect(listening.honoredFilter).toEqual({ toolsListChanged: true })
  })
})
