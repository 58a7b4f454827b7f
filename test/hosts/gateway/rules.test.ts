/**
 * rules: what the user's rules mean for clients of the gateway, and what one bad server means for the others.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Fate } from '../../../src/model/catalog.ts'
import type { Era } from '../../../src/model/session.ts'
import type { Board } from '../../../src/runtime/board.ts'
import { readGatewayToken } from '../../../src/runtime/gateway-token.ts'
import { PAUSE_MS } from '../../../src/hosts/gateway/client-desks.ts'
import { serverEntry } from '../../boards/open.ts'
import { freePort } from '../../runtime/login-stage.ts'
import { startProgram } from '../../servers/http/program.ts'
import { createObserved } from '../../worlds/observed.ts'
import { createScratch } from '../../worlds/scratch.ts'
import {
  connectClient,
  httpTransport,
  openTestGateway,
  sdkEntry,
  TOKEN,
  writeSettings,
  type ClientOptions,
  type TestGateway,
} from './open.ts'

const ERAS: readonly Era[] = ['legacy', 'modern']

const textOf = (result: unknown): string =>
  (result as { readonly content: { readonly text: string }[] }).content[0]!.text

const connect = (gateway: TestGateway, options: ClientOptions): ReturnType<typeof connectClient> =>
  connectClient(httpTransport(gateway.url('/mcp/x')), options)

const ECHO = { name: 'echo', arguments: { text: 'well' } }

describe.each(ERAS)('a %s client', (era) => {
  it('is asked what the rules leave to a person, and its answer holds', async () => {
    await using gateway = await openTestGateway({ x: sdkEntry('modern') }, { rules: [] })
    const answers = ['once', 'session']
    const elicit = (): object => ({ action: 'accept', content: { decision: answers.shift() } })
    await using test = await connect(gateway, { era, elicit })
    for (const _ of ['asked', 'asked', 'not asked any more'])
      expect(textOf(await test.client.callTool(ECHO))).toBe('well')
    expect(test.asked).toHaveLength(2)
    expect(JSON.stringify(test.asked[0])).toContain('may `echo` of `x` be called with')
  })

  it('that says no gets a denial', async () => {
    await using gateway = await openTestGateway({ x: sdkEntry('modern') }, { rules: [] })
    await using test = await connect(gateway, { era, elicit: () => ({ action: 'decline' }) })
    expect(await test.client.callTool(ECHO)).toMatchObject({ isError: true })
  })

  it('that cannot be asked gets a denial that says how to allow it', async () => {
    await using gateway = await openTestGateway({ x: sdkEntry('modern') }, { rules: [] })
    await using test = await connect(gateway, { era, capabilities: {} })
    const result = await test.client.callTool(ECHO)
    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).toContain('plugboard permissions allow')
  })

  it('is denied what a rule denies, whatever it could be asked', async () => {
    const rules = [{ tool: 'mcp__x__echo', action: 'deny', reason: 'no echoes here' }]
    await using gateway = await openTestGateway({ x: sdkEntry('modern') }, { rules })
    await using test = await connect(gateway, { era })
    expect(textOf(await test.client.callTool(ECHO))).toContain('no echoes here')
    expect(test.asked).toEqual([])
  })

  it('is asked once about a call in which the server asks, too', async () => {
    await using gateway = await openTestGateway({ x: sdkEntry('modern') }, { rules: [] })
    const answers = [
      { action: 'accept', content: { decision: 'once' } },
      { action: 'accept', content: { name: 'Ada' } },
    ]
    await using test = await connect(gateway, { era, elicit: () => answers.shift()! })
    const result = await test.client.callTool({ name: 'ask', arguments: { only: ['elicitation'] } })
    const [said, state] = JSON.parse(textOf(result))
    expect(said).toMatchObject({ elicitation: { content: { name: 'Ada' } } })
    expect(state).toBe('a note to itself')
    expect(answers).toEqual([])
  })
})

describe.each(ERAS)('a %s client that makes the same call and gets the same answer', (era) => {
  it('is stopped the fourth time, and another client is not', async () => {
    await using gateway = await openTestGateway({ x: sdkEntry('modern') })
    await using test = await connect(gateway, { era })
    await using other = await connect(gateway, { era, name: 'other-client' })
    for (const _ of [1, 2, 3]) expect(textOf(await test.client.callTool(ECHO))).toBe('well')
    const stopped = await test.client.callTool(ECHO)
    expect(stopped).toMatchObject({ isError: true })
    expect(textOf(stopped)).toContain('3 times in a row')
    expect(textOf(await other.client.callTool(ECHO))).toBe('well')
  })

  it('goes on where the settings say so', async () => {
    await using gateway = await openTestGateway({ x: sdkEntry('modern') }, { gateway: { loopLimit: 0 } })
    await using test = await connect(gateway, { era })
    for (const _ of [1, 2, 3, 4, 5]) expect(textOf(await test.client.callTool(ECHO))).toBe('well')
  })
})

describe('a client without a session', () => {
  it('begins a new row after a pause, when it may be another that looks the same', async () => {
    const ahead = { ms: 0 }
    await using gateway = await openTestGateway({ x: sdkEntry('modern') }, { ahead })
    await using test = await connect(gateway, { era: 'modern' })
    await using twin = await connect(gateway, { era: 'modern' })
    for (const _ of [1, 2, 3]) await test.client.callTool(ECHO)
    expect(await twin.client.callTool(ECHO)).toMatchObject({ isError: true })
    ahead.ms = PAUSE_MS
    expect(textOf(await twin.client.callTool(ECHO))).toBe('well')
  })
})

describe('a tool that is not what was approved', () => {
  it.each(ERAS)('is asked about anew by a %s client', async (era) => {
    using folder = createScratch()
    const tools = join(folder.home, 'tools.json')
    const write = (description: string): void =>
      writeFileSync(tools, JSON.stringify([{ name: 'pay', description, inputSchema: { type: 'object' } }]))
    write('Pays.')
    await using gateway = await openTestGateway(
      { x: serverEntry('rug-pull', '--tools', tools) },
      { rules: [] },
    )
    const elicit = (): object => ({ action: 'accept', content: { decision: 'always' } })
    await using test = await connect(gateway, { era, elicit })
    for (const _ of [1, 2]) await test.client.callTool({ name: 'pay', arguments: {} })
    expect(test.asked).toHaveLength(1)
    write('Pays, and more.')
    process.kill(gateway.scratch.children.at(-1)!.pid, 'SIGKILL')
    await gateway.scratch.whenStarted(2)
    await test.client.callTool({ name: 'pay', arguments: {} })
    expect(test.asked).toHaveLength(2)
    expect(JSON.stringify(test.asked[1])).toContain('It is not what you approved before:')
  })
})

describe('one bad server', () => {
  it('costs the others nothing, and its state can be asked for', async () => {
    const bad = { hanging: serverEntry('never-answers'), gone: { command: 'no-such-program-4711' } }
    await using gateway = await openTestGateway({ ...bad, x: sdkEntry('modern') })
    await using test = await connectClient(httpTransport(gateway.url()), { era: 'modern' })
    await using own = await connect(gateway, { era: 'modern' })
    expect((await own.client.listTools()).tools.length).toBeGreaterThan(5)
    const startedAt = Date.now()
    const { tools } = await test.client.listTools()
    expect(Date.now() - startedAt).toBeLessThan(2000)
    expect(tools.map(({ name }) => name)).toContain('mcp__x__echo')
    const status = JSON.parse(textOf(await test.client.callTool({ name: 'plugboard_status', arguments: {} })))
    expect(status.servers).toMatchObject([
      { name: 'gone', state: 'failed', problem: expect.stringContaining('gone') as string },
      { name: 'hanging', state: 'connecting' },
      { name: 'x', state: 'ready', tools: 9 },
    ])
    const { contents } = await test.client.readResource({ uri: 'plugboard://status' })
    expect(JSON.parse((contents[0] as { readonly text: string }).text)).toEqual(status)
  })
})

describe.each(ERAS)('to a %s client, a server', (era) => {
  it('that is down when the gateway starts is shown as it was last time', async () => {
    using scratch = createObserved()
    const server = await startProgram('sdk')
    const servers = { x: { type: 'http', url: `${server.origin}/mcp` } }
    const look = async (): Promise<readonly string[]> => {
      await using gateway = await openTestGateway(servers, { scratch })
      await using test = await connectClient(httpTransport(gateway.url()), { era })
      const names = (await test.client.listTools()).tools.map(({ name }) => name)
      const call = { name: 'mcp__x__echo', arguments: { text: 'well' } }
      return [textOf(await test.client.callTool(call)), ...names]
    }
    const [said, ...before] = await look()
    expect(said).toBe('well')
    await server[Symbol.asyncDispose]()
    const [why, ...after] = await look()
    expect(after).toEqual(before)
    expect(why).toMatch(/Failed to connect to "x": nobody answers[^]*\nnext try: /)
  })

  it('that went away says why, and when it is tried again', async () => {
    await using server = await startProgram('sdk')
    const entry = { type: 'http', url: `${server.origin}/mcp` }
    await using gateway = await openTestGateway({ x: entry })
    await using test = await connectClient(httpTransport(gateway.url()), { era })
    const call = { name: 'mcp__x__echo', arguments: { text: 'well' } }
    expect(textOf(await test.client.callTool(call))).toBe('well')
    await server[Symbol.asyncDispose]()
    const first = await test.client.callTool(call)
    // A call that is under way when another request finds out that the server is gone cannot know whether it arrived.
    const said = textOf(first).includes('it may have happened') ? await test.client.callTool(call) : first
    expect(said).toMatchObject({ isError: true })
    expect(textOf(said)).toMatch(
      /Failed to connect to "x": nobody answers[^]*\nnext try: \d{4}-\d\d-\d\dT[\d:.]+Z$/,
    )
    // What it had is still shown.
    expect((await test.client.listTools()).tools.map(({ name }) => name)).toContain('mcp__x__echo')
    const { contents } = await test.client.readResource({ uri: 'plugboard://status' })
    expect(JSON.parse((contents[0] as { readonly text: string }).text).servers).toMatchObject([
      { name: 'x', tools: 9, problem: expect.stringContaining('nobody answers') as string },
    ])
  })

  it('that never was there says why', async () => {
    await using gateway = await openTestGateway({ gone: { command: 'no-such-program-4711' } })
    await using test = await connectClient(httpTransport(gateway.url()), { era })
    const said = await test.client.callTool({ name: 'mcp__gone__echo', arguments: {} })
    expect(said).toMatchObject({ isError: true })
    expect(textOf(said)).toMatch(/no-such-program-4711[^]*\nnext try: with the next call$/)
    const none = test.client.callTool({ name: 'mcp__none__echo', arguments: {} })
    await expect(none).rejects.toMatchObject({ code: -32602 })
  })

  it('that is on its way is waited for by a call', async () => {
    await using gateway = await openTestGateway({ x: serverEntry('slow-start', '--ms', '300') })
    await using test = await connectClient(httpTransport(gateway.url()), { era })
    const call = { name: 'mcp__x__echo', arguments: { text: 'well' } }
    expect(textOf(await test.client.callTool(call))).toBe('well')
  })
})

describe('many clients', () => {
  it('share each server: it runs once', async () => {
    await using gateway = await openTestGateway({ x: sdkEntry('legacy') })
    const clients = await Promise.all(
      Array.from({ length: 8 }, (_, i) => connect(gateway, { era: ERAS[i % 2]! })),
    )
    const answers = await Promise.all(
      clients.map(({ client }, i) => client.callTool({ name: 'echo', arguments: { text: String(i) } })),
    )
    expect(answers.map(textOf)).toEqual(clients.map((_, i) => String(i)))
    expect(gateway.scratch.children).toHaveLength(1)
    await Promise.all(clients.map((one) => one[Symbol.asyncDispose]()))
  })
})

describe('the token', () => {
  it('is made once, for its user alone', async () => {
    using scratch = createScratch()
    const dirs = { state: join(scratch.home, 'state') }
    const all = await Promise.all(Array.from({ length: 5 }, () => readGatewayToken(scratch.world, dirs)))
    const [{ token, file }] = all as [(typeof all)[number]]
    expect(new Set(all.map((one) => one.token)).size).toBe(1)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(readFileSync(file, 'utf8')).toBe(`${token}\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})

describe('an entry that leads to the gateway itself', () => {
  const BEARER = { headers: { Authorization: `Bearer ${TOKEN}` } }

  it.each(['http://127.0.0.1:PORT/mcp', 'http://LocalHost:PORT/mcp/x', 'http://127.1:PORT/mcp?a=1'])(
    'is left out: %s',
    async (url) => {
      await using gateway = await openTestGateway({ x: sdkEntry('modern') })
      const { board } = gateway.serving
      const address = url.replace('PORT', new URL(gateway.origin).port)
      const servers = { x: sdkEntry('modern'), loop: { type: 'http', url: address, ...BEARER } }
      writeSettings(gateway.scratch.home, { servers })
      await board.reload()
      expect(board.server('loop')).toBeUndefined()
      expect(fateOf(board, 'loop')).toEqual({
        kind: 'excluded',
        by: { rule: 'gateway' },
        reason: 'it is the gateway of Plugboard itself',
      })
    },
  )

  it('is left out when it was read before anybody listened', async () => {
    const port = await freePort()
    const loop = { type: 'http', url: 'http://localhost:${LOOP_PORT}/mcp', ...BEARER }
    const env = { LOOP_PORT: String(port) }
    await using gateway = await openTestGateway({ x: sdkEntry('modern'), loop }, { env, http: { port } })
    expect(fateOf(gateway.serving.board, 'loop')).toMatchObject({ kind: 'excluded' })
    await using test = await connectClient(httpTransport(gateway.url()), { era: 'modern' })
    await gateway.serving.board.waitFor('x')
    const { tools } = await test.client.listTools()
    expect(tools.map(({ name }) => name).filter((name) => name.includes('loop'))).toEqual([])
  })

  it('and one that leads to another program on this machine is not', async () => {
    const other = { type: 'http', url: `http://127.0.0.1:${await freePort()}/mcp` }
    await using gateway = await openTestGateway({ other })
    expect(fateOf(gateway.serving.board, 'other')).toMatchObject({ kind: 'chosen' })
  })
})

function fateOf(board: Board, name: string): Fate | undefined {
  const { entries } = board.snapshot().catalog
  return entries.find(({ entry }) => entry.found.name === name)?.fate
}
