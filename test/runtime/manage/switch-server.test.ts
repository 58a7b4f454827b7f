/**
 * switch-server: off and on, for all projects or for one, and what is left alone.
 */
import { describe, expect, test } from 'vitest'
import { loadCatalog } from '../../../src/runtime/load-catalog.ts'
import { switchServer, type SwitchRequest } from '../../../src/runtime/manage/switch-server.ts'
import { createMemoryWorld, type MemoryWorld } from '../../worlds/memory.ts'

const CURSOR = '/home/ada/.cursor/mcp.json'
const CODEX = '/home/ada/.codex/config.toml'
const OURS = '/home/ada/.config/plugboard/mcp.json'
const USER = '/home/ada/.config/plugboard/settings.json'

const FILES = {
  '/src/shop/.git/HEAD': '',
  '/src/other/.git/HEAD': '',
  [CURSOR]: '{ "mcpServers": { "a": { "command": "a" } } }',
  [CODEX]: '[mcp_servers.b]\ncommand = "b"\nenabled = false\n',
  [OURS]: '{ "mcpServers": { "c": { "command": "c", "enabled": false } } }',
}

const isOn = async (machine: MemoryWorld, name: string): Promise<boolean> => {
  const { catalog } = await loadCatalog(machine)
  return catalog.entries.some(({ entry, fate }) => entry.found.name === name && fate.kind === 'chosen')
}

/** Runs them in `/src/shop`, and says where the server is on then. */
async function after(
  name: string,
  ...steps: readonly Pick<SwitchRequest, 'to' | 'scope'>[]
): Promise<{ readonly shop: boolean; readonly other: boolean; readonly machine: MemoryWorld }> {
  const machine = createMemoryWorld({ files: FILES, cwd: '/src/shop' })
  for (const step of steps) await switchServer(machine, { name, ...step }, () => loadCatalog(machine))
  const shop = await isOn(machine, name)
  const other = await isOn({ ...machine, cwd: '/src/other' }, name)
  return { shop, other, machine }
}

const off = (scope: SwitchRequest['scope']) => ({ to: 'off', scope }) as const
const on = (scope: SwitchRequest['scope']) => ({ to: 'on', scope }) as const

describe('off', () => {
  test('in this project alone', async () => {
    expect(await after('a', off('local'))).toMatchObject({ shop: false, other: true })
  })

  test('everywhere, also when it was off in this project', async () => {
    expect(await after('a', off('local'), off('user'))).toMatchObject({ shop: false, other: false })
  })

  test('in this project alone, when it was turned on for all', async () => {
    expect(await after('b', on('user'), off('local'))).toMatchObject({ shop: false, other: true })
  })

  test('everywhere, also where it was turned on for this project', async () => {
    expect(await after('b', on('local'), off('user'))).toMatchObject({ shop: false, other: false })
  })
})

describe('on', () => {
  test('in this project alone, when it is off for all', async () => {
    expect(await after('a', off('user'), on('local'))).toMatchObject({ shop: true, other: false })
  })

  test('in this project alone, when its own entry says off', async () => {
    const { shop, other, machine } = await after('c', on('local'))
    expect({ shop, other }).toEqual({ shop: true, other: false })
    expect(machine.stored.get(OURS)).toBe(FILES[OURS])
  })

  test('everywhere, with the line of this project taken back', async () => {
    expect(await after('a', off('user'), off('local'), on('user'))).toMatchObject({ shop: true, other: true })
  })

  test("another agent's file stays as it is", async () => {
    const { shop, other, machine } = await after('b', on('user'))
    expect({ shop, other }).toEqual({ shop: true, other: true })
    expect(machine.stored.get(CODEX)).toBe(FILES[CODEX])
    expect(machine.stored.get(USER)).toContain('"enabledServers": ["b"]')
  })
})
