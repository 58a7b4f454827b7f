/**
 * connect-agent: the gateway in real files of real agents' formats, and those files as they were.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadCatalog } from '../../../src/runtime/load-catalog.ts'
import type { Agent } from '../../../src/runtime/manage/agents.ts'
import { connectAgent, disconnectAgent, planConnect } from '../../../src/runtime/manage/connect-agent.ts'
import { createScratch, type Scratch } from '../../worlds/scratch.ts'

async function connect({ world }: Scratch, agent: Agent): Promise<readonly string[]> {
  const loaded = await loadCatalog(world)
  const plan = await planConnect(world, loaded, { agent })
  await connectAgent(world, loaded.dirs, plan)
  return plan.diffs.flatMap(({ lines }) => lines)
}

async function disconnect({ world }: Scratch, agent: Agent): Promise<string> {
  return (await disconnectAgent(world, await loadCatalog(world), { agent })).outcome
}

const FILES: readonly (readonly [Agent, string, string])[] = [
  ['cursor', '.cursor/mcp.json', '{\n  // mine\n  "mcpServers": { "a": { "command": "x" } }\n}\n'],
  ['codex', '.codex/config.toml', '# mine\n[mcp_servers.a]\ncommand = "x"\n'],
  [
    'goose',
    '.config/goose/config.yaml',
    '# mine\nextensions:\n  a:\n    type: stdio\n    cmd: x\n    enabled: true\n',
  ],
  ['claude-code', '.claude.json', '{"mcpServers":{}}'],
]

test.each(FILES)(
  '%s: the file gets the gateway, and is the same again afterwards',
  async (agent, path, text) => {
    using scratch = createScratch()
    scratch.write(`home/${path}`, text)
    const file = join(scratch.home, path)
    const diff = await connect(scratch, agent)
    expect(diff.filter((line) => line.startsWith('+')).join('\n')).toContain('serve')
    expect(readFileSync(file, 'utf8')).toContain('plugboard')
    const { catalog } = await loadCatalog(scratch.world)
    const ours = catalog.entries.find(({ entry }) => entry.found.name === 'plugboard')
    expect(ours?.fate).toMatchObject({ kind: 'excluded', reason: 'it is the gateway of Plugboard itself' })
    expect((await planConnect(scratch.world, await loadCatalog(scratch.world), { agent })).planned).toEqual(
      [],
    )
    expect(await disconnect(scratch, agent)).toBe('restored')
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect(await disconnect(scratch, agent)).toBe('not-connected')
  },
)

test('a file that was changed since keeps the change, and loses the gateway', async () => {
  using scratch = createScratch()
  scratch.write('home/.cursor/mcp.json', '{ "mcpServers": { "a": { "command": "x" } } }\n')
  const file = join(scratch.home, '.cursor/mcp.json')
  await connect(scratch, 'cursor')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"x"', '"y"'))
  expect(await disconnect(scratch, 'cursor')).toBe('taken-out')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: { a: { command: 'y' } } })
})

test('a file that there was none of is gone afterwards', async () => {
  using scratch = createScratch()
  const file = join(scratch.home, '.cursor/mcp.json')
  await connect(scratch, 'cursor')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    mcpServers: { plugboard: { command: 'plugboard', args: ['serve', '--stdio'] } },
  })
  expect(await disconnect(scratch, 'cursor')).toBe('restored')
  expect(existsSync(file)).toBe(false)
})

test('another server of that name is left alone', async () => {
  using scratch = createScratch()
  scratch.write('home/.cursor/mcp.json', '{ "mcpServers": { "plugboard": { "command": "other" } } }\n')
  await expect(connect(scratch, 'cursor')).rejects.toMatchObject({ problem: { code: 'manage/exists' } })
})

test('another server of that name is not taken out either', async () => {
  using scratch = createScratch()
  const text = '{ "mcpServers": { "plugboard": { "command": "other" } } }\n'
  scratch.write('home/.cursor/mcp.json', text)
  expect(await disconnect(scratch, 'cursor')).toBe('not-connected')
  expect(readFileSync(join(scratch.home, '.cursor/mcp.json'), 'utf8')).toBe(text)
})

test('what the agent writes while it is connected is not thrown away', async () => {
  using scratch = createScratch()
  scratch.write('home/.cursor/mcp.json', '{ "mcpServers": {} }\n')
  const file = join(scratch.home, '.cursor/mcp.json')
  const { files } = scratch.world
  const update: typeof files.update = async (path, mode, change) => {
    await files.update(path, mode, change)
    if (path === file) writeFileSync(file, readFileSync(file, 'utf8').replace('{', '{ "theirs": true,'))
  }
  const loaded = await loadCatalog(scratch.world)
  const plan = await planConnect(scratch.world, loaded, { agent: 'cursor' })
  await connectAgent({ ...scratch.world, files: { ...files, update } }, loaded.dirs, plan)
  expect(await disconnect(scratch, 'cursor')).toBe('taken-out')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ theirs: true, mcpServers: {} })
})

const FILES_SERVER = { command: 'npx', args: ['-y', '@acme/files'] }

test.each([
  ['the same server', {}, ['files']],
  ['another server', { args: ['-y', '@other/files'] }, []],
  ['the same program with another account', { env: { ACCOUNT: 'other' } }, []],
])('of what it has under a name of ours, %s', async (_, theirs, expected) => {
  using scratch = createScratch()
  const put = (path: string, files: object): void =>
    scratch.write(`home/${path}`, JSON.stringify({ mcpServers: { files } }))
  put('.config/plugboard/mcp.json', FILES_SERVER)
  put('.cursor/mcp.json', { ...FILES_SERVER, ...theirs })
  const { twice } = await planConnect(scratch.world, await loadCatalog(scratch.world), { agent: 'cursor' })
  expect(twice.map(({ name }) => name)).toEqual(expected)
})
