/**
 * builtin-tools: what a model gets, from servers made by hand and from real ones.
 */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BuiltinName } from '../../src/model/builtin.ts'
import type { Params, Result } from '../../src/model/message.ts'
import { ToolAbortError } from '../../src/model/outcome.ts'
import type { Permissions } from '../../src/model/permission.ts'
import { SessionError } from '../../src/model/session.ts'
import { denyBuiltin } from '../../src/pipeline/permit/permit-builtin.ts'
import { createProblem } from '../../src/problem/problem.ts'
import { BUILTIN_TOOLS, callBuiltin, findBuiltin } from '../../src/runtime/builtin-tools.ts'
import type { KnownServer } from '../../src/runtime/standing.ts'
import { officialEntry, openTestBoard, serverEntry } from '../boards/open.ts'
import { problemOf } from '../boards/watch.ts'
import { known, offering } from './servers-known.ts'

type Request = (server: string, method: string, params?: Params) => Promise<Result>

const NOBODY: Request = (server, method) => Promise.reject(new Error(`${server} was asked for ${method}`))

function run(
  servers: readonly KnownServer[],
  [name, args = {}]: readonly [BuiltinName, Params?],
  request: Request = NOBODY,
): Promise<Result> {
  return callBuiltin({ snapshot: () => ({ servers }), request }, { name, args })
}

function textOf({ content }: Result): string {
  return (content as { readonly text: string }[]).map(({ text }) => text).join('\n')
}

const DOCS = offering({
  resources: [
    { uri: 'file:///guide.md', name: 'guide', title: 'The guide', mimeType: 'text/markdown', size: 12 },
    { uri: 'file:///notes.txt', name: 'file:///notes.txt', description: 'Notes\nof   all\tkinds' },
  ],
  templates: [{ uriTemplate: 'file:///{+path}', name: 'files', description: 'Any file' }],
  prompts: [
    {
      name: 'review',
      title: 'Review',
      description: 'Reviews a change.',
      arguments: [{ name: 'pr', description: 'Its number', required: true }, { name: 'tone' }],
    },
    { name: 'plain' },
  ],
})

