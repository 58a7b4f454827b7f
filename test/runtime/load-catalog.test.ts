/**
 * load-catalog: the promises that are about the load as a whole.
 */
import { describe, expect, test } from 'vitest'
import { discoverServers } from '../../src/index.ts'
import { originalText } from '../../src/model/entry.ts'
import { loadCatalog } from '../../src/runtime/load-catalog.ts'
import { createMemoryWorld } from '../worlds/memory.ts'

const SETTINGS = '/home/ada/.config/plugboard/settings.json'
const CURSOR = '/home/ada/.cursor/mcp.json'
const ONE_SERVER = '{ "mcpServers": { "files": { "command": "npx" } } }'

describe('turned off', () => {
  test('`enabled: false` as an option reads no file and gives an empty catalog', async () => {
    const world = createMemoryWorld({ files: { [CURSOR]: ONE_SERVER } })
    const { catalog } = await loadCatalog(world, { enabled: false })
    expect(world.reads).toEqual([])
    expect(catalog).toEqual({ entries: [], servers: [], problems: [], places: [], native: [] })
  })

  test('`enabled: false` as a setting reads our settings and nothing else', async () => {
    const world = createMemoryWorld({ files: { [CURSOR]: ONE_SERVER, [SETTINGS]: '{ "enabled": false }' } })
    const { catalog } = await loadCatalog(world)
    expect(world.reads.every((file) => /\/(?:\.)?plugboard\/.*settings\.(?:json|toml)$/.test(file))).toBe(
      true,
    )
    expect(catalog.entries).toEqual([])
  })

  test('a repository cannot turn it off', async () => {
    const world = createMemoryWorld({
      files: { [CURSOR]: ONE_SERVER, '/src/shop/.plugboard/settings.json': '{ "enabled": false }' },
    })
    const { catalog } = await loadCatalog(world)
    expect(catalog.servers.map(({ name }) => name)).toEqual(['files'])
    expect(catalog.problems.map(({ code }) => code)).toEqual(['normalize/setting-ignored'])
  })
})

describe('`toolNames`', () => {
  const load = (files: Record<string, string>): ReturnType<typeof loadCatalog> =>
    loadCatalog(createMemoryWorld({ files }))

  test('is `double` unless a setting says otherwise, and the highest level counts', async () => {
    const mine = { [SETTINGS]: '{ "toolNames": "bare" }' }
    expect((await load({})).toolNames).toBe('double')
    expect((await load(mine)).toolNames).toBe('bare')
    const managed = { '/etc/plugboard/settings.toml': 'toolNames = "single"' }
    expect((await load({ ...mine, ...managed })).toolNames).toBe('single')
  })

  test('is not for a repository to decide', async () => {
    const { toolNames, catalog } = await load({
      '/src/shop/.plugboard/settings.json': '{ "toolNames": "bare" }',
    })
    expect(toolNames).toBe('double')
    expect(catalog.problems.map(({ code }) => code)).toEqual(['normalize/setting-ignored'])
  })

  test('that nobody knows is a problem, and the default', async () => {
    const { toolNames, catalog } = await load({ [SETTINGS]: '{ "toolNames": "triple" }' })
    expect(toolNames).toBe('double')
    expect(catalog.problems.map(({ message, where }) => [message, where?.line, where?.column])).toEqual([
      ['`toolNames` must be `"double"`, `"bare"` or `"single"`', 1, 16],
    ])
  })
})

describe('the gateway itself', () => {
  const fateOf = async ([command, ...args]: readonly string[]): Promise<string | undefined> => {
    const servers = { one: { command, args: [...args, 'serve', '--stdio'] } }
    const world = createMemoryWorld({ files: { [CURSOR]: JSON.stringify({ mcpServers: servers }) } })
    return (await loadCatalog(world, {})).catalog.entries[0]?.fate.kind
  }

  test.each([
    ['plugboard'],
    ['npx', '-y', 'plugboard@0.1.0'],
    ['node', '/usr/lib/node_modules/plugboard/dist/bin.js'],
    ['node', 'C:\\Tools\\node_modules\\plugboard\\dist\\bin.js'],
    // As it was called before, and still is in files of users.
    ['node', '/usr/lib/node_modules/plugboard/dist/bin.cjs'],
  ])('is left out, started as %s %s', async (...line) => {
    expect(await fateOf(line)).toBe('excluded')
  })

  test.each([['/opt/plugboard/tools/robin.js'], ['/opt/switchboard/dist/bin.js']])(
    'is not taken for %s',
    async (file) => {
      expect(await fateOf(['node', file])).toBe('chosen')
    },
  )
})

