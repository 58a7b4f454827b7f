/**
 * transfer: what an import and an export would write, and what they leave alone.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadCatalog } from '../../../src/runtime/load-catalog.ts'
import { AGENTS, requireAgent, type Agent } from '../../../src/runtime/manage/agents.ts'
import { planExport, type ExportRequest } from '../../../src/runtime/manage/export.ts'
import { planImport, type ImportRequest } from '../../../src/runtime/manage/import.ts'
import type { Transfer } from '../../../src/runtime/manage/transfer.ts'
import { previewTransfer, writeTransfer } from '../../../src/runtime/manage/write-transfer.ts'
import { createMemoryWorld, type MemoryOptions, type MemoryWorld } from '../../worlds/memory.ts'

const OURS = '/home/ada/.config/plugboard/mcp.json'
const OUR_PROJECT = '/src/shop/.plugboard/mcp.json'
const CURSOR = '/home/ada/.cursor/mcp.json'

const servers = (map: object, key = 'mcpServers'): string =>
  `${JSON.stringify({ [key]: map }, undefined, 2)}\n`

function world(files: Readonly<Record<string, string>>, options: MemoryOptions = {}): MemoryWorld {
  return createMemoryWorld({ files: { '/src/shop/.git/HEAD': '', ...files }, ...options })
}

async function importInto(
  machine: MemoryWorld,
  request: Partial<ImportRequest> & { readonly agent: Agent },
): Promise<Transfer> {
  const loaded = await loadCatalog(machine)
  const transfer = await planImport(machine, loaded, { names: 'all', scope: 'user', ...request })
  if (transfer.planned.length > 0) await writeTransfer(machine, transfer.target, transfer.planned)
  return transfer
}

async function exportFrom(
  machine: MemoryWorld,
  request: Partial<ExportRequest> & { readonly agent: Agent },
): Promise<Transfer> {
  const loaded = await loadCatalog(machine)
  const transfer = await planExport(machine, loaded, { names: 'ours', ...request })
  if (transfer.planned.length > 0) await writeTransfer(machine, transfer.target, transfer.planned)
  return transfer
}

function contentOf(machine: MemoryWorld, file: string): unknown {
  return JSON.parse(machine.stored.get(file) as string)
}

const leftOf = ({ left }: Transfer): readonly string[] => left.map(({ problem }) => problem.code)

describe('import', () => {
  test('a value that we would run or look up is marked as what it is', async () => {
    const machine = world({
      [CURSOR]: servers({
        a: { command: 'a', env: { X: '!rm', Y: 'HOME', Z: 'debug' } },
        b: { command: 'b', env: { Z: 'z' } },
      }),
    })
    await importInto(machine, { agent: 'cursor' })
    expect(contentOf(machine, OURS)).toEqual({
      mcpServers: {
        a: { command: 'a', env: { X: '!rm', Y: 'HOME', Z: 'debug' }, values: 'literal' },
        b: { command: 'b', env: { Z: 'z' } },
      },
    })
  })

  test('the other agent keeps its file as it is', async () => {
    const text = servers({ a: { command: 'a' } })
    const machine = world({ [CURSOR]: text })
    await importInto(machine, { agent: 'cursor' })
    expect(machine.stored.get(CURSOR)).toBe(text)
  })

  test('a name that is taken is left, with what is there; the same server is there already', async () => {
    const machine = world({
      [CURSOR]: servers({ a: { command: 'a' }, b: { command: 'b' } }),
      [OURS]: servers({ a: { command: 'mine', env: { TOKEN: 'hunter2' } }, b: { command: 'b' } }),
    })
    const transfer = await importInto(machine, { agent: 'cursor' })
    expect(transfer.there.map(({ entry }) => entry.found.name)).toEqual(['b'])
    expect(leftOf(transfer)).toEqual(['manage/exists'])
    const [{ problem }] = transfer.left as [Transfer['left'][number]]
    expect(problem.message).toBe(`Server "a" already exists in ${OURS}`)
    expect(problem.notes.join('\n')).toContain('mine')
    expect(problem.notes.join('\n')).not.toContain('hunter2')
  })

  test('one that somebody adds in the meantime is not written over', async () => {
    const machine = world({ [CURSOR]: servers({ a: { command: 'a' } }) })
    const loaded = await loadCatalog(machine)
    const transfer = await planImport(machine, loaded, { agent: 'cursor', names: 'all', scope: 'user' })
    const theirs = servers({ a: { command: 'theirs' } })
    await machine.files.update(OURS, 0o600, () => theirs)
    await expect(writeTransfer(machine, transfer.target, transfer.planned)).rejects.toThrow('already exists')
    expect(machine.stored.get(OURS)).toBe(theirs)
  })

  test("the user's own server comes before one of the repository that waits for approval", async () => {
    const machine = world({
      [CURSOR]: servers({ a: { command: 'mine' } }),
      '/src/shop/.cursor/mcp.json': servers({ a: { command: 'theirs' } }),
    })
    const { planned } = await importInto(machine, { agent: 'cursor' })
    expect(planned.map(({ entry }) => entry)).toEqual([{ command: 'mine' }])
  })

  test('literal secrets are exposed by a file of the project alone', async () => {
    const files = { [CURSOR]: servers({ a: { command: 'a', env: { API_KEY: 'hunter2', B: '${env:B}' } } }) }
    const [own] = (await importInto(world(files), { agent: 'cursor' })).planned
    const [shared] = (await importInto(world(files), { agent: 'cursor', scope: 'project' })).planned
    expect([own?.exposed, shared?.exposed]).toEqual([[], ['env.API_KEY']])
  })

  test('two names that become one are told', async () => {
    const machine = world({
      '/home/ada/.config/Claude/claude_desktop_config.json': servers({
        'Brave Search': { command: 'a' },
        'Brave-Search': { command: 'b' },
      }),
    })
    const transfer = await importInto(machine, { agent: 'claude-desktop' })
    expect([transfer.planned.length, leftOf(transfer)]).toEqual([1, ['manage/same-name']])
  })

  test('what comes with a plugin stays with it', async () => {
    const machine = world({
      '/home/ada/.gemini/extensions/x/gemini-extension.json': JSON.stringify({
        name: 'x',
        mcpServers: { a: { command: 'a' } },
      }),
    })
    await expect(importInto(machine, { agent: 'gemini', names: ['a'] })).rejects.toThrow(
      'comes from a plugin',
    )
    expect((await importInto(machine, { agent: 'gemini' })).planned).toEqual([])
  })

  test('a name that another agent has is found there', async () => {
    const machine = world({ [CURSOR]: servers({ a: { command: 'a' } }) })
    const asked = planImport(machine, await loadCatalog(machine), {
      agent: 'codex',
      names: ['a'],
      scope: 'user',
    })
    await expect(asked).rejects.toMatchObject({
      problem: { hints: ['Cursor has one: `plugboard import cursor …`'] },
    })
  })

  test('shell code in a value is copied as text, and told', async () => {
    const machine = world({
      '/home/ada/.config/crush/crush.json': servers(
        { a: { command: 'a', env: { T: '$(gh auth token)' } } },
        'mcp',
      ),
    })
    const [one] = (await importInto(machine, { agent: 'crush' })).planned
    expect(one?.entry).toEqual({ command: 'a', env: { T: '$(gh auth token)' } })
    expect(one?.losses).toEqual(['`env.T`: Plugboard runs no commands inside of values'])
    expect(machine.commands).toEqual([])
  })

  test('a relative path leads where it led', async () => {
    const machine = world({
      '/home/ada/.codex/config.toml':
        '[mcp_servers.a]\ncommand = "./bin/a"\n[mcp_servers.b]\ncommand = "b"\ncwd = "tools"\n',
      '/src/shop/.codex/config.toml': '[mcp_servers.c]\ncommand = "./c"\n',
    })
    await importInto(machine, { agent: 'codex', names: ['a', 'b'] })
    await importInto(machine, { agent: 'codex', names: ['c'], scope: 'project' })
    expect(contentOf(machine, OURS)).toEqual({
      mcpServers: {
        a: { command: '/home/ada/.codex/bin/a' },
        b: { command: 'b', cwd: '/home/ada/.codex/tools' },
      },
    })
    expect(contentOf(machine, OUR_PROJECT)).toEqual({ mcpServers: { c: { command: './.codex/c' } } })
  })
})

describe('import out of a project', () => {
  const PROJECT_CURSOR = '/src/shop/.cursor/mcp.json'

  test('leads to the same files from every other project', async () => {
    const machine = world({
      [PROJECT_CURSOR]: servers({
        a: { command: 'node', args: ['./a.js'] },
        b: { command: './b' },
        c: { command: 'node', args: ['tools/c.js'] },
        d: { command: 'npx', args: ['-y', '@acme/d'] },
        e: { command: 'node', args: ['e.js'], cwd: 'sub' },
      }),
      '/src/shop/tools/c.js': '',
    })
    await importInto(machine, { agent: 'cursor' })
    expect(contentOf(machine, OURS)).toEqual({
      mcpServers: {
        a: { command: 'node', args: ['./a.js'], cwd: '/src/shop' },
        b: { command: '/src/shop/b' },
        c: { command: 'node', args: ['tools/c.js'], cwd: '/src/shop' },
        d: { command: 'npx', args: ['-y', '@acme/d'] },
        e: { command: 'node', args: ['e.js'], cwd: '/src/shop/sub' },
      },
    })
  })

  test('within it, paths stay as they are', async () => {
    const machine = world({ [PROJECT_CURSOR]: servers({ a: { command: './a', args: ['./a.js'] } }) })
    await importInto(machine, { agent: 'cursor', scope: 'project' })
    expect(contentOf(machine, OUR_PROJECT)).toEqual({
      mcpServers: { a: { command: './a', args: ['./a.js'] } },
    })
  })
})

describe('export', () => {
  const ours = { files: { command: 'npx', args: ['-y', 'files', '${HOME}/notes'] } }

  test.each(AGENTS)('%s reads what was written, in the place it was written to', async (agent) => {
    const machine = world({ [OURS]: servers(ours) })
    const { target, planned } = await exportFrom(machine, { agent, names: ['files'] })
    expect(planned).toHaveLength(1)
    const { catalog } = await loadCatalog(machine)
    const found = catalog.entries.filter(({ entry }) => entry.found.origin.file === target.file)
    expect(found.map(({ entry }) => [entry.found.name, entry.found.origin.source, entry.kind])).toEqual([
      ['files', target.readAs, 'definition'],
    ])
  })

  test.each([
    ['claude-code', 'local', '/home/ada/.claude.json'],
    ['claude-code', 'project', '/src/shop/.mcp.json'],
    ['codex', 'project', '/src/shop/.codex/config.toml'],
    ['copilot', 'project', '/src/shop/.github/mcp.json'],
    ['opencode', 'project', '/src/shop/opencode.json'],
    ['crush', 'project', '/src/shop/crush.json'],
    ['vscode', 'project', '/src/shop/.vscode/mcp.json'],
  ] as const)('%s, %s scope: %s', async (agent, scope, file) => {
    const machine = world({ [OURS]: servers(ours) })
    const { target } = await exportFrom(machine, { agent, scope, names: ['files'] })
    expect(target.file).toBe(file)
    const { catalog } = await loadCatalog(machine)
    const [found] = catalog.entries.filter(({ entry }) => entry.found.origin.file === file)
    expect(found?.entry.found.origin.scope).toBe(scope)
  })

  test('an agent without such a file says so', async () => {
    const machine = world({ [OURS]: servers(ours) })
    await expect(exportFrom(machine, { agent: 'goose', scope: 'project' })).rejects.toThrow(
      'goose has no file for servers of the project scope',
    )
  })

  test('everything else in the file stays', async () => {
    const text =
      '// mine\n{\n  "mcpServers": {\n    "b": { "command": "b" }, // keep\n  },\n  "other": [1]\n}\n'
    const machine = world({ [OURS]: servers(ours), [CURSOR]: text })
    await exportFrom(machine, { agent: 'cursor' })
    expect(
      (machine.stored.get(CURSOR) as string).startsWith(
        '// mine\n{\n  "mcpServers": {\n    "b": { "command": "b" }, // keep\n    "files"',
      ),
    ).toBe(true)
    expect(machine.stored.get(CURSOR)).toContain('"other": [1]')
  })

  test('a file that is written in another way stays in that way', async () => {
    const machine = world({
      [OURS]: servers(ours),
      '/home/ada/.copilot/mcp-config.json': '{ "a": { "command": "a" } }',
      '/home/ada/.config/opencode/opencode.jsonc': '{ "mcp": { "servers": {} } }',
      '/home/ada/.claude.json': '{ "projects": { "/src/shop/": { "mcpServers": {} } } }',
    })
    await exportFrom(machine, { agent: 'copilot' })
    await exportFrom(machine, { agent: 'opencode' })
    await exportFrom(machine, { agent: 'claude-code', scope: 'local', names: ['files'] })
    expect(Object.keys(contentOf(machine, '/home/ada/.copilot/mcp-config.json') as object)).toEqual([
      'a',
      'files',
    ])
    expect(contentOf(machine, '/home/ada/.config/opencode/opencode.jsonc')).toHaveProperty(
      'mcp.servers.files',
    )
    const { projects } = contentOf(machine, '/home/ada/.claude.json') as { readonly projects: object }
    expect(Object.keys(projects)).toEqual(['/src/shop/'])
  })

  test('VS Code is told what to ask for, once', async () => {
    const machine = world({
      [OURS]: servers({ a: { command: 'a', env: { K: '${input:key}', L: '${input:known}' } } }),
      '/home/ada/.config/Code/User/mcp.json': '{ "inputs": [{ "id": "known", "type": "promptString" }] }',
    })
    await exportFrom(machine, { agent: 'vscode' })
    expect(contentOf(machine, '/home/ada/.config/Code/User/mcp.json')).toMatchObject({
      inputs: [{ id: 'known' }, { id: 'key', type: 'promptString', password: true }],
    })
  })

  test('what is off goes onto the list of names that are off, where there is one', async () => {
    const machine = world({ [OURS]: servers({ a: { command: 'a', enabled: false } }) })
    const { planned } = await exportFrom(machine, { agent: 'gemini' })
    expect(planned[0]?.losses).toEqual([])
    expect(contentOf(machine, '/home/ada/.gemini/settings.json')).toEqual({
      mcp: { excluded: ['a'] },
      mcpServers: { a: { command: 'a' } },
    })
  })

  test('what is off and would be on is exported by its name alone', async () => {
    const machine = world({ [OURS]: servers({ a: { command: 'a', enabled: false } }) })
    expect(leftOf(await exportFrom(machine, { agent: 'cursor' }))).toEqual(['manage/is-off'])
    const { planned } = await exportFrom(machine, { agent: 'cursor', names: ['a'] })
    expect(planned[0]?.losses).toEqual(['`enabled`: Cursor does not heed `disabled`: there it is on'])
  })

  test('a list of names that are off may stand in another file, which is shown and written too', async () => {
    const SETTINGS = '/home/ada/.copilot/settings.json'
    const machine = world({
      [OURS]: servers({ a: { command: 'a', enabled: false }, b: { command: 'b' } }),
      [SETTINGS]: '{\n  // mine\n  "disabledMcpServers": ["z"]\n}\n',
    })
    const plan = await planExport(machine, await loadCatalog(machine), { agent: 'copilot', names: 'ours' })
    expect((await previewTransfer(machine, plan.target, plan.planned)).map(({ file }) => file)).toEqual([
      '/home/ada/.copilot/mcp-config.json',
      SETTINGS,
    ])
    const { planned } = await exportFrom(machine, { agent: 'copilot' })
    expect(planned.map(({ name, losses }) => [name, losses])).toEqual([
      ['a', []],
      ['b', []],
    ])
    expect(machine.stored.get(SETTINGS)).toBe('{\n  // mine\n  "disabledMcpServers": ["z", "a"]\n}\n')
  })

  test('a list that cannot be written keeps the server from being written', async () => {
    const machine = world({
      [OURS]: servers({ a: { command: 'a', enabled: false } }),
      '/home/ada/.copilot/settings.json': '{ "disabledMcpServers": [',
    })
    await expect(exportFrom(machine, { agent: 'copilot' })).rejects.toMatchObject({
      problem: { code: 'edit/unparseable' },
    })
    expect(machine.stored.has('/home/ada/.copilot/mcp-config.json')).toBe(false)
  })

  test('Claude Code can turn off for one project alone, and that is told', async () => {
    const machine = world({ [OURS]: servers({ a: { command: 'a', enabled: false } }) })
    expect(leftOf(await exportFrom(machine, { agent: 'claude-code' }))).toEqual(['manage/is-off'])
    const { planned } = await exportFrom(machine, { agent: 'claude-code', names: ['a'] })
    expect(planned[0]?.losses).toEqual([
      '`enabled`: Claude Code turns servers off for one project at a time: elsewhere it is on',
    ])
    expect(contentOf(machine, '/home/ada/.claude.json')).toEqual({
      mcpServers: { a: { type: 'stdio', command: 'a' } },
      projects: { '/src/shop': { disabledMcpServers: ['a'] } },
    })
  })

  test.each([
    ['version 1', { experimental: { mcp_timeout: 7000 }, mcp: {} }, ['timeout', 'startupTimeout']],
    ['version 2', { mcp: { timeout: { request: 7000 }, servers: {} } }, ['timeout']],
  ])(
    'a limit that a file of opencode (%s) sets for all its servers is told, and changes nothing else',
    async (_, content, fields) => {
      const file = '/home/ada/.config/opencode/opencode.json'
      const machine = world({
        [OURS]: servers({ a: { command: 'a' }, own: { command: 'b', timeout: 500, startupTimeout: 500 } }),
        [file]: JSON.stringify(content),
      })
      const first = await exportFrom(machine, { agent: 'opencode' })
      expect(first.planned.map(({ name, losses }) => [name, losses])).toEqual([
        ['a', fields.map((field) => `\`${field}\`: opencode has a limit for every server of this file`)],
        ['own', []],
      ])
      const again = await exportFrom(machine, { agent: 'opencode' })
      expect(again).toMatchObject({ planned: [], left: [], there: [{}, {}] })
    },
  )

  test('what an agent lacks is not said to be lacking here', async () => {
    const machine = world({
      '/home/ada/.claude.json': servers({
        a: { command: 'a', cwd: '/src', oauth: { clientSecret: 'x' }, alwaysLoad: true },
      }),
    })
    const { planned } = await importInto(machine, { agent: 'claude-code' })
    expect(planned[0]?.losses).toEqual([
      '`cwd` is not used: Claude Code has no such field',
      '`oauth.clientSecret` is not used: Claude Code has no such field',
      '`alwaysLoad` is not used: it has no counterpart in Plugboard',
      '`oauth` is not used: a server of type `stdio` has no use for it',
    ])
  })

  test('a file of version 2 of opencode gets its words', async () => {
    const file = '/home/ada/.config/opencode/opencode.jsonc'
    const machine = world({
      [OURS]: servers({
        a: { url: 'https://a.example/mcp', timeout: 5000, startupTimeout: 900, oauth: { clientId: 'x' } },
        b: { command: 'b', enabled: false },
      }),
      [file]: '{ "mcp": { "servers": {} } }',
    })
    const { planned } = await exportFrom(machine, { agent: 'opencode' })
    expect(planned.flatMap(({ losses }) => losses)).toEqual([])
    expect(contentOf(machine, file)).toEqual({
      mcp: {
        servers: {
          a: {
            type: 'remote',
            url: 'https://a.example/mcp',
            oauth: { client_id: 'x' },
            timeout: { request: 5000, startup: 900 },
          },
          b: { type: 'local', command: ['b'], disabled: true },
        },
      },
    })
  })

  test('a value that names a variable becomes a reference to it; a command is left out', async () => {
    const headers = { A: 'DOCS_KEY', B: 'NOT_SET', C: '!pass show c', D: 'Bearer ${T}' }
    const machine = world(
      { [OURS]: servers({ a: { type: 'http', url: 'https://a.example/mcp', headers } }) },
      { env: { DOCS_KEY: 'x' } },
    )
    const [one] = (await exportFrom(machine, { agent: 'cursor' })).planned
    expect(one?.entry).toEqual({
      url: 'https://a.example/mcp',
      headers: { A: '${env:DOCS_KEY}', B: 'NOT_SET', D: 'Bearer ${env:T}' },
    })
    expect(one?.losses).toEqual(['`headers.C`: Cursor runs no commands for values'])
  })

  test('a text that the agent would take for a variable is told', async () => {
    const machine = world({ [OURS]: servers({ a: { command: 'a', args: ['pa$word'] } }) })
    const [one] = (await exportFrom(machine, { agent: 'gemini' })).planned
    expect(one?.losses).toEqual(['`args[0]`: Gemini CLI will not take it as it is meant'])
  })

  test('a kind of server that an agent does not have is left out', async () => {
    const machine = world({ [OURS]: servers({ a: { type: 'ws', url: 'wss://a.example/mcp' } }) })
    const transfer = await exportFrom(machine, { agent: 'codex' })
    expect(transfer.left.map(({ problem }) => problem.message)).toEqual([
      '`a` is left out: Codex has no servers that are reached over WebSocket',
    ])
  })

  test('a file that does not parse is left as it is', async () => {
    const machine = world({ [OURS]: servers(ours), [CURSOR]: '{ "mcpServers": {' })
    await expect(exportFrom(machine, { agent: 'cursor' })).rejects.toMatchObject({
      problem: { code: 'edit/unparseable' },
    })
    expect(machine.stored.get(CURSOR)).toBe('{ "mcpServers": {')
  })
})

describe('what would be written', () => {
  test('no secret is shown, neither of the server nor of its neighbours', async () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9]{16,24}$/).map((text) => `s3cr3t${text}`)
    await fc.assert(
      fc.asyncProperty(secret, secret, fc.constantFrom(...AGENTS), async (own, neighbour, agent) => {
        const machine = world({
          [OURS]: servers({
            a: { command: 'a', args: ['--token', own], env: { KEY: own, DEF: `\${X:-${own}}` } },
            b: {
              type: 'http',
              url: `https://b.example/mcp?key=${own}`,
              headers: { Authorization: `Bearer ${own}` },
              oauth: { clientSecret: own },
            },
          }),
        })
        const planned = (await exportFrom(machine, { agent, names: ['a', 'b'] })).planned
        const target = (await planExport(machine, await loadCatalog(machine), { agent, names: [] })).target
        // Again, into a file that has another's secret where ours are written.
        const text = (machine.stored.get(target.file) as string).replaceAll(own, neighbour)
        const again = world({ [target.file]: text })
        const others = planned.map((one) => ({ ...one, name: `new-${one.name}` }))
        const diff = (await previewTransfer(again, target, others)).flatMap(({ lines }) => lines).join('\n')
        expect(diff).toContain('new-a')
        expect(diff).not.toContain(own)
        expect(diff).not.toContain(neighbour)
      }),
      { numRuns: 60 },
    )
  })

  test('it is what is written', async () => {
    const machine = world({
      [OURS]: servers({ a: { command: 'a', args: ['x'] } }),
      [CURSOR]: servers({ b: { command: 'b' } }),
    })
    const { target, planned } = await planExport(machine, await loadCatalog(machine), {
      agent: 'cursor',
      names: 'ours',
    })
    const [diff] = await previewTransfer(machine, target, planned)
    expect(diff?.file).toBe(CURSOR)
    expect(diff?.lines).toEqual([
      '@@ -2,6 +2,10 @@',
      '   "mcpServers": {',
      '     "b": {',
      '       "command": "b"',
      '+    },',
      '+    "a": {',
      '+      "command": "a",',
      '+      "args": ["x"]',
      '     }',
      '   }',
      ' }',
    ])
    expect(machine.stored.get(CURSOR)).toBe(servers({ b: { command: 'b' } }))
  })
})

describe('agents', () => {
  test.each([
    ['cursor', 'cursor'],
    ['Claude', 'claude-code'],
    ['vs-code', 'vscode'],
  ])('%s is %s', (given, agent) => {
    expect(requireAgent(given)).toBe(agent)
  })

  test.each(['plugboard', 'curser', 'constructor', ''])('%j is none', (given) => {
    expect(() => requireAgent(given)).toThrow('there is no agent')
  })
})
