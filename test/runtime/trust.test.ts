/**
 * trust: what an approval is bound to, and what ends it.
 */
import { describe, expect, test } from 'vitest'
import { loadCatalog, type LoadedCatalog } from '../../src/runtime/load-catalog.ts'
import { reveal } from '../../src/model/launch.ts'
import { resolve } from '../../src/pipeline/resolve/resolve.ts'
import { createValueCache } from '../../src/pipeline/resolve/value-cache.ts'
import { makeShowable } from '../../src/runtime/showable.ts'
import { createFingerprints } from '../../src/runtime/trust-fingerprint.ts'
import {
  decide,
  decideAsShown,
  requireQuestions,
  resetTrust,
  trustQuestions,
} from '../../src/runtime/trust.ts'
import { createMemoryWorld, type MemoryWorld } from '../worlds/memory.ts'

const FILE = '/src/shop/.mcp.json'
const SERVER = { command: 'node', args: ['server.js'], env: { TOKEN: 'one' }, cwd: '.' }
const REMOTE = { type: 'http', url: 'https://shop.example/mcp', headers: { 'X-Key': 'one' } }

function createProject(entry: object, programs = ['/usr/bin/node']): MemoryWorld {
  const files = { [FILE]: JSON.stringify({ mcpServers: { shop: entry } }) }
  return createMemoryWorld({ files, env: { PATH: '/opt/bin:/usr/bin' }, programs })
}

/** The same machine after something on it changed. */
function change(world: MemoryWorld, entry: object, programs = ['/usr/bin/node']): MemoryWorld {
  const files = {
    ...Object.fromEntries(world.stored),
    [FILE]: JSON.stringify({ mcpServers: { shop: entry } }),
  }
  return createMemoryWorld({ files, env: world.env as Record<string, string>, programs })
}

async function approve(world: MemoryWorld): Promise<void> {
  const loaded = await loadCatalog(world)
  await decide(world, loaded, 'approved', requireQuestions(loaded, 'shop'))
}

function fates({ catalog }: LoadedCatalog): string[] {
  return catalog.entries.map(({ fate }) => fate.kind)
}