describe('a listing', () => {
  it('has whole URIs, names and what there is beside, and marks templates', async () => {
    const result = await run([known('docs', DOCS)], ['listMcpResources'])
    expect(result).toEqual({
      content: [
        {
          type: 'text',
          text: [
            '## docs',
            '- file:///guide.md (The guide, text/markdown, 12 bytes)',
            '- file:///notes.txt: Notes of all kinds',
            '- template file:///{+path} (files): Any file',
          ].join('\n'),
        },
      ],
    })
  })

  it('of prompts has their arguments', async () => {
    expect(textOf(await run([known('docs', DOCS)], ['listMcpPrompts']))).toBe(
      [
        '## docs',
        '- review (Review): Reviews a change.',
        '  - pr (required): Its number',
        '  - tone',
        '- plain',
      ].join('\n'),
    )
  })

  it('says of each server that is not ready why, and what to do, and shows the others', async () => {
    const servers = [
      known('a-idle', undefined, 'idle'),
      known('b-starts', undefined, 'connecting'),
      known('c-waits', undefined, 'waiting'),
      known('d-failed', DOCS, 'failed'),
      known('e-signed-out', undefined, 'needs-auth'),
      known('f-back-soon', offering({ resources: [{ uri: 'a:b', name: 'b' }] }), 'connecting'),
      known('g-empty', offering()),
      known('h-broken', offering({ unlisted: ['resource'] })),
      known('i-other', offering({ unlisted: ['prompt'] })),
    ]
    expect(textOf(await run(servers, ['listMcpResources']))).toBe(
      [
        '## a-idle',
        'not connected, so its resources are not known: a call to it connects it',
        '## b-starts',
        'still connecting, so its resources are not known: ask again in a moment',
        '## c-waits',
        'not connected, and tried again: it exited with code 3 (for the user: run `plugboard logs x`)',
        '## d-failed',
        'not available: it exited with code 3 (for the user: run `plugboard logs x`)',
        '## e-signed-out',
        'not available: it exited with code 3 (for the user: run `plugboard logs x`)',
        '## f-back-soon',
        'as last seen: it is not connected at the moment, and is tried again',
        '- a:b (b)',
        '## h-broken',
        'not everything is shown: it could not list its resources',
      ].join('\n'),
    )
  })

  it('of one server says also that it has nothing', async () => {
    const servers = [known('docs', DOCS), known('empty', offering())]
    expect(textOf(await run(servers, ['listMcpPrompts', { server: 'empty' }]))).toBe(
      '## empty\nit has no prompts',
    )
    expect(textOf(await run(servers, ['listMcpPrompts', { server: 'docs' }]))).toContain('- plain')
  })

  it('of nothing says so', async () => {
    expect(textOf(await run([], ['listMcpResources']))).toBe('No MCP server has resources.')
    expect(textOf(await run([known('x', offering())], ['listMcpPrompts']))).toBe('No MCP server has prompts.')
  })

  it.each([
    [{ server: 'doc' }, 'no MCP server is named "doc". Did you mean "docs"? There are: "docs", "zoo".'],
    [
      { cursor: 'here' },
      'this is no cursor of listMcpResources: repeat what the page before said at its end',
    ],
    [{ cursor: 7 }, 'this is no cursor of listMcpResources: repeat what the page before said at its end'],
  ])('that cannot be given is an error the model can act on: %j', async (args, text) => {
    const result = await run([known('docs', DOCS), known('zoo')], ['listMcpResources', args])
    expect(result).toEqual({ content: [{ type: 'text', text }], isError: true })
  })

  it('cannot be made to look like more than it is', async () => {
    const servers = [
      known(
        'x',
        offering({
          resources: [
            { uri: 'a b\n## y\n- c:d', name: '\n## y' },
            { uri: 'e:f', name: 'g', description: 'h\n## y\n- i:j' },
            { uri: `k:${'l'.repeat(5000)}`, name: 'long' },
          ],
        }),
      ),
    ]
    expect(textOf(await run(servers, ['listMcpResources'])).split('\n')).toEqual([
      '## x',
      '- "a b\\n## y\\n- c:d" (## y)',
      '- e:f (g): h ## y - i:j',
      `- k:${'l'.repeat(98)}… (5002 characters, too long to show) (long)`,
    ])
  })
})