describe('native servers', () => {
  const exa = (entry: object): string => JSON.stringify({ mcpServers: { exa: entry } })

  test.each([
    ['a variable', { command: 'npx', env: { LEVEL: 'debug', EXA_API_KEY: '${KEY}' } }],
    ['a header', { url: 'https://mcp.exa.ai/mcp', headers: { Authorization: 'Bearer ${KEY}' } }],
    ['the URL', { url: 'https://mcp.exa.ai/mcp?exaApiKey=${KEY}' }],
  ])('are excluded, and their key in %s goes to the host as a secret', async (_, entry) => {
    const world = createMemoryWorld({ files: { [CURSOR]: exa(entry) }, env: { KEY: 'k-123' } })
    const { catalog } = await loadCatalog(world, { native: ['exa'] })
    expect(catalog.entries.map(({ fate }) => fate)).toEqual([
      { kind: 'excluded', by: { rule: 'native' }, reason: 'the host implements this server itself' },
    ])
    expect(catalog.native.map(({ name, key }) => [name, key?.reveal()])).toEqual([['exa', 'k-123']])
    expect(JSON.stringify(catalog.native)).not.toContain('k-123')
  })

  test.each([
    ['disabled', { command: 'npx', enabled: false, env: { EXA_API_KEY: '${KEY}' } }, {}],
    [
      'denied',
      { command: 'npx', env: { EXA_API_KEY: '${KEY}' } },
      { [SETTINGS]: '{ "deniedMcpServers": ["exa"] }' },
    ],
  ])('that would not have run (%s) hand over no key', async (_, entry, more) => {
    const world = createMemoryWorld({ files: { [CURSOR]: exa(entry), ...more }, env: { KEY: 'k-123' } })
    expect((await loadCatalog(world, { native: ['exa'] })).catalog.native).toEqual([])
  })

  test('of a repository hand over no key', async () => {
    const files = { '/src/shop/.mcp.json': exa({ command: 'npx', env: { EXA_API_KEY: '${KEY}' } }) }
    const { catalog } = await loadCatalog(createMemoryWorld({ files, env: { KEY: 'k-123' } }), {
      native: ['exa'],
    })
    expect(catalog.native).toEqual([])
  })

  test('are ordinary ones unless the host says otherwise', async () => {
    const { catalog } = await loadCatalog(createMemoryWorld({ files: { [CURSOR]: exa({ command: 'npx' }) } }))
    expect(catalog.servers.map(({ name }) => name)).toEqual(['exa'])
  })
})

describe('what a file declares in the wrong way', () => {
  test.each([
    ['with nothing around it', '{ "files": { "command": "npx" } }', 'discover/no-key'],
    [
      'under a key in other letters',
      '{ "mcpservers": { "files": { "command": "npx" } } }',
      'discover/wrong-key',
    ],
    [
      'under the key of another agent',
      '{ "servers": { "files": { "command": "npx" } } }',
      'discover/wrong-key',
    ],
  ])('%s has a fate and advice', async (_, text, code) => {
    const { catalog } = await loadCatalog(createMemoryWorld({ files: { [CURSOR]: text } }))
    expect(catalog.entries.map(({ entry, fate }) => [entry.found.name, fate.kind])).toEqual([
      ['files', 'unsupported'],
    ])
    expect(catalog.entries[0]?.fate).toMatchObject({ problem: { code, hints: [expect.any(String)] } })
  })

  test('says that its neighbours were loaded', async () => {
    const text = '{ "mcpServers": { "bad": {}, "one": { "command": "a" }, "two": { "command": "b" } } }'
    const { catalog } = await loadCatalog(createMemoryWorld({ files: { [CURSOR]: text } }))
    expect(catalog.entries[0]?.fate).toMatchObject({
      kind: 'invalid',
      problems: [{ notes: ['the other 2 servers in this file were loaded'] }],
    })
  })
})

