/**
 * list: all that can be used, a reason for all that cannot, and an end to every list.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Offering } from '../../../src/model/offering.ts'
import { SessionError } from '../../../src/model/session.ts'
import { list } from '../../../src/pipeline/list/list.ts'
import { ListError } from '../../../src/pipeline/list/problems.ts'
import type { Clock } from '../../../src/world/world.ts'
import { createMemorySession, rpcError, silence, type Answer, type MemorySession } from './sessions.ts'

const clock: Clock = {
  now: () => 0,
  after: () => () => undefined,
  random: () => 0.5,
}
const OBJECT = { type: 'object' }
const tool = (name: string): { name: string; inputSchema: object } => ({ name, inputSchema: OBJECT })

const read = (session: MemorySession): Promise<Offering> => list(session, { clock })

/** The names of the tools that a server with these items offers, and the reasons for the others. */
async function judgeTools(tools: readonly unknown[]): Promise<readonly [string[], string[]]> {
  const offering = await read(createMemorySession({ 'tools/list': { tools } }))
  return [
    offering.tools.map(({ name }) => name),
    offering.quarantined.map(({ name, reason }) => `${name}: ${reason}`),
  ]
}

describe('what is asked', () => {
  test('only what the server advertises', async () => {
    const nothing = createMemorySession({}, { capabilities: { logging: {} } })
    const tools = createMemorySession({ 'tools/list': { tools: [] } })
    const all = createMemorySession({}, { capabilities: { tools: {}, resources: {}, prompts: {} } })
    await Promise.all([nothing, tools, all].map(read))
    expect([nothing, tools, all].map(({ asked }) => asked.map(({ method }) => method))).toEqual([
      [],
      ['tools/list'],
      ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'],
    ])
  })

  test('a capability that is `null` or `false` is none', async () => {
    const session = createMemorySession(
      {},
      { capabilities: { tools: null, prompts: false, resources: null } },
    )
    await read(session)
    expect(session.asked).toEqual([])
  })

  test('every page, with the cursor as it came', async () => {
    const pages: Readonly<Record<string, object>> = {
      undefined: { tools: [tool('a')], nextCursor: 'two' },
      two: { tools: [], nextCursor: 3 },
      3: { tools: [], nextCursor: '' },
      '': { tools: [tool('b')], nextCursor: null },
    }
    const session = createMemorySession({ 'tools/list': ({ cursor }) => ({ ...pages[String(cursor)] }) })
    expect((await read(session)).tools).toEqual([tool('a'), tool('b')])
    expect(session.asked.map(({ params }) => params)).toEqual([
      undefined,
      { cursor: 'two' },
      { cursor: 3 },
      { cursor: '' },
    ])
  })
})