describe('an approval', () => {
  test('lets the server run, and survives a reload', async () => {
    const world = createProject(SERVER)
    expect(fates(await loadCatalog(world))).toEqual(['untrusted'])
    await approve(world)
    expect(fates(await loadCatalog(world))).toEqual(['chosen'])
  })

  test.each([
    [
      'the command',
      { ...SERVER, command: '/usr/bin/node' },
      [{ field: 'command', was: 'node', is: '/usr/bin/node' }],
    ],
    [
      'an argument',
      { ...SERVER, args: ['other.js'] },
      [{ field: 'args', was: '["server.js"]', is: '["other.js"]' }],
    ],
    ['the folder', { ...SERVER, cwd: '..' }, [{ field: 'cwd', was: '.', is: '..' }]],
    [
      'the name of a variable',
      { ...SERVER, env: { OTHER: 'one' } },
      [expect.objectContaining({ field: 'env.TOKEN' }), expect.objectContaining({ field: 'env.OTHER' })],
    ],
    [
      'the value of a variable',
      { ...SERVER, env: { TOKEN: 'two' } },
      [expect.objectContaining({ field: 'env.TOKEN' })],
    ],
    ['the whole environment', { ...SERVER, inheritEnv: true }, [{ field: 'inheritEnv', is: 'true' }]],
  ])('ends when %s changes, and says so', async (_, entry, changed) => {
    const world = createProject(SERVER)
    await approve(world)
    const { catalog } = await loadCatalog(change(world, entry))
    expect(catalog.entries[0]?.fate).toEqual({
      kind: 'untrusted',
      reason: 'it changed since you approved it',
      changed,
    })
  })

  test.each([
    ['the URL', { ...REMOTE, url: 'https://evil.example/mcp' }],
    ['a header', { ...REMOTE, headers: { 'X-Key': 'two' } }],
    ['a helper', { ...REMOTE, headersHelper: './steal' }],
    ['the kind of transport', { ...REMOTE, type: 'sse' }],
  ])('of a remote server ends when %s changes', async (_, entry) => {
    const world = createProject(REMOTE)
    await approve(world)
    expect(fates(await loadCatalog(change(world, entry)))).toEqual(['untrusted'])
  })

  test('ends when the command leads to another program', async () => {
    const world = createProject(SERVER)
    await approve(world)
    const { catalog } = await loadCatalog(change(world, SERVER, ['/opt/bin/node', '/usr/bin/node']))
    expect(catalog.entries[0]?.fate).toMatchObject({
      changed: [{ field: 'executable', was: '/usr/bin/node', is: '/opt/bin/node' }],
    })
  })

  test('does not end over a description, an order of keys or white space', async () => {
    const world = createProject(SERVER)
    await approve(world)
    const { command, args, env, cwd } = SERVER
    expect(fates(await loadCatalog(change(world, { cwd, env, args, command, description: 'new' })))).toEqual([
      'chosen',
    ])
  })

  test('holds no secret of variables and headers', async () => {
    const world = createProject({ ...SERVER, env: { TOKEN: 'hunter2' } })
    await approve(world)
    expect(String(world.stored.get('/home/ada/.local/state/plugboard/trust.json'))).not.toContain('hunter2')
  })

  test('is about what stands in the file, also after the catalog was made fit to be printed', async () => {
    const entry = {
      ...REMOTE,
      auth: { type: 'oauth', credentialId: 'work' },
      oauth: { clientId: 'shop', clientSecret: 'one' },
    }
    const loaded = await loadCatalog(createProject(entry))
    const before = requireQuestions(loaded, 'shop').map(({ facts }) => facts)
    makeShowable(loaded.catalog)
    expect(requireQuestions(loaded, 'shop').map(({ facts }) => facts)).toEqual(before)
  })

  test('does not carry over to a file in which the same text would be a command', async () => {
    const world = createProject({ command: 'node', env: { X: '!touch x' } })
    await approve(world)
    const files = {
      ...Object.fromEntries(world.stored),
      '/src/shop/.plugboard/mcp.json': String(world.stored.get(FILE)),
    }
    const moved = createMemoryWorld({
      files,
      env: { PATH: '/opt/bin:/usr/bin' },
      programs: ['/usr/bin/node'],
    })
    const { catalog } = await loadCatalog(moved)
    expect(catalog.entries.map(({ entry, fate }) => [entry.found.origin.source, fate.kind])).toEqual([
      ['plugboard', 'untrusted'],
      ['mcp-json', 'chosen'],
    ])
  })

  test('shows a value that is a command, where values can be commands', async () => {
    const files = {
      '/src/shop/.plugboard/mcp.json': JSON.stringify({
        mcpServers: { shop: { ...REMOTE, headers: { 'X-Key': '!cat key' } } },
      }),
    }
    const loaded = await loadCatalog(createMemoryWorld({ files }))
    expect(trustQuestions(loaded)[0]?.facts['header.X-Key']).toBe('!cat key')
  })

  test('given in another project does not count here', async () => {
    const world = createProject(SERVER)
    await approve(world)
    const text = String(world.stored.get(FILE))
    const other = createMemoryWorld({
      files: { ...Object.fromEntries(world.stored), '/src/other/.mcp.json': text },
      cwd: '/src/other',
      env: { PATH: '/usr/bin' },
      programs: ['/usr/bin/node'],
    })
    expect(fates(await loadCatalog(other))).toEqual(['untrusted'])
  })

  test('of one file says nothing about another file with the same name', async () => {
    const world = createProject(SERVER)
    await approve(world)
    const cursor = JSON.stringify({ mcpServers: { shop: { command: 'evil' } } })
    const both = createMemoryWorld({
      files: { ...Object.fromEntries(world.stored), '/src/shop/.cursor/mcp.json': cursor },
      env: { PATH: '/usr/bin' },
      programs: ['/usr/bin/node'],
    })
    const { catalog } = await loadCatalog(both)
    expect(catalog.entries.map(({ entry, fate }) => [entry.found.origin.source, fate.kind])).toEqual([
      ['cursor', 'untrusted'],
      ['mcp-json', 'chosen'],
    ])
    expect(catalog.entries[0]?.fate).toEqual({
      kind: 'untrusted',
      reason: 'a project server waits for your approval',
    })
  })
})