describe('the pages of a long listing', () => {
  const many = (count: number, size: number): KnownServer['offering'] =>
    offering({
      resources: Array.from({ length: count }, (_, i) => ({
        uri: `file:///${i}`,
        name: `f${i}`,
        description: 'x'.repeat(size),
      })),
    })

  /** Every page, by following what each says at its end. */
  async function readAll(servers: readonly KnownServer[], given: Params = {}): Promise<readonly string[]> {
    const pages: string[] = []
    for (let cursor: string | undefined, isMore = true; isMore;) {
      const args = cursor === undefined ? given : { ...given, cursor }
      const page = textOf(await run(servers, ['listMcpResources', args]))
      pages.push(page)
      const [, next] = /^There are more: .*cursor (".*")\.$/m.exec(page) ?? []
      isMore = next !== undefined
      cursor = isMore ? (JSON.parse(next!) as string) : undefined
    }
    return pages
  }

  const urisIn = (pages: readonly string[]): readonly string[] =>
    pages.flatMap((page) => page.match(/(?<=^- )file:\S+/gm) ?? [])

  it('have each thing once, and are bounded', async () => {
    const servers = [known('a', many(100, 250)), known('b:1', many(300, 250)), known('c', many(3, 10))]
    const pages = await readAll(servers)
    expect(pages.length).toBeGreaterThan(3)
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThan(21_000)
    const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => `file:///${i}`)
    expect(urisIn(pages)).toEqual([...numbers(100), ...numbers(300), ...numbers(3)])
    expect(pages[1]).toMatch(/^## a\n\(continued\)\n- /)
  })

  it('of one server stay with it', async () => {
    const pages = await readAll([known('a', many(100, 250)), known('b', many(5, 250))], { server: 'a' })
    expect(urisIn(pages)).toHaveLength(100)
    expect(pages[0]).toContain('call listMcpResources with server "a" and cursor "a:')
  })

  it('go on when the server is gone, or has less than before', async () => {
    const servers = [known('b', many(2, 1)), known('c', many(1, 1))]
    const after = (cursor: string): Promise<string> =>
      run(servers, ['listMcpResources', { cursor }]).then(textOf)
    expect(await after('a:50')).toMatch(/^## b\n- file:\/\/\/0/)
    expect(await after('b:50')).toMatch(/^## c\n- file:\/\/\/0/)
    expect(await after('d:0')).toBe('There are no more.')
  })

  it('never fail and never grow, whatever servers list', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 2000 })
    const items = fc.array(fc.record({ uri: text, name: text, description: text, title: fc.anything() }))
    await fc.assert(
      fc.asyncProperty(items, fc.anything(), async (resources, size) => {
        const servers = [known('x', offering({ resources: resources.map((one) => ({ ...one, size })) }))]
        for (const page of await readAll(servers)) expect(page.length).toBeLessThan(30_000)
      }),
      { numRuns: 50 },
    )
  })
})

describe('reading', () => {
  it('asks the server, and gives text as a resource, pictures and sound as such', async () => {
    const asked: unknown[] = []
    const contents = [
      { uri: 'a:b', mimeType: 'text/plain', text: 'hello' },
      { uri: 'a:c', mimeType: 'image/png', blob: 'iVBORw0KGgo=' },
      { uri: 'a:d', mimeType: 'audio/wav', blob: 'UklGRg==' },
      { uri: 'a:e', mimeType: 'application/pdf', blob: 'JVBERg==' },
    ]
    const result = await run(
      [known('x', DOCS)],
      ['readMcpResource', { server: 'x', uri: 'a:b' }],
      async (...all) => {
        asked.push(all.slice(0, 3))
        return { contents }
      },
    )
    expect(asked).toEqual([['x', 'resources/read', { uri: 'a:b' }]])
    expect(result).toEqual({
      content: [
        { type: 'resource', resource: contents[0] },
        { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
        { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' },
        { type: 'resource', resource: contents[3] },
      ],
    })
  })

  it('a template that was not filled in says so, and asks nobody', async () => {
    const result = await run([known('x', DOCS)], ['readMcpResource', { server: 'x', uri: 'file:///{+path}' }])
    expect(result).toEqual({
      content: [
        {
          type: 'text',
          text: 'this is a template, and not yet a URI: replace {path} in it, and read it again',
        },
      ],
      isError: true,
    })
  })

  it('a prompt gives its messages, each with who says it', async () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }
    const result = await run(
      [known('x', DOCS)],
      ['getMcpPrompt', { server: 'x', name: 'review', arguments: { pr: '7' } }],
      async (_server, _method, params) => ({
        messages: [
          { role: 'user', content: { type: 'text', text: JSON.stringify(params) } },
          { role: 'assistant', content: image },
        ],
      }),
    )
    expect(result['content']).toEqual([
      { type: 'text', text: 'user: {"name":"review","arguments":{"pr":"7"}}' },
      { type: 'text', text: 'assistant:' },
      image,
    ])
  })

  it.each([
    ['readMcpResource', { server: 'x', uri: 'a:b' }],
    ['getMcpPrompt', { server: 'x', name: 'a' }],
  ] as const)('%s: an answer that is none is a failure, an empty one is not', async (name, args) => {
    await expect(run([], [name, args], async () => ({}))).rejects.toBeInstanceOf(SessionError)
    const empty = await run([], [name, args], async () => ({ contents: [], messages: [] }))
    expect(textOf(empty)).toBe('(it is empty)')
  })
})

