/**
 * faithful: whatever a client sees and hears of a server, it sees and hears through the gateway, in whole values. For
 * clients and servers of both eras, over stdio and over HTTP, at the endpoint of all servers and at that of the one.
 */
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Era } from '../../../src/model/session.ts'
import { serverEntry } from '../../boards/open.ts'
import { createObserved } from '../../worlds/observed.ts'
import { openTestGateway, protocolOf, TOKEN, writeSettings } from './open.ts'
import { connectRaw, overHttp, overStdio, type RawAnswer, type RawClient } from './raw-client.ts'

type Front = 'stdio' | 'http' | 'own'
type Value = Readonly<Record<string, unknown>>

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const flags = (era: Era): string[] => (era === 'modern' ? ['--modern'] : [])
/** The test asks again and again whether something has come about. */
const PATIENT = { loopLimit: 0 }
const PREFIX = 'mcp__x__'

const ERAS = ['legacy', 'modern'] as const
const CELLS = (['stdio', 'http', 'own'] as const).flatMap((front) =>
  ERAS.flatMap((era) => ERAS.map((behind) => [era, behind, front] as const)),
)

/** What a client sees and hears of the server `rich`, whichever way it comes to it. */
type Seen = Awaited<ReturnType<typeof look>>

async function connect(era: Era, behind: Era, front: Front): Promise<RawClient> {
  const entry = { ...serverEntry('rich', ...flags(behind)), protocol: protocolOf(behind) }
  if (front === 'stdio') {
    const scratch = createObserved()
    const { home, project } = scratch
    writeSettings(home, { servers: { x: entry }, gateway: PATIENT })
    const serve = [process.execPath, at('dist/bin.js'), 'serve', '--stdio']
    const client = await connectRaw(era, overStdio(serve, { home, cwd: project }))
    return closing(client, async () => scratch[Symbol.dispose]())
  }
  const gateway = await openTestGateway({ x: entry }, { gateway: PATIENT })
  const client = await connectRaw(era, overHttp(gateway.url(front === 'own' ? '/mcp/x' : '/mcp'), TOKEN))
  return closing(client, async () => gateway[Symbol.asyncDispose]())
}

function closing(client: RawClient, then: () => Promise<void>): RawClient {
  const close = async (): Promise<void> => {
    await client[Symbol.asyncDispose]()
    await then()
  }
  return { ...client, [Symbol.asyncDispose]: close }
}

/** By one client, one thing after the other. `prefix`: of names in an aggregate. */
async function look(client: RawClient, prefix: string) {
  const { era, hello, request } = client
  const name = (own: string): string => prefix + own
  const call = (tool: string, args: Value = {}, more: Value = {}): Promise<RawAnswer> =>
    request('tools/call', { name: name(tool), arguments: args, ...more })
  const during = async (work: () => Promise<unknown>): Promise<{ method: string; params: Value }[]> => {
    client.told.length = 0
    await work()
    return client.told.map(({ method = '', params = {} }) => ({ method, params }))
  }
  // A server that was never seen may be on its way; a call waits for it.
  await call('echo', { text: 'first' })
  const trace = {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'a=b',
    baggage: 'c=d',
    'example.test/own': [1],
  }
  const seen = {
    hello: { ...(hello['_meta'] as Value | undefined), ...hello },
    tools: await all(client, 'tools/list', 'tools'),
    resources: await all(client, 'resources/list', 'resources'),
    templates: await all(client, 'resources/templates/list', 'resourceTemplates'),
    prompts: await all(client, 'prompts/list', 'prompts'),
    contents: await call('contents', { word: 'a', 'x y': null }),
    fails: await call('fails'),
    refuses: await call('refuses'),
    trace: await call('meta', {}, { _meta: trace }),
    read: await request('resources/read', { uri: 'rich://menu' }),
    readOfTemplate: await request('resources/read', { uri: 'rich://dish/soup' }),
    notFound: await request('resources/read', { uri: 'rich://none' }),
    prompt: await request('prompts/get', { name: name('greet'), arguments: { who: 'Ada' } }),
    completedPrompt: await request('completion/complete', {
      ref: { type: 'ref/prompt', name: name('greet') },
      argument: { name: 'who', value: 'A' },
      context: { arguments: { other: 'b' } },
    }),
    completedTemplate: await request('completion/complete', {
      ref: { type: 'ref/resource', uri: 'rich://dish/{name}' },
      argument: { name: 'name', value: 'so' },
    }),
    progress: await during(() => call('work', {}, { _meta: { progressToken: 'mine' } })),
    quiet: await during(() => call('work')),
  }
  if (era === 'legacy') await request('logging/setLevel', { level: 'debug' })
  const logs = await during(() =>
    call('log', {}, era === 'legacy' ? {} : { _meta: { 'io.modelcontextprotocol/logLevel': 'debug' } }),
  )
  const asking: Record<string, unknown> = {}
  for (const only of [['form'], ['url'], ['sample'], ['roots'], ['form', 'url', 'sample', 'roots']]) {
    client.asked.length = 0
    const answer = await call('ask', { only })
    asking[only.join(' and ')] = { answer, asked: [...client.asked] }
  }
  client.told.length = 0
  const controller = new AbortController()
  const given = request(
    'tools/call',
    { name: name('hang'), arguments: {}, _meta: { progressToken: 'hang' } },
    { signal: controller.signal },
  )
  given.catch(() => undefined)
  await client.untilTold('notifications/progress')
  controller.abort()
  const hung = await untilAnswer(() => call('hung'), '1')
  return { ...seen, logs, asking, hung, changes: await lookAtChanges(client, call) }
}