describe('an envFile of a repository', () => {
  const entry = { command: 'node', envFile: '.env' }
  const files = (text: string): Record<string, string> => ({
    '/src/shop/.vscode/mcp.json': JSON.stringify({ servers: { shop: entry } }),
    '/src/shop/.env': text,
  })
  const open = (given: Record<string, string>): MemoryWorld =>
    createMemoryWorld({ files: given, env: { PATH: '/usr/bin' }, programs: ['/usr/bin/node'] })

  test('is not read before its user looks at the server', async () => {
    const world = open(files('TOKEN=one'))
    const loaded = await loadCatalog(world)
    expect(world.reads).not.toContain('/src/shop/.env')
    requireQuestions(loaded, 'shop')
    expect(world.reads).toContain('/src/shop/.env')
  })

  test('that changes after the last load gives no variable to a server that starts again', async () => {
    const world = open(files('TOKEN=one'))
    await approve(world)
    const [server] = (await loadCatalog(world)).catalog.servers
    const start = async (text: string): Promise<{ readonly token: unknown; readonly codes: unknown }> => {
      const changed = { ...world, files: { ...world.files, read: () => ({ kind: 'text', text }) as const } }
      const { transport, problems } = await resolve(server!, { world: changed, cache: createValueCache() })
      const token = transport.kind === 'stdio' ? transport.env.get('TOKEN') : undefined
      return {
        token: token === undefined ? undefined : reveal(token),
        codes: problems.map(({ code }) => code),
      }
    }
    expect(await start('TOKEN=one')).toEqual({ token: 'one', codes: [] })
    expect(await start('TOKEN=one\nNODE_OPTIONS=--require ./evil.js')).toEqual({
      token: undefined,
      codes: ['resolve/env-file-changed'],
    })
  })
})

describe('what grants and pins are bound to', () => {
  test('is for a server of the user what it was before approvals recorded more', async () => {
    const mine = {
      command: 'node',
      args: ['${DIR}/server.js'],
      env: { TOKEN: '${TOKEN}', OTHER: 'one' },
      envFile: '.env',
    }
    const world = createMemoryWorld({
      files: { '/home/ada/.config/plugboard/mcp.json': JSON.stringify({ mcpServers: { mine } }) },
      env: { PATH: '/usr/bin', TOKEN: 'x' },
      programs: ['/usr/bin/node'],
    })
    expect(createFingerprints(world, await loadCatalog(world))('mine')).toBe(
      '93f8e17a7cbc2e01cc706863e55035cd716722ae199eda2ff902a3f62c8d587e',
    )
  })
})

describe('decisions', () => {
  test('to decline is remembered, and to approve later outranks it', async () => {
    const world = createProject(SERVER)
    const loaded = await loadCatalog(world)
    await decide(world, loaded, 'declined', trustQuestions(loaded))
    expect((await loadCatalog(world)).catalog.entries[0]?.fate).toEqual({
      kind: 'declined',
      reason: 'you declined it on 2026-11-16',
    })
    await approve(world)
    expect(fates(await loadCatalog(world))).toEqual(['chosen'])
  })

  test('about what was shown are refused when it is something else by then, and nothing is recorded', async () => {
    const world = createProject(SERVER)
    const shown = requireQuestions(await loadCatalog(world), 'shop')
    const decision = 'approved'
    const changes: readonly (readonly [MemoryWorld, string])[] = [
      [change(world, { ...SERVER, args: ['evil.js'] }), '`shop` changed while you were asked'],
      [change(world, SERVER, ['/opt/bin/node']), '`shop` changed while you were asked'],
      [change(world, { command: 5 }), '`shop` is not declared there any more'],
    ]
    for (const [changed, message] of changes) {
      const deciding = decideAsShown(changed, await loadCatalog(changed), { decision, shown })
      await expect(deciding).rejects.toMatchObject({
        problem: { code: 'trust/changed', message: `${message}, so nothing was recorded` },
      })
      expect([...(await loadCatalog(changed)).trustStore.projects]).toEqual([])
    }
    await decideAsShown(world, await loadCatalog(world), { decision, shown })
    expect(fates(await loadCatalog(world))).toEqual(['chosen'])
  })

  test('that no longer match anything are replaced, not kept for ever', async () => {
    const world = createProject(SERVER)
    await approve(world)
    const changed = change(world, { ...SERVER, args: ['other.js'] })
    await approve(changed)
    const { trustStore } = await loadCatalog(changed)
    expect(trustStore.projects.get('/src/shop')?.get('shop')).toHaveLength(1)
  })

  test('can be forgotten', async () => {
    const world = createProject(SERVER)
    await approve(world)
    expect(await resetTrust(world, await loadCatalog(world), { kind: 'servers', names: ['shop'] })).toBe(1)
    expect(fates(await loadCatalog(world))).toEqual(['untrusted'])
  })

  test('a damaged store trusts nobody, says so, and is not overwritten', async () => {
    const world = createProject(SERVER)
    await approve(world)
    const store = '/home/ada/.local/state/plugboard/trust.json'
    const damaged = createMemoryWorld({
      files: { ...Object.fromEntries(world.stored), [store]: '{ "projects": ' },
      env: { PATH: '/usr/bin' },
      programs: ['/usr/bin/node'],
    })
    const loaded = await loadCatalog(damaged)
    expect(fates(loaded)).toEqual(['untrusted'])
    expect(loaded.catalog.problems.map(({ code }) => code)).toEqual(['trust/damaged'])
    await expect(approve(damaged)).rejects.toThrow('the record of your approvals cannot be read')
    expect(damaged.stored.get(store)).toBe('{ "projects": ')
  })
})

