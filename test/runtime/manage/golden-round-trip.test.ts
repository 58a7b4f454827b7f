/**
 * golden-round-trip: import from each agent's golden trees, export back to an empty home, import again: the same
 * definitions. What cannot be the same stands in a table here, with the reason, and is told to whoever exports it.
 */
import { describe, expect, test } from 'vitest'
import { findDifferences } from '../../../src/edit/differences.ts'
import type { ServerToWrite } from '../../../src/edit/write-entry.ts'
import { loadCatalog, type LoadedCatalog } from '../../../src/runtime/load-catalog.ts'
import { AGENTS, type Agent } from '../../../src/runtime/manage/agents.ts'
import { planExport } from '../../../src/runtime/manage/export.ts'
import { planImport } from '../../../src/runtime/manage/import.ts'
import { writeTransfer } from '../../../src/runtime/manage/write-transfer.ts'
import type { Transfer } from '../../../src/runtime/manage/transfer.ts'
import { createGoldenWorld, GOLDEN_NAMES, readCase } from '../../worlds/golden.ts'
import { createMemoryWorld, type MemoryWorld } from '../../worlds/memory.ts'

const CASES = AGENTS.flatMap((agent) =>
  GOLDEN_NAMES.filter((name) => name.startsWith(`${agent}-`)).map((name) => ({ agent, name })),
)

/** What an agent's own format cannot say, though our reader makes something of it: by tree, server and field. */
const INHERENT: readonly (readonly [tree: string, server: string, field: string, reason: string])[] = [
  ['claude-code-broken', 'context7', 'type', 'Claude Code refuses an address without a type'],
  ['crush-broken', 'no-type', 'type', 'Crush refuses an address without a type'],
  ['xcsh-usual', 'context7', 'type', 'xcsh refuses an address without a type'],
  ['crush-usual', 'streaming', 'startupTimeout', 'Crush refuses a fraction of a second'],
  ['claude-desktop-odd', 'remote', 'all of it', 'Claude Desktop refuses servers that are not started'],
]

/** Which version of opencode a file is for, it alone can say. */
const BEFORE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'opencode-version-2': { '/home/ada/.config/opencode/opencode.json': '{ "mcp": { "servers": {} } }' },
}

describe('import, export, import', () => {
  test.each(CASES)('$name', async ({ agent, name }) => {
    const first = createGoldenWorld(name)
    const imported = await importAll(first, agent)
    const ours = await serversOf(first)

    const second = emptied(name, first, (file) => file === ours.file)
    const exported = await exportAll(second, agent, [...ours.servers.keys()])
    const third = emptied(name, second, (file) => file !== ours.file)
    await importAll(third, agent)
    const again = await serversOf(third)

    const lost = [...ours.servers].flatMap(([server, before]) => {
      const after = again.servers.get(server)
      const fields = after === undefined ? ['all of it'] : findDifferences(before, after)
      return fields.map((field) => ({ server, field }))
    })
    expect(lost).toEqual(
      INHERENT.filter(([tree]) => tree === name).map(([, server, field]) => ({ server, field })),
    )
    for (const { server, field } of lost) expect(isTold(exported, server, field)).toBe(true)
    // What is said on the way, per tree: whoever makes more of it sees it here.
    expect({
      imported: [...ours.servers.keys()],
      notImported: imported.left.map(({ problem }) => problem.message),
      told: imported.planned
        .filter(({ losses }) => losses.length > 0)
        .map(({ name: server, losses }) => ({ server, losses })),
      notExported: exported.left.map(({ problem }) => problem.message),
      toldOnTheWayBack: exported.planned
        .filter(({ losses }) => losses.length > 0)
        .map(({ name: server, losses }) => ({ server, losses })),
    }).toMatchSnapshot()
  })

  test('what a tree cannot keep is about trees that there are', () => {
    const names = new Set(CASES.map(({ name }) => name))
    expect(
      [...INHERENT.map(([tree]) => tree), ...Object.keys(BEFORE)].filter((tree) => !names.has(tree)),
    ).toEqual([])
  })
})

/** Whether something was said about it. */
function isTold(exported: Transfer, server: string, field: string): boolean {
  if (exported.left.some(({ from }) => from.entry.found.name === server)) return true
  const { losses } = exported.planned.find(({ name }) => name === server)!
  return losses.some((loss) => loss.startsWith(`\`${field}\``))
}

/** The same machine with nothing on it but some files of another; a variable that declares servers is one of them. */
function emptied(name: string, from: MemoryWorld, isKept: (file: string) => boolean): MemoryWorld {
  const { platform, env = {} } = readCase(name)
  const { OPENCODE_CONFIG_CONTENT: _, ...others } = env
  const files = Object.fromEntries([...from.stored].filter(([file]) => isKept(file)))
  return createMemoryWorld({
    ...(platform === undefined ? {} : { platform }),
    env: others,
    files: { ...BEFORE[name], ...files },
    cwd: from.cwd,
  })
}

async function importAll(world: MemoryWorld, agent: Agent): Promise<Transfer> {
  const transfer = await planImport(world, await loadCatalog(world), { agent, names: 'all', scope: 'user' })
  if (transfer.planned.length > 0) await writeTransfer(world, transfer.target, transfer.planned)
  return transfer
}

async function exportAll(world: MemoryWorld, agent: Agent, names: readonly string[]): Promise<Transfer> {
  const transfer = await planExport(world, await loadCatalog(world), { agent, names })
  if (transfer.planned.length > 0) await writeTransfer(world, transfer.target, transfer.planned)
  return transfer
}

/** The servers of our own user file. */
async function serversOf(
  world: MemoryWorld,
): Promise<{ readonly file: string; readonly servers: ReadonlyMap<string, ServerToWrite> }> {
  const loaded: LoadedCatalog = await loadCatalog(world)
  const own = loaded.catalog.entries.flatMap(({ entry }) => {
    const { source, scope } = entry.found.origin
    if (source !== 'plugboard' || scope !== 'user' || entry.kind !== 'definition') return []
    const power = entry.off === undefined ? ('on' as const) : ('off' as const)
    return [[entry.found.name, { definition: entry.definition, power }] as const]
  })
  return { file: world.paths.join(loaded.dirs.config, 'mcp.json'), servers: new Map(own) }
}