/** It may take the server a moment to hear of it. */
async function untilAnswer(call: () => Promise<RawAnswer>, text: string): Promise<RawAnswer> {
  for (;;) {
    const answer = await call()
    if (JSON.stringify(answer).includes(`"text":"${text}"`)) return answer
  }
}

const CHANGES = ['tools', 'resources', 'prompts'].map((list) => `notifications/${list}/list_changed`)

async function lookAtChanges(
  client: RawClient,
  call: (tool: string, args?: Value) => Promise<RawAnswer>,
): Promise<unknown> {
  const { era, request, untilTold, told } = client
  told.length = 0
  if (era === 'legacy') await request('resources/subscribe', { uri: 'rich://menu' })
  else {
    const notifications = {
      toolsListChanged: true,
      resourcesListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ['rich://menu'],
    }
    // Until the client is closed.
    request('subscriptions/listen', { notifications }).catch(() => undefined)
    await untilTold('notifications/subscriptions/acknowledged')
  }
  await call('touch', { uri: 'rich://menu' })
  await untilTold('notifications/resources/updated')
  const updated = told.find(({ method }) => method === 'notifications/resources/updated')?.params?.['uri']
  told.length = 0
  await call('grow')
  for (const change of CHANGES) await untilTold(change)
  const names = async (method: string, key: string): Promise<unknown> =>
    ((await all(client, method, key)).items as readonly { readonly name: string }[]).map(({ name }) => name)
  return {
    updated,
    tools: await names('tools/list', 'tools'),
    resources: await names('resources/list', 'resources'),
    prompts: await names('prompts/list', 'prompts'),
  }
}

/** All pages, and what the first one says beside its items. */
async function all(
  { request }: RawClient,
  method: string,
  key: string,
): Promise<{ readonly items: readonly unknown[]; readonly hints: Value }> {
  const items: unknown[] = []
  let hints: Value | undefined
  for (let cursor: unknown; ;) {
    const { result = {} } = await request(method, cursor === undefined ? {} : { cursor })
    const { [key]: some, nextCursor, ...rest } = result
    items.push(...(some as unknown[]))
    hints ??= rest
    cursor = nextCursor
    if (cursor === undefined) return { items, hints }
  }
}

describe.each(CELLS)('a %s client before a %s server, over %s', (era, behind, front) => {
  let direct: Seen
  let through: Seen

  beforeAll(async () => {
    const server = [process.execPath, at('test/servers/rich.mjs'), ...flags(behind)]
    await using plain = await connectRaw(behind, overStdio(server))
    await using client = await connect(era, behind, front)
    direct = await look(plain, '')
    through = await look(client, front === 'own' ? '' : PREFIX)
  })

  const isAcross = era !== behind
  const show = (value: unknown): unknown => toComparable(value, { isAcross, hasPrefix: front !== 'own' })

  it.each([
    'tools',
    'resources',
    'templates',
    'prompts',
    'contents',
    'fails',
    'refuses',
    'trace',
    'read',
    'readOfTemplate',
    'prompt',
    'completedPrompt',
    'completedTemplate',
    'progress',
    'quiet',
    'logs',
    'asking',
    'hung',
    'changes',
  ] as const)('%s', (aspect) => {
    expect(direct[aspect]).toBeDefined()
    expect(show(through[aspect])).toEqual(show(direct[aspect]))
  })

  it('what is not there', () => {
    const code = era === 'modern' ? -32602 : direct.notFound.error?.['code']
    expect(through.notFound).toEqual({ error: { ...direct.notFound.error, code } })
  })

  it('what it says of itself', () => {
    const of = (hello: Value): unknown => hello['serverInfo'] ?? hello['io.modelcontextprotocol/serverInfo']
    const { instructions } = direct.hello as Value
    if (front === 'own') expect(of(through.hello)).toEqual(of(direct.hello))
    // A server that was never seen before has nothing to say yet when its first client comes.
    if (front === 'own') expect((through.hello as Value)['instructions']).toBe(instructions)
    expect(Object.keys((through.hello as { capabilities: object }).capabilities).sort()).toEqual(
      Object.keys((direct.hello as { capabilities: object }).capabilities).sort(),
    )
  })
})

/** Fields that one era has and the other does not. */
const OF_AN_ERA = ['resultType', 'ttlMs', 'cacheScope']

/** Without what must differ: names in an aggregate, what is the gateway's own, and across eras what only one of them has. */
function toComparable(
  value: unknown,
  { isAcross, hasPrefix }: { readonly isAcross: boolean; readonly hasPrefix: boolean },
): unknown {
  const text = JSON.stringify(value, (key, one: unknown) => {
    if (isAcross && OF_AN_ERA.includes(key)) return undefined
    // A number of the gateway's own in the place of the client's.
    if (key === 'io.modelcontextprotocol/subscriptionId') return undefined
    return Array.isArray(one) ? one.filter((item) => !isOurs(item)) : one
  })
  return JSON.parse(hasPrefix ? text.replaceAll(PREFIX, '') : text)
}

function isOurs(item: unknown): boolean {
  const { name, uri } = (item ?? {}) as { readonly name?: unknown; readonly uri?: unknown }
  return (
    item === 'plugboard_status' ||
    item === 'status' ||
    name === 'plugboard_status' ||
    uri === 'plugboard://status'
  )
}