describe('deny rules of a repository', () => {
  const rules = { '/src/shop/.plugboard/settings.json': '{ "deniedMcpServers": ["mine"] }' }
  const mine = { '/home/ada/.cursor/mcp.json': '{ "mcpServers": { "mine": { "command": "node" } } }' }

  test('hold while something that was approved is there, and not on the strength of what is gone', async () => {
    const world = createProject(SERVER)
    await approve(world)
    const files = { ...Object.fromEntries(world.stored), ...rules, ...mine }
    const machine = { env: { PATH: '/usr/bin' }, programs: ['/usr/bin/node'] }
    const approved = await loadCatalog(createMemoryWorld({ files, ...machine }))
    expect(approved.catalog.entries.map(({ entry, fate }) => [entry.found.name, fate.kind])).toEqual([
      ['mine', 'denied'],
      ['shop', 'chosen'],
    ])
    const gone = { ...files, [FILE]: '{ "mcpServers": {} }' }
    const later = await loadCatalog(createMemoryWorld({ files: gone, ...machine }))
    expect(later.catalog.entries.map(({ entry, fate }) => [entry.found.name, fate.kind])).toEqual([
      ['mine', 'chosen'],
    ])
  })
})

describe('choices made in Claude Code', () => {
  const settings = (value: object): Record<string, string> => ({
    '/home/ada/.claude/settings.json': JSON.stringify(value),
  })
  const mcpJson = { [FILE]: JSON.stringify({ mcpServers: { shop: SERVER } }) }

  test('"disabled" counts as declined, with its line', async () => {
    const files = { ...mcpJson, ...settings({ disabledMcpjsonServers: ['shop'] }) }
    const { catalog } = await loadCatalog(createMemoryWorld({ files }))
    expect(catalog.entries[0]?.fate).toMatchObject({
      kind: 'declined',
      by: { file: '/home/ada/.claude/settings.json', line: 1 },
    })
  })

  test('"enabled" is a note in the question, never an approval', async () => {
    const files = {
      ...mcpJson,
      ...settings({ enabledMcpjsonServers: ['shop'], enableAllProjectMcpServers: true }),
    }
    const loaded = await loadCatalog(createMemoryWorld({ files }))
    expect(fates(loaded)).toEqual(['untrusted'])
    expect(trustQuestions(loaded)[0]?.enabledElsewhere).toHaveLength(2)
  })

  test('"enabled" in a repository is not even a note', async () => {
    const files = { ...mcpJson, '/src/shop/.claude/settings.json': '{ "enabledMcpjsonServers": ["shop"] }' }
    const loaded = await loadCatalog(createMemoryWorld({ files }))
    expect(trustQuestions(loaded)[0]?.enabledElsewhere).toEqual([])
  })
})
