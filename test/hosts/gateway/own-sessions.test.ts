/**
 * own-sessions: clients of a gateway, and the sessions that they have at an older server over HTTP.
 */
import { describe, expect, it } from 'vitest'
import { startSigningIssuer } from '../../servers/signing-issuer.ts'
import { serveSessions, type Sessions } from '../../servers/http/sessions.ts'
import {
  connectClient,
  httpTransport,
  openTestGateway,
  textOf,
  type TestClient,
  type TestGateway,
} from './open.ts'

async function call({ client }: TestClient, name: string, args: object = {}): Promise<string> {
  return textOf(await client.callTool({ name, arguments: { ...args } }))
}

const NEWS = 'notifications/acme/news'
const CHANGED = 'notifications/tools/list_changed'

const timesTold = ({ told }: TestClient, method: string): number =>
  told.filter((one) => one.method === method).length

async function leave({ client }: TestClient): Promise<void> {
  await (client.transport as unknown as { terminateSession(): Promise<void> }).terminateSession()
}

async function namesOf({ client }: TestClient): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name)
}

interface Who {
  readonly id: string
  readonly calls: number
  readonly level?: string
  readonly subscribed: readonly string[]
}

async function who(client: TestClient): Promise<Who> {
  return JSON.parse(await call(client, 'who')) as Who
}

async function openBefore(
  { url }: Sessions,
  more: object = {},
  options: Parameters<typeof openTestGateway>[1] = {},
): Promise<TestGateway & { connect(era?: 'legacy' | 'modern', name?: string): Promise<TestClient> }> {
  const gateway = await openTestGateway({ one: { type: 'http', url, ...more } }, options)
  return {
    ...gateway,
    connect: (era = 'legacy', name) =>
      connectClient(httpTransport(gateway.url('/mcp/one')), { era, ...(name === undefined ? {} : { name }) }),
  }
}