describe('a policy that cannot be understood admits nothing', () => {
  test.each([
    ['a list that is none', '{ "deniedMcpServers": "github" }'],
    ['a rule that is none', '{ "allowedMcpServers": [{ "name": "files" }] }'],
    ['a table that is none', '{ "security": ["github"] }'],
    ['a file that does not parse', '{ "deniedMcpServers": ['],
  ])('%s', async (_, text) => {
    const { catalog } = await loadCatalog(
      createMemoryWorld({ files: { [CURSOR]: ONE_SERVER, [SETTINGS]: text } }),
    )
    expect(catalog.entries.map(({ fate }) => [fate.kind, 'by' in fate ? fate.by?.file : ''])).toEqual([
      ['not-allowed', SETTINGS],
    ])
    expect(catalog.problems).toHaveLength(1)
  })

  test('also where only managed settings may ask for it', async () => {
    const files = { [CURSOR]: ONE_SERVER, '/etc/plugboard/settings.json': '{ "pluginServersOnly": "yes" }' }
    const { catalog } = await loadCatalog(createMemoryWorld({ files }))
    expect(catalog.entries.map(({ fate }) => fate.kind)).toEqual(['not-allowed'])
  })
})

describe('our folders', () => {
  test('PLUGBOARD_HOME moves everything but the managed folder', async () => {
    const files = {
      '/elsewhere/mcp.json': '{ "mcpServers": { "moved": { "command": "npx" } } }',
      '/home/ada/.config/plugboard/mcp.json': '{ "mcpServers": { "left": { "command": "npx" } } }',
      '/etc/plugboard/settings.json': '{ "deniedMcpServers": ["denied"] }',
      [CURSOR]: '{ "mcpServers": { "denied": { "command": "npx" } } }',
    }
    const { catalog } = await loadCatalog(createMemoryWorld({ files, env: { PLUGBOARD_HOME: '/elsewhere' } }))
    expect(catalog.entries.map(({ entry, fate }) => [entry.found.name, fate.kind])).toEqual([
      ['denied', 'denied'],
      ['moved', 'chosen'],
    ])
  })

  test('the XDG folders are honoured', async () => {
    const files = { '/xdg/plugboard/mcp.json': ONE_SERVER }
    const { catalog } = await loadCatalog(createMemoryWorld({ files, env: { XDG_CONFIG_HOME: '/xdg' } }))
    expect(catalog.servers.map(({ name }) => name)).toEqual(['files'])
  })
})

describe('entries', () => {
  test('keep the text they were written as', async () => {
    const { catalog } = await loadCatalog(createMemoryWorld({ files: { [CURSOR]: ONE_SERVER } }))
    expect(originalText(catalog.entries[0]!.entry.found)).toBe('{ "command": "npx" }')
  })

  test('of a project that is not approved are looked at, and nothing they name is read', async () => {
    const entry = {
      command: 'node',
      envFile: './secret.env',
      env: { A: '!touch x' },
      headersHelper: './helper',
    }
    const files = {
      '/src/shop/.plugboard/mcp.json': JSON.stringify({ mcpServers: { shop: entry } }),
      '/src/shop/secret.env': 'A=1',
    }
    const world = createMemoryWorld({ files })
    await loadCatalog(world)
    expect(world.reads).not.toContain('/src/shop/secret.env')
    expect(world.commands).toEqual([])
  })
})

describe('the library', () => {
  test('never rejects: if discovery itself fails, the catalog is empty and carries one problem', async () => {
    const world = createMemoryWorld()
    const broken = {
      ...world,
      files: {
        ...world.files,
        read: () => {
          throw new Error('the disk is on fire')
        },
      },
    }
    expect(await discoverServers({ world: broken })).toMatchObject({
      entries: [],
      servers: [],
      problems: [
        {
          code: 'discover/failed',
          message: 'discovery failed, which is a bug in Plugboard: the disk is on fire',
        },
      ],
    })
  })

  test('names an option that is no configuration', async () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    const { problems } = await discoverServers({ world: createMemoryWorld(), servers: cyclic })
    expect(problems.map(({ code }) => code)).toEqual(['discover/bad-option'])
  })

  test('takes servers and `mcpConfig` above every file', async () => {
    const world = createMemoryWorld({ files: { [CURSOR]: ONE_SERVER } })
    const catalog = await discoverServers({
      world,
      servers: { files: { command: 'uvx' } },
      mcpConfig: ['{ "mcpServers": { "files": { "command": "docker" }, "more": { "command": "docker" } } }'],
    })
    expect(
      catalog.entries.map(({ entry, fate }) => [entry.found.name, entry.found.origin.file, fate.kind]),
    ).toEqual([
      ['files', 'servers option', 'chosen'],
      ['files', '--mcp-config', 'shadowed'],
      ['files', CURSOR, 'shadowed'],
      ['more', '--mcp-config', 'chosen'],
    ])
  })
})