describe('on a board', () => {
  it('resources and prompts of the official server-everything are listed and read', async () => {
    await using test = await openTestBoard({
      everything: officialEntry('everything'),
      dead: serverEntry('dies-in-handshake'),
    })
    const { board } = test
    expect(board.builtinTools()).toEqual(BUILTIN_TOOLS)
    const say = async (name: BuiltinName, args: Params = {}): Promise<Result> =>
      callBuiltin(board, { name, args })
    const list = textOf(await say('listMcpResources'))
    expect(list).toMatch(
      /^## dead\nnot (?:available|connected, and tried again): Failed to connect to "dead"/,
    )
    expect(list).toContain('\n- demo://resource/static/document/features.md (features.md, text/markdown')
    expect(list).toContain('\n- template demo://resource/dynamic/text/{resourceId} (Dynamic Text Resource')
    expect(textOf(await say('listMcpPrompts', { server: 'everything' }))).toContain(
      '\n  - city (required): Name of the city\n',
    )
    const uri = 'demo://resource/dynamic/text/7'
    expect(await say('readMcpResource', { server: 'everything', uri })).toMatchObject({
      content: [
        { type: 'resource', resource: { uri, text: expect.stringContaining('Resource 7') as string } },
      ],
    })
    const prompt = await say('getMcpPrompt', {
      server: 'everything',
      name: 'args-prompt',
      arguments: { city: 'Bern' },
    })
    expect(textOf(prompt)).toBe("user: What's weather in Bern?")
  })

  it('reading waits for the connection, and what fails is told as for any request', async () => {
    await using test = await openTestBoard({ x: serverEntry('tells-changes') }, { only: [] })
    const read = (args: Params): Promise<Result> => callBuiltin(test.board, { name: 'readMcpResource', args })
    expect(await read({ server: 'x', uri: 'note://one' })).toEqual({
      content: [{ type: 'resource', resource: { uri: 'note://one', text: 'this is note://one' } }],
    })
    expect(await problemOf(read({ server: 'y', uri: 'note://one' }))).toMatchObject({
      code: 'connect/unknown-server',
    })
  })

  it('their names and schemas are the agreed ones', () => {
    expect(
      BUILTIN_TOOLS.map(({ name, access, inputSchema }) => [name, access, inputSchema['required']]),
    ).toEqual([
      ['listMcpResources', 'list', undefined],
      ['readMcpResource', 'read', ['server', 'uri']],
      ['listMcpPrompts', 'list', undefined],
      ['getMcpPrompt', 'read', ['server', 'name']],
    ])
    expect(findBuiltin('readMcpResource')?.access).toBe('read')
    expect(findBuiltin('mcp__x__readMcpResource')).toBeUndefined()
  })
})

