/**
 * own-processes: clients of a gateway that each have a process of a server to themselves, because its entry says
 * `isolation: session`.
 */
import { describe, expect, it } from 'vitest'
import type { Era } from '../../../src/model/session.ts'
import { serverEntry } from '../../boards/open.ts'
import { gone, server } from './daemon.ts'
import {
  connectClient,
  httpTransport,
  openTestGateway,
  protocolOf,
  textOf,
  type TestClient,
  type TestGateway,
} from './open.ts'

const PAIRS = (['legacy', 'modern'] as const).flatMap((era) =>
  (['legacy', 'modern'] as const).map((behind) => [era, behind] as const),
)

/** Held to one era: before one that speaks both, a legacy client would have a legacy session. */
const ownEntry = (name: string, behind: Era): object => ({
  ...serverEntry(name, ...(behind === 'modern' ? ['--modern'] : [])),
  isolation: 'session',
  protocol: protocolOf(behind),
})

const UPDATED = 'notifications/resources/updated'
const CHANGED = 'notifications/tools/list_changed'

const timesTold = ({ told }: TestClient, method: string): number =>
  told.filter((one) => one.method === method).length

async function call({ client }: TestClient, name: string, args: object = {}): Promise<string> {
  return textOf(await client.callTool({ name, arguments: { ...args } }))
}

const pidOf = async (one: TestClient): Promise<number> =>
  (JSON.parse(await call(one, 'who')) as { readonly pid: number }).pid

describe.each(PAIRS)('a %s client before a %s server of its own', (era, behind) => {
  const connect = (gateway: TestGateway, name: string): Promise<TestClient> =>
    connectClient(httpTransport(gateway.url('/mcp/one')), { era, name })

  it('hears of the resources of its own process, until it does not want to', async () => {
    const one = ownEntry('tells-changes', behind)
    await using gateway = await openTestGateway({ one })
    await using a = await connect(gateway, 'a')
    await using b = await connect(gateway, 'b')
    const subscribe = async ({ client }: TestClient): Promise<() => Promise<unknown>> => {
      if (era === 'modern') {
        const listening = await client.listen({ resourceSubscriptions: ['note://one'] })
        return () => listening.close()
      }
      await client.subscribeResource({ uri: 'note://one' })
      return () => client.unsubscribeResource({ uri: 'note://one' })
    }
    const giveUp = await subscribe(a)
    await subscribe(b)
    await call(a, 'touch', { uri: 'note://one' })
    await a.untilTold(UPDATED)
    await call(b, 'touch', { uri: 'note://one' })
    await b.untilTold(UPDATED)
    // A round trip more, in which whatever was told to both would have come.
    const asked = await Promise.all([call(a, 'subscribed'), call(b, 'subscribed')])
    expect(asked).toEqual(['note://one', 'note://one'])
    expect([timesTold(a, UPDATED), timesTold(b, UPDATED)]).toEqual([1, 1])
    await giveUp()
    await expect.poll(() => call(a, 'subscribed')).toBe('')
    expect(await call(b, 'subscribed')).toBe('note://one')
  })

  it('sees what its own process lists, and others do not', async () => {
    const one = ownEntry('changes-tools', behind)
    await using gateway = await openTestGateway({ one })
    await using a = await connect(gateway, 'a')
    await using b = await connect(gateway, 'b')
    if (era === 'modern') for (const { client } of [a, b]) await client.listen({ toolsListChanged: true })
    await call(b, 'echo', { text: 'x' })
    await call(a, 'grow')
    await a.untilTold(CHANGED)
    const namesOf = async ({ client }: TestClient): Promise<readonly string[]> =>
      (await client.listTools()).tools.map(({ name }) => name)
    expect(await namesOf(a)).toEqual(['echo', 'slow', 'grow', 'grown_1'])
    expect(await namesOf(b)).toEqual(['echo', 'slow', 'grow'])
    expect(await call(a, 'grown_1')).toBe('this is grown_1')
    await expect(call(b, 'grown_1')).rejects.toThrow('grown_1')
    expect(timesTold(b, CHANGED)).toBe(0)
  })

  it('has another after a while without a request, and keeps one that tells it something', async () => {
    const one = server('tells-who', { isolation: 'session' })
    const notes = ownEntry('tells-changes', behind)
    // 300 ms.
    await using gateway = await openTestGateway({ one, notes }, { gateway: { idleMinutes: 0.005 } })
    await using a = await connect(gateway, 'a')
    await using listening = await connectClient(httpTransport(gateway.url('/mcp/notes')), { era })
    if (era === 'modern') await listening.client.listen({ resourceSubscriptions: ['note://one'] })
    else await listening.client.subscribeResource({ uri: 'note://one' })
    const before = await pidOf(a)
    await gone(before)
    expect(await pidOf(a)).not.toBe(before)
    expect(await call(listening, 'subscribed')).toBe('note://one')
  })
})

describe('modern clients over HTTP', () => {
  it('that say who they are have a process each, and look the same where they say the same', async () => {
    const one = server('tells-who', { isolation: 'session' })
    await using gateway = await openTestGateway({ one })
    const connect = (name: string): Promise<TestClient> =>
      connectClient(httpTransport(gateway.url('/mcp/one')), { era: 'modern', name })
    await using a = await connect('a')
    await using b = await connect('b')
    await using again = await connect('a')
    const [first, second, third] = [await pidOf(a), await pidOf(b), await pidOf(again)]
    expect(second).not.toBe(first)
    expect(third).toBe(first)
  })
})