describe('an older server over HTTP', () => {
  it('has a session for each client, of which the first needs no other than the one for lists', async () => {
    await using server = await serveSessions()
    await using gateway = await openBefore(server)
    await using a = await gateway.connect()
    await using b = await gateway.connect()
    await using onlyLists = await gateway.connect()
    expect((await onlyLists.client.listTools()).tools).toHaveLength(5)
    expect([await who(a), await who(b), await who(a), await who(b)]).toMatchObject([
      { id: 'session-1', calls: 1 },
      { id: 'session-2', calls: 1 },
      { id: 'session-1', calls: 2 },
      { id: 'session-2', calls: 2 },
    ])
    expect(server.begun).toBe(2)
  })

  it('loses the session of a client that is gone, and none of another', async () => {
    await using server = await serveSessions()
    await using gateway = await openBefore(server)
    await using a = await gateway.connect()
    const b = await gateway.connect()
    await who(a)
    await who(b)
    await leave(b)
    await server.until('DELETE')
    expect(server.open()).toEqual(['session-1'])
    await b[Symbol.asyncDispose]()
  })

  it('asks each client on the stream of its session', async () => {
    await using server = await serveSessions()
    await using gateway = await openBefore(server)
    await using a = await gateway.connect()
    await using b = await gateway.connect()
    const answers = await Promise.all([call(a, 'ask'), call(b, 'ask')])
    expect(answers.map((text) => JSON.parse(text) as object)).toMatchObject([
      { action: 'accept' },
      { action: 'accept' },
    ])
    expect([a.asked.length, b.asked.length]).toEqual([1, 1])
  })

  it('asks a client that does nothing right now, where it has a session here, and says why where it has none', async () => {
    await using server = await serveSessions()
    await using gateway = await openBefore(server)
    await using a = await gateway.connect()
    await using b = await gateway.connect()
    await using modern = await gateway.connect('modern')
    for (const one of [a, b, modern]) await who(one)
    await server.until('GET', 3)
    expect(await server.ask('session-1')).toMatchObject({ action: 'accept' })
    expect(await server.ask('session-2')).toMatchObject({ action: 'accept' })
    expect([a.asked.length, b.asked.length]).toEqual([1, 1])
    const why = 'elicitation/create cannot be answered: no client waits for this server'
    expect(await server.ask('session-3')).toMatchObject({ error: { message: why } })
  })

  it('is told of each subscription by whom it is, and tells that one alone', async () => {
    await using server = await serveSessions()
    await using gateway = await openBefore(server)
    await using a = await gateway.connect()
    await using b = await gateway.connect()
    await who(a)
    await a.client.subscribeResource({ uri: 'note://one' })
    await b.client.subscribeResource({ uri: 'note://one' })
    expect([(await who(a)).subscribed, (await who(b)).subscribed]).toEqual([['note://one'], ['note://one']])
    await call(b, 'touch', { only: 'this' })
    await b.untilTold('notifications/resources/updated')
    await call(a, 'touch')
    await a.untilTold('notifications/resources/updated')
    await b.untilTold('notifications/resources/updated', 2)
    // A round trip more, in which whatever was told twice would have come.
    await Promise.all([who(a), who(b)])
    const updated = 'notifications/resources/updated'
    expect([timesTold(a, updated), timesTold(b, updated)]).toEqual([1, 2])
    await b.client.unsubscribeResource({ uri: 'note://one' })
    await server.until('resources/unsubscribe')
    expect([(await who(a)).subscribed, (await who(b)).subscribed]).toEqual([['note://one'], []])
  })

  it('tells what it tells in the first session to those who have that one, and to nobody without a session', async () => {
    await using server = await serveSessions()
    await using gateway = await openBefore(server)
    await using a = await gateway.connect()
    await using b = await gateway.connect()
    await using onlyLists = await gateway.connect()
    await who(a)
    await who(b)
    await call(a, 'tell')
    await a.untilTold(NEWS)
    // A round trip more, in which whatever was told to others would have come.
    await Promise.all([namesOf(b), namesOf(onlyLists)])
    expect([a, b, onlyLists].map((one) => timesTold(one, NEWS))).toEqual([1, 0, 0])
  })

  it('lists for a client what its own session has, and for others what theirs have', async () => {
    await using server = await serveSessions()
    await using gateway = await openBefore(server)
    await using a = await gateway.connect()
    await using b = await gateway.connect()
    await who(a)
    await call(b, 'grow')
    await b.untilTold('notifications/tools/list_changed')
    expect(await namesOf(a)).toEqual(['who', 'touch', 'grow', 'tell', 'ask'])
    expect(await namesOf(b)).toEqual(['who', 'touch', 'grow', 'tell', 'ask', 'extra'])
    expect(JSON.parse(await call(b, 'extra'))).toMatchObject({ id: 'session-2' })
    await using all = await connectClient(httpTransport(gateway.url('/mcp')), { era: 'legacy' })
    await all.client.callTool({ name: 'mcp__one__grow', arguments: {} })
    await all.untilTold('notifications/tools/list_changed')
    expect(await namesOf(all)).toContain('mcp__one__extra')
    expect(JSON.parse(await call(all, 'mcp__one__extra'))).toMatchObject({ id: 'session-3' })
  })

  it('lists what the first client is shown in its session for that one, and for nobody who comes later', async () => {
    await using server = await serveSessions()
    await using gateway = await openBefore(server)
    await using a = await gateway.connect()
    await using b = await gateway.connect()
    expect((await who(a)).id).toBe('session-1')
    await call(a, 'grow')
    await a.untilTold(CHANGED)
    expect(await namesOf(a)).toContain('extra')
    expect(JSON.parse(await call(a, 'extra'))).toMatchObject({ id: 'session-1' })
    // The lists of all have been read again by then.
    await server.until('tools/list', 3)
    await using later = await gateway.connect()
    for (const one of [b, later]) expect(await namesOf(one)).not.toContain('extra')
    expect((await who(b)).id).toBe('session-3')
    expect(timesTold(b, CHANGED)).toBe(0)
    await leave(a)
    await server.until('GET', 3)
    await call(b, 'grow', { for: 'all' })
    await later.untilTold(CHANGED)
    for (const one of [b, later]) expect(await namesOf(one)).toContain('extra')
  })

  it('lists what the first session shows for those who share it, too, where there can be no other', async () => {
    await using server = await serveSessions({ most: 1 })
    await using gateway = await openBefore(server)
    await using a = await gateway.connect()
    await using b = await gateway.connect()
    await call(a, 'grow')
    await a.untilTold(CHANGED)
    expect(await namesOf(b)).not.toContain('extra')
    expect((await who(b)).id).toBe('session-1')
    await b.untilTold(CHANGED)
    expect(await namesOf(b)).toContain('extra')
  })

  it('lists for everybody what is new for all, whoever has the first session', async () => {
    await using server = await serveSessions()
    await using gateway = await openBefore(server)
    await using a = await gateway.connect()
    await using onlyLists = await gateway.connect()
    await call(a, 'grow', { for: 'all' })
    await Promise.all([a.untilTold(CHANGED), onlyLists.untilTold(CHANGED)])
    for (const one of [a, onlyLists]) expect(await namesOf(one)).toContain('extra')
  })

  it.each([
    ['an own one for each modern client that says who it is', ['a', 'b', 'a'], [1, 2, 1]],
    ['the same for those that look the same', ['a', 'a'], [1, 1]],
  ])('has %s', async (_, names, sessions) => {
    await using server = await serveSessions()
    await using gateway = await openBefore(server)
    const seen: string[] = []
    for (const name of names) {
      await using client = await gateway.connect('modern', name)
      seen.push((await who(client)).id)
    }
    expect(seen).toEqual(sessions.map((number) => `session-${number}`))
  })

  it('hears in every session how much it is to log', async () => {
    await using server = await serveSessions()
    await using gateway = await openBefore(server)
    await using a = await gateway.connect()
    await using b = await gateway.connect()
    await using c = await gateway.connect()
    await who(a)
    await who(b)
    await a.client.setLoggingLevel('warning')
    expect([await who(a), await who(b), await who(c)]).toMatchObject([
      { level: 'warning' },
      { level: 'warning' },
      { level: 'warning' },
    ])
  })

  it.each([
    ['there are enough of them', {}, { gateway: { maxPerServer: 1 } }],
    ['it does not want another', { most: 2 }, {}],
  ])('shares the first session where %s', async (_, sessions, options) => {
    await using server = await serveSessions(sessions)
    await using gateway = await openBefore(server, {}, options)
    await using a = await gateway.connect()
    await using b = await gateway.connect()
    await using c = await gateway.connect()
    expect([await who(a), await who(b), await who(c), await who(c)]).toMatchObject([
      { id: 'session-1', calls: 1 },
      { id: 'session-2', calls: 1 },
      { id: 'session-1', calls: 2 },
      { id: 'session-1', calls: 3 },
    ])
    expect(server.begun).toBe(2)
  })

  it('leaves something to others, however many clients one person is, and lets none of them into what is not theirs', async () => {
    await using server = await serveSessions()
    await using issuer = await startSigningIssuer()
    const wish = { issuer: issuer.issuer, audiences: [], scopes: undefined, publicUrl: undefined }
    const options = { http: { issuer: wish }, gateway: { maxPerServer: 2 } }
    await using gateway = await openBefore(server, {}, options)
    const seen: string[] = []
    const clients: TestClient[] = []
    for (const [sub, era] of [
      ['ada', 'legacy'],
      ['ada', 'modern'],
      ['ada', 'legacy'],
      ['bob', 'legacy'],
      ['bob', 'modern'],
    ] as const) {
      const token = await issuer.sign({ aud: gateway.url().href, sub })
      const client = await connectClient(httpTransport(gateway.url('/mcp/one'), token), { era })
      clients.push(client)
      const text = await call(client, 'who')
      seen.push(/session-\d/.exec(text)?.[0] ?? text)
    }
    expect(seen.slice(0, 4)).toEqual(['session-1', 'session-2', 'session-1', 'session-3'])
    expect(seen[4]).toContain('which is the share of one guest')
    for (const client of clients) await client[Symbol.asyncDispose]()
  })

  it.each([
    ['one session for all', 'shared', ['session-1', 'session-1']],
    ['none that is not its own', 'session', ['session-2', 'session-3']],
  ])('has %s where its entry says `%s`', async (_, isolation, ids) => {
    await using server = await serveSessions()
    await using gateway = await openBefore(server, { isolation })
    await using a = await gateway.connect()
    await using b = await gateway.connect()
    expect([(await who(a)).id, (await who(b)).id]).toEqual(ids)
  })
})