describe('called as any tool', () => {
  const NOTES = { x: serverEntry('tells-changes') }
  const ONE = { server: 'x', uri: 'note://one' }

  it('a resource of a real server is read, and nobody is asked', async () => {
    await using test = await openTestBoard(NOTES, { only: [] })
    expect(await test.board.call('readMcpResource', ONE)).toMatchObject({
      outcome: 'done',
      text: expect.stringContaining('this is note://one') as string,
      isError: false,
      content: [{ type: 'resource', resource: { uri: 'note://one', text: 'this is note://one' } }],
      details: {
        serverName: 'x',
        mcpToolName: 'readMcpResource',
        name: 'readMcpResource',
        label: 'plugboard',
      },
    })
  })

  it('plan mode allows to list', async () => {
    await using test = await openTestBoard(NOTES, { mode: 'plan', wait: 'all' })
    const result = await test.board.call('listMcpResources')
    expect(result).toMatchObject({ outcome: 'done', details: { serverName: '' } })
    expect(result.text).toContain('note://one')
  })

  it('plan mode does not allow to read, until it is left', async () => {
    await using test = await openTestBoard(NOTES, { mode: 'plan', only: [] })
    expect(await test.board.call('readMcpResource', ONE, { who: 'person' })).toMatchObject({
      outcome: 'not-sent',
      code: 'denied',
      problem: { code: 'permit/denied', message: 'plan mode does not allow `readMcpResource`' },
    })
    expect(test.board.snapshot().servers[0]?.connection.state).toBe('idle')
    ;(await test.board.permissions()).setMode('default')
    expect(await test.board.call('readMcpResource', ONE)).toMatchObject({ outcome: 'done' })
  })

  it.each(['readMcpResource', 'READMCP*', '*', '{getMcpPrompt,readMcpResource}'])(
    'a rule that denies `%s` holds',
    async (tool) => {
      await using test = await openTestBoard(NOTES, { rules: [{ tool, action: 'deny' }], only: [] })
      expect(await test.board.call('readMcpResource', ONE)).toMatchObject({
        code: 'denied',
        problem: {
          message: 'policy does not allow `readMcpResource`',
          hints: [
            'to see every rule that was considered, run `plugboard permissions explain readMcpResource`',
          ],
        },
      })
    },
  )

  it.each(['mcp__y', 'listMcpResources'])('a rule that denies `%s` is about another tool', async (tool) => {
    await using test = await openTestBoard(NOTES, { rules: [{ tool, action: 'deny' }], only: [] })
    expect(await test.board.call('readMcpResource', ONE)).toMatchObject({ outcome: 'done' })
  })

  it.each(['mcp__x', 'mcp__x__*', 'mcp__X'])(
    'a rule that denies `%s` keeps it from reading of `x`',
    async (tool) => {
      await using test = await openTestBoard(NOTES, { rules: [{ tool, action: 'deny' }], only: [] })
      const result = await test.board.call('readMcpResource', { server: 'x', uri: 'note:a' })
      expect(result).toMatchObject({ outcome: 'not-sent', code: 'denied' })
    },
  )

  it('what goes wrong has an outcome', async () => {
    await using test = await openTestBoard(NOTES)
    const { board } = test
    expect(await board.call('readMcpResource', { server: 'x' })).toMatchObject({
      code: 'bad-arguments',
      problem: { message: 'the arguments do not fit `readMcpResource`, so it was not called' },
    })
    expect(await board.call('readMcpResource', { ...ONE, server: 'y' })).toMatchObject({
      code: 'not-connected',
      problem: { code: 'connect/unknown-server' },
      details: { serverName: 'y' },
    })
    expect(await board.call('getMcpPrompt', { server: 'x', name: 'none' })).toMatchObject({
      outcome: 'failed',
      problem: { code: 'call/failed' },
    })
    const gone = board.call('readMcpResource', ONE, { signal: AbortSignal.abort() })
    await expect(gone).rejects.toBeInstanceOf(ToolAbortError)
  })
})

describe('may a tool of our own run?', () => {
  const NOTHING_SAID: Permissions = { mode: 'default', rules: [], grants: [], pins: [], filters: [] }
  const LIST = findBuiltin('listMcpResources')!

  it('not where the rules cannot be understood, whatever it does', () => {
    const broken = createProblem({ code: 'x/y', message: 'no' })
    expect(denyBuiltin({ ...NOTHING_SAID, broken }, LIST)).toEqual({ kind: 'unreadable', problem: broken })
  })

  it('for a fork, when it was given the tool', () => {
    const verdict = (...filters: string[][]): unknown => denyBuiltin({ ...NOTHING_SAID, filters }, LIST)
    expect(verdict(['list*'], ['mcp__x', 'listMcpResources'])).toBeUndefined()
    expect(verdict(['list*'], ['mcp__x'])).toEqual({ kind: 'filter' })
  })
})
