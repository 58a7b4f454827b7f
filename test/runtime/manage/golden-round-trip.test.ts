/**
 * golden-round-trip: import from each agent's golden trees, export back to an empty home, import again: the same
 * definitions, but for what was said to get lost.
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

describe('import, export, import', () => {
  test.each(CASES)('$name', async ({ agent, name }) => {
    const first = createGoldenWorld(name)
    const imported = await importAll(first, agent)
    const ours = await serversOf(first)

    const second = emptied(name, first, ours.file)
    const exported = await exportAll(second, agent, [...ours.servers.keys()])
    const third = emptied(name, second, exported.target.file)
    await importAll(third, agent)
    const again = await serversOf(third)

    const lost = [...ours.servers].flatMap(([server, before]) => {
      const after = again.servers.get(server)
      const fields = after === undefined ? ['all of it'] : findDifferences(before, after)
      return fields.length === 0 ? [] : [{ server, fields }]
    })
    // One snapshot per tree: whoever makes more get lost sees it here.
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
      lost,
    }).toMatchSnapshot()
    for (const { server, fields } of lost) expect(listedFor(exported, server, fields)).toEqual(fields)
  })
})

/** The fields about which something was said. */
function listedFor(exported: Transfer, server: string, fields: readonly string[]): readonly string[] {
  if (exported.left.some(({ from }) => from.entry.found.name === server)) return fields
  const { losses } = exported.planned.find(({ name }) => name === server)!
  return fields.filter((field) => {
    const whole = /^(?:env|headers|args)(?=[.[])/.exec(field)?.[0] ?? field
    return losses.some((loss) => loss.startsWith(`\`${field}\``) || loss.startsWith(`\`${whole}\``))
  })
}

/** The same machine with nothing on it but one file of another. */
function emptied(name: string, from: MemoryWorld, file: string): MemoryWorld {
  const { platform, env = {} } = readCase(name)
  const files = from.stored.has(file) ? { [file]: from.stored.get(file)! } : {}
  return createMemoryWorld({ ...(platform === undefined ? {} : { platform }), env, files, cwd: from.cwd })
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
