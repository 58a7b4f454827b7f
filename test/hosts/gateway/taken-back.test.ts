/**
 * taken-back: what becomes of those whose token is removed while they are at it.
 */
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RequestGuard } from '../../../src/hosts/gateway/door.ts'
import { createHttpFront, type HttpFront } from '../../../src/hosts/gateway/http-front.ts'
import { keyOfToken } from '../../../src/hosts/gateway/principal.ts'
import { openServing } from '../../../src/hosts/gateway/serve.ts'
import { MODERN_VERSION } from '../../../src/model/session.ts'
import { loadCatalog } from '../../../src/runtime/load-catalog.ts'
import { addToken, NamedTokens, removeTokens } from '../../../src/runtime/named-tokens.ts'
import type { Admission, Reply, World } from '../../../src/world/world.ts'
import { serverEntry } from '../../boards/open.ts'
import { serveSessions, type Sessions } from '../../servers/http/sessions.ts'
import { createObserved, type Observed } from '../../worlds/observed.ts'
import {
  connectClient,
  httpTransport,
  openTestGateway,
  textOf,
  TOKEN,
  writeSettings,
  type TestClient,
} from './open.ts'

interface Guests {
  readonly tokens: NamedTokens
  /** Of a guest. */
  readonly token: string
  remove(): Promise<void>
  /** Within the same moment. */
  removeNow(): void
}

async function openGuests({ home }: Observed, world: World, project?: string): Promise<Guests> {
  const dirs = { state: join(home, '.local/state/plugboard') }
  const tokens = await NamedTokens.open(world, dirs)
  const { token } = await addToken(world, dirs, { name: 'guest', project })
  expect(tokens.find(token)).toMatchObject({ name: 'guest' })
  return {
    tokens,
    token,
    async remove() {
      const gone = new Promise<void>((resolve) => tokens.onRemoved(() => resolve()))
      await removeTokens(world, dirs, ['guest'])
      // The file is watched, and the word of it may take a moment.
      await gone
      expect(tokens.find(token)).toBeUndefined()
    },
    removeNow() {
      world.files.write(join(dirs.state, 'gateway-tokens.json'), 0o600, '{"version":1,"tokens":[]}')
      // Whoever shows one that is not known has the file read.
      expect(tokens.find('another')).toBeUndefined()
    },
  }
}