describe('what comes out', () => {
  test('the whole offering of a server that has everything', async () => {
    const session = createMemorySession({
      'tools/list': {
        tools: [{ ...tool('a'), 'x-vendor': { deep: [null] } }],
        ttlMs: 5_000,
        cacheScope: 'public',
      },
      'resources/list': {
        resources: [{ uri: 'file:///a', name: 'a', size: 3 }],
        ttlMs: 1_000,
        cacheScope: 'private',
      },
      'resources/templates/list': {
        resourceTemplates: [{ uriTemplate: 'file:///{p}', name: 'p' }],
        ttlMs: -1,
      },
      'prompts/list': { prompts: [{ name: 'greet' }], cacheScope: 'secret' },
    })
    expect(await read(session)).toEqual({
      hello: session.hello,
      tools: [{ ...tool('a'), 'x-vendor': { deep: [null] } }],
      resources: [{ uri: 'file:///a', name: 'a', size: 3 }],
      resourceTemplates: [{ uriTemplate: 'file:///{p}', name: 'p' }],
      prompts: [{ name: 'greet' }],
      quarantined: [],
      problems: [],
      caching: {
        tool: { ttlMs: 5_000, cacheScope: 'public' },
        resource: { ttlMs: 1_000, cacheScope: 'private' },
      },
    })
  })

  test('the shortest time of all pages and the stricter scope, and nothing where nothing is said', async () => {
    const answer: Answer = ({ cursor }) =>
      cursor === undefined
        ? { tools: [], ttlMs: 7, nextCursor: 'b' }
        : { tools: [], ttlMs: 0, cacheScope: 'public' }
    const { caching } = await read(createMemorySession({ 'tools/list': answer }))
    expect(caching).toEqual({ tool: { ttlMs: 0 } })
    const silent = await read(createMemorySession({ 'tools/list': { tools: [] } }))
    expect(Object.keys(silent)).not.toContain('caching')
  })

  test.each([
    ['public', 'public', 'public'],
    ['public', 'private', 'private'],
    ['private', undefined, 'private'],
    ['public', undefined, undefined],
    [undefined, undefined, undefined],
  ])('the strictest scope of all pages: %s, %s', async (first, second, expected) => {
    const answer: Answer = ({ cursor }) =>
      cursor === undefined
        ? { tools: [], cacheScope: first, nextCursor: 'b' }
        : { tools: [], cacheScope: second }
    const { caching } = await read(createMemorySession({ 'tools/list': answer }))
    expect(caching?.tool?.cacheScope).toBe(expected)
  })

  test('a tool is the very object that came, unless a field was `null`', async () => {
    const came = [tool('a'), { ...tool('b'), description: null, annotations: null, _meta: { x: null } }]
    const { tools } = await read(createMemorySession({ 'tools/list': { tools: came } }))
    expect(tools[0]).toBe(came[0])
    expect(tools[1]).toEqual({ ...tool('b'), _meta: { x: null } })
    expect(came[1]).toHaveProperty('description', null)
  })

  test('a list that is `null` is empty', async () => {
    expect((await read(createMemorySession({ 'tools/list': { tools: null } }))).tools).toEqual([])
  })
})

describe('bad items', () => {
  test('each has a reason, and its neighbours stay', async () => {
    const items = [
      tool('good'),
      null,
      'text',
      [tool('in a list')],
      { inputSchema: OBJECT },
      { name: '', inputSchema: OBJECT },
      { name: 7, inputSchema: OBJECT },
      { name: null, inputSchema: OBJECT },
      { name: 'no_schema' },
      { name: 'null_schema', inputSchema: null },
      { name: 'list_schema', inputSchema: [] },
      { name: 'true_schema', inputSchema: true },
      { ...tool('good'), description: 'an impostor' },
      { name: 'untyped', inputSchema: {} },
    ]
    expect(await judgeTools(items)).toEqual([
      ['good', 'untyped'],
      [
        '#2: it must be an object, but is `null`',
        '#3: it must be an object, but is text',
        '#4: it must be an object, but is a list',
        '#5: it has no `name`',
        '#6: its `name` is empty',
        '#7: its `name` must be text, but is a number',
        '#8: it has no `name`',
        'no_schema: it has no `inputSchema`',
        'null_schema: it has no `inputSchema`',
        'list_schema: its `inputSchema` must be an object, but is a list',
        'true_schema: its `inputSchema` must be an object, but is a boolean',
        'good: a tool before it has the same `name`',
      ],
    ])
  })

  test('a name taken by a bad tool is still free', async () => {
    const [names] = await judgeTools([{ name: 'a' }, tool('a')])
    expect(names).toEqual(['a'])
  })

  test('a tool that is nested too deep for any program is kept out, and stops nobody', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as object
    const answer: Answer = ({ cursor }) =>
      cursor === undefined
        ? { tools: [tool('a'), { name: 'deep', inputSchema: deep }], nextCursor: 'b' }
        : { tools: [tool('b')] }
    const offering = await read(createMemorySession({ 'tools/list': answer }))
    expect(offering.tools).toEqual([tool('a'), tool('b')])
    expect(offering.quarantined).toEqual([
      { kind: 'tool', name: '#2', reason: 'it is nested more than 200 levels deep' },
    ])
  })

  test('resources are known by their address, and may lack a name', async () => {
    const offering = await read(
      createMemorySession({
        'resources/list': {
          resources: [
            { uri: 'a:1' },
            { uri: 'a:2', name: 'a:1' },
            { uri: 'a:1', name: 'again' },
            { name: 'lost' },
          ],
        },
        'resources/templates/list': {
          resourceTemplates: [{ uriTemplate: 'a:{x}', name: 'x' }, { uriTemplate: 'a:{y}' }, { name: 'z' }],
        },
        'prompts/list': { prompts: [{ name: 'p' }, { name: 'p' }, {}] },
      }),
    )
    expect(offering.resources).toEqual([
      { uri: 'a:1', name: 'a:1' },
      { uri: 'a:2', name: 'a:1' },
    ])
    expect(offering.resourceTemplates).toEqual([{ uriTemplate: 'a:{x}', name: 'x' }])
    expect(offering.prompts).toEqual([{ name: 'p' }])
    expect(offering.quarantined).toEqual([
      { kind: 'resource', name: 'again', reason: 'a resource before it has the same `uri`' },
      { kind: 'resource', name: 'lost', reason: 'it has no `uri`' },
      { kind: 'resource-template', name: '#2', reason: 'it has no `name`' },
      { kind: 'resource-template', name: 'z', reason: 'it has no `uriTemplate`' },
      { kind: 'prompt', name: 'p', reason: 'a prompt before it has the same `name`' },
      { kind: 'prompt', name: '#3', reason: 'it has no `name`' },
    ])
  })

  test('whatever a server lists, every item is offered or has a reason', async () => {
    const item = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { name: fc.oneof(fc.constantFrom('a', 'b', ''), fc.jsonValue()), inputSchema: fc.jsonValue() },
        { requiredKeys: [] },
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(item), async (items) => {
        const [names, reasons] = await judgeTools(items)
        expect(names.length + reasons.length).toBe(items.length)
        expect(new Set(names).size).toBe(names.length)
      }),
    )
  })
})

describe('headers in schemas', () => {
  const bad = { name: 'bad', inputSchema: { properties: { a: { type: 'number', 'x-mcp-header': 'A' } } } }
  const reason = 'its schema declares a header for `a`, which is not a string, an integer or a boolean'

  test.each([
    ['modern', 'http', [{ kind: 'tool', name: 'bad', reason }]],
    ['modern', 'stdio', []],
    ['legacy', 'http', []],
  ] as const)('a wrong one counts in the %s era over %s: %j', async (era, wire, quarantined) => {
    const session = createMemorySession({ 'tools/list': { tools: [bad] } }, { era, wire })
    expect((await read(session)).quarantined).toEqual(quarantined)
  })
})

describe('lists without end', () => {
  let page = 0
  const forever: Answer = () => ({ tools: [tool(`t${page++}`)], nextCursor: `c${page}` })
  const again: Answer = () => ({ tools: [tool(`t${page++}`)], nextCursor: 'again' })
  const same: Answer = () => ({ tools: [tool('t')], nextCursor: `c${page++}` })
  const crowd: Answer = () => ({ tools: Array.from({ length: 60_000 }, () => 1), nextCursor: `c${page++}` })
  const heavy: Answer = () => ({ tools: ['x'.repeat(10_000_000), page++], nextCursor: `c${page}` })
  const longCursor: Answer = () => ({ tools: [page++], nextCursor: `${page}${'x'.repeat(10_000_000)}` })

  test.each([
    ['always another cursor', forever, 'there are more than 1,000 pages'],
    ['the same cursor', again, 'page 2 leads back to a page before it'],
    ['the same page', same, 'page 2 is the same as page 1'],
    ['too many items', crowd, 'there are more than 100,000 of them'],
    ['too much text', heavy, 'they take more than 64 MB'],
    ['too much cursor', longCursor, 'they take more than 64 MB'],
  ])('%s', async (_, answer, reason) => {
    const failure = await read(createMemorySession({ 'tools/list': answer })).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ListError)
    expect((failure as ListError).problem).toEqual({
      code: 'list/endless',
      severity: 'error',
      message: `the server lists its tools without end: ${reason}`,
      notes: ['nothing of this list is used'],
      hints: [],
    })
  })

  test('a single page of too many items is one too', async () => {
    const items = Array.from({ length: 100_001 }, () => 1)
    await expect(read(createMemorySession({ 'tools/list': { tools: items } }))).rejects.toThrow(ListError)
  })

  test('time runs out between two pages', async () => {
    let now = 0
    const session = createMemorySession({
      'tools/list': () => {
        now += 400
        return { tools: [tool(`t${now}`)], nextCursor: `c${now}` }
      },
    })
    await expect(list(session, { clock: { ...clock, now: () => now }, timeoutMs: 1_000 })).rejects.toThrow(
      'the server lists its tools without end: after 1200 ms and 3 pages there are more',
    )
  })

  test('a server that never stops listing resources still has its tools', async () => {
    const resources: Answer = () => ({ resources: [{ uri: `a:${page++}` }], nextCursor: 'again' })
    const session = createMemorySession({ 'tools/list': { tools: [tool('a')] }, 'resources/list': resources })
    const offering = await read(session)
    expect(offering).toMatchObject({ tools: [tool('a')], resources: [] })
    expect(offering.problems).toMatchObject([{ code: 'list/endless', severity: 'warning' }])
  })

  test('an empty cursor that leads to the same page or is refused means the end', async () => {
    const repeats = createMemorySession({ 'tools/list': { tools: [tool('a')], nextCursor: '' } })
    expect((await read(repeats)).tools).toEqual([tool('a')])
    const refuses = createMemorySession({
      'tools/list': ({ cursor }) => {
        if (cursor === '') throw rpcError({ code: -32602, message: 'Invalid cursor' })
        return { tools: [tool('a')], nextCursor: '' }
      },
    })
    expect((await read(refuses)).tools).toEqual([tool('a')])
  })
})