describe('a request that was on its way', () => {
  interface Front extends AsyncDisposable {
    readonly front: HttpFront
    readonly guests: Guests
  }

  async function openFront(): Promise<Front> {
    const scratch = createObserved()
    writeSettings(scratch.home, { servers: { one: serverEntry('well-behaved') } })
    const { world } = scratch
    const guests = await openGuests(scratch, world)
    const serving = await openServing({ world, version: '1', load: (how) => loadCatalog(how.world, how) })
    const { gateway } = serving
    const { tokens } = guests
    const front = createHttpFront(gateway, {
      door: new RequestGuard({ clock: world.clock, token: TOKEN, tokens }),
      counter: () => ({ status: 200, headers: {}, body: '' }),
      rooms: { of: async () => gateway, find: () => undefined },
    })
    tokens.onRemoved(({ hash, project }) => front.dismiss(keyOfToken(hash), project))
    return {
      front,
      guests,
      async [Symbol.asyncDispose]() {
        tokens.close()
        front.close()
        await serving[Symbol.asyncDispose]()
        scratch[Symbol.dispose]()
      },
    }
  }

  const LISTEN = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'subscriptions/listen',
    params: {
      notifications: { toolsListChanged: true },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  })

  async function admit({ front, guests }: Front): Promise<Extract<Admission, { kind: 'admitted' }>> {
    const admission = await front.admit({
      method: 'POST',
      from: '127.0.0.1',
      path: '/mcp',
      headers: {
        host: 'localhost',
        authorization: `Bearer ${guests.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': MODERN_VERSION,
        'mcp-method': 'subscriptions/listen',
      },
    })
    if (admission.kind !== 'admitted') throw new Error(`refused: ${admission.reply.status}`)
    return admission
  }

  /** `over`: the status, when the answer is whole, or its stream ended. */
  function createReply(): { readonly reply: Reply; readonly over: Promise<number> } {
    let end!: (status: number) => void
    const over = new Promise<number>((resolve) => (end = resolve))
    let begun = 0
    const reply: Reply = {
      send: ({ status }) => end(status),
      stream: (status) => void (begun = status),
      write: () => undefined,
      end: () => end(begun),
      bytes: () => 0,
      onGone: () => undefined,
    }
    return { reply, over }
  }

  it('is refused when its body comes after that', async () => {
    await using open = await openFront()
    const { take } = await admit(open)
    await open.guests.remove()
    const { reply, over } = createReply()
    take(LISTEN, reply, LISTEN.length)
    expect(await over).toBe(401)
  })

  it('gets no stream that stays, when it is not listened to yet', async () => {
    await using open = await openFront()
    const { take } = await admit(open)
    const { reply, over } = createReply()
    take(LISTEN, reply, LISTEN.length)
    open.guests.removeNow()
    expect(await over).toBe(200)
  })
})

describe('a client', () => {
  async function openBefore(
    server: Sessions,
    of: 'everywhere' | 'a project' = 'everywhere',
  ): Promise<Guests & { connect(era: 'legacy' | 'modern'): Promise<TestClient> }> {
    const scratch = createObserved({ change: withoutPauses })
    const project = of === 'everywhere' ? undefined : scratch.project
    const guests = await openGuests(scratch, scratch.world, project)
    const entry = { one: { type: 'http', url: server.url } }
    const gateway = await openTestGateway(entry, { scratch, http: { tokens: guests.tokens } })
    onTestFinished(async () => {
      await gateway[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    })
    const url = gateway.url('/mcp/one')
    // The first has the session that lists are read in, which stays.
    const owner = await connectClient(httpTransport(url), { era: 'legacy' })
    onTestFinished(() => owner[Symbol.asyncDispose]())
    await owner.client.callTool({ name: 'who', arguments: {} })
    return { ...guests, connect: (era) => connectClient(httpTransport(url, guests.token), { era }) }
  }

  /** A project that nobody has a token for is closed at once. */
  const withoutPauses = (world: World): World => ({
    ...world,
    clock: {
      ...world.clock,
      after: (ms, step, hold) => world.clock.after(hold === 'loose' && ms === 10_000 ? 0 : ms, step, hold),
    },
  })

  const callsOf = ({ received }: Sessions): number =>
    received.filter(({ message }) => message?.method === 'tools/call').length

  it.each(['legacy', 'modern'] as const)('gets what it waits for, and is gone then (%s)', async (era) => {
    await using server = await serveSessions()
    const before = await openBefore(server)
    await using one = await before.connect(era)
    const answer = one.client.callTool({ name: 'who', arguments: { wait: true } })
    await expect.poll(() => callsOf(server)).toBe(2)
    await before.remove()
    expect(server.open()).toHaveLength(2)
    server.release()
    expect(JSON.parse(textOf(await answer))).toMatchObject({ calls: 1 })
    await server.until('DELETE')
    expect(server.open()).toEqual(['session-1'])
    await expect(one.client.listTools()).rejects.toThrow()
  })

  it('gets what it waits for from a project that no other token leads to', async () => {
    await using server = await serveSessions()
    const before = await openBefore(server, 'a project')
    await using one = await before.connect('modern')
    const answer = one.client.callTool({ name: 'who', arguments: { wait: true } })
    await expect.poll(() => callsOf(server)).toBe(2)
    await before.remove()
    // Whatever was closed for it would be closed by now.
    await expect(one.client.listTools()).rejects.toThrow()
    server.release()
    expect(JSON.parse(textOf(await answer))).toMatchObject({ calls: 1 })
    await server.until('DELETE')
  })

  it('that has nothing under way is gone at once, whether it has a session or not', async () => {
    await using server = await serveSessions()
    const before = await openBefore(server)
    await using old = await before.connect('legacy')
    await using modern = await before.connect('modern')
    for (const { client } of [old, modern]) await client.callTool({ name: 'who', arguments: {} })
    expect(server.open()).toHaveLength(3)
    await before.remove()
    await server.until('DELETE', 2)
  })

  it('that was asked something is not waited for', async () => {
    await using server = await serveSessions()
    const before = await openBefore(server)
    let isAsked!: () => void
    const asked = new Promise<void>((resolve) => (isAsked = resolve))
    await using one = await before.connect('legacy')
    one.client.setRequestHandler('elicitation/create', () => {
      isAsked()
      return new Promise(() => undefined)
    })
    const answer = one.client.callTool({ name: 'ask', arguments: {} })
    await asked
    await before.remove()
    expect(JSON.parse(textOf(await answer))).toEqual({
      error: { code: -32603, message: 'elicitation/create cannot be answered: the client is gone' },
    })
  })
})

describe('a token that is wrong', () => {
  it('has the file read so long as few were tried, and no more often after that', async () => {
    let reads = 0
    const scratch = createObserved({
      change: (world) => ({
        ...world,
        clock: { ...world.clock, now: () => 0 },
        files: {
          ...world.files,
          read(file) {
            if (file.endsWith('gateway-tokens.json')) reads += 1
            return world.files.read(file)
          },
        },
      }),
    })
    onTestFinished(() => scratch[Symbol.dispose]())
    const { world } = scratch
    const { tokens, token } = await openGuests(scratch, world)
    onTestFinished(() => tokens.close())
    const door = new RequestGuard({ clock: world.clock, token: TOKEN, tokens })
    const knock = async (shown: string): Promise<number> => {
      const headers = { host: 'localhost', authorization: `Bearer ${shown}` }
      const passage = await door.pass({ method: 'POST', from: '127.0.0.1', path: '/mcp', headers })
      return passage.kind === 'refused' ? passage.reply.status : 200
    }
    reads = 0
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => knock(`wrong-${i}`)))
    expect([reads, answers.filter((status) => status === 401).length]).toEqual([30, 30])
    // One that is known is good all the same.
    expect(await knock(token)).toBe(200)
  })
})