describe('failures', () => {
  const fails = (error: unknown): Answer => {
    return () => {
      throw error
    }
  }

  test('a method the server advertises and does not know is an empty list', async () => {
    const session = createMemorySession({}, { capabilities: { tools: {}, resources: {}, prompts: {} } })
    expect(await read(session)).toMatchObject({ tools: [], resources: [], prompts: [], problems: [] })
  })

  test('the tools decide: their failure is the failure, and ends the other lists', async () => {
    const error = rpcError({ code: -32603, message: 'broken' })
    const session = createMemorySession({ 'tools/list': fails(error), 'resources/list': silence })
    await expect(read(session)).rejects.toBe(error)
  })

  test('an answer without a list is a bad answer', async () => {
    const failure = await read(createMemorySession({ 'tools/list': { items: [] } })).catch(
      (error: unknown) => error,
    )
    expect((failure as SessionError).failure).toEqual({
      kind: 'bad-answer',
      message: 'the answer to `tools/list` holds no list `tools`',
    })
  })

  test('other lists that fail are empty and say why, in words that cannot harm a terminal', async () => {
    const session = createMemorySession({
      'tools/list': { tools: [tool('a')] },
      'resources/list': fails(rpcError({ code: -32000, message: `\u001B[2J${'x'.repeat(1_000)}` })),
      'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'a:{x}', name: 'x' }] },
      'prompts/list': fails(new SessionError({ kind: 'timeout', afterMs: 5 })),
    })
    const offering = await read(session)
    expect(offering).toMatchObject({ tools: [tool('a')], resources: [], prompts: [] })
    expect(offering.resourceTemplates).toHaveLength(1)
    const words = 'the server answered with error -32000: \\x1b[2J'
    expect(offering.problems).toEqual([
      {
        code: 'list/failed',
        severity: 'warning',
        message: 'the server could not list its resources',
        notes: [words.padEnd(300 + '\\x1b'.length - 1, 'x'), 'its tools are not affected'],
        hints: [],
      },
      {
        code: 'list/failed',
        severity: 'warning',
        message: 'the server could not list its prompts',
        notes: ['no answer within 5 ms', 'its tools are not affected'],
        hints: [],
      },
    ])
  })

  test('aborting ends it, also when only another list is awaited', async () => {
    const controller = new AbortController()
    const session = createMemorySession({ 'tools/list': { tools: [tool('a')] }, 'prompts/list': silence })
    const listing = list(session, { clock, signal: controller.signal })
    controller.abort()
    await expect(listing).rejects.toThrow('the request was aborted')
  })

  test('the time limit goes to every request', async () => {
    const limits: unknown[] = []
    const answer: Answer = (_, { timeoutMs }) => {
      limits.push(timeoutMs)
      return { tools: [], prompts: [] }
    }
    await list(createMemorySession({ 'tools/list': answer, 'prompts/list': answer }), {
      clock,
      timeoutMs: 70,
    })
    expect(limits).toEqual([70, 70])
  })
})
