/**
 * catalog-loader: when it looks, and what it makes of what it sees, on a clock that the test moves.
 */
import { describe, expect, it } from 'vitest'
import { CatalogLoader, type Reloaded } from '../../src/runtime/catalog-loader.ts'
import { loadCatalog } from '../../src/runtime/load-catalog.ts'
import type { Clock } from '../../src/world/world.ts'
import { createMemoryWorld, type MemoryWorld } from '../worlds/memory.ts'

const FILE = '/home/ada/.cursor/mcp.json'

interface Bench {
  readonly world: MemoryWorld
  readonly reloads: readonly Reloaded[]
  readonly loader: CatalogLoader
  loads(): number
  /** Writes, and tells whoever watches. */
  save(text: string): void
  pass(ms: number): Promise<void>
}

async function openBench(text: string): Promise<Bench> {
  const { clock, pass } = createClock()
  const memory = createMemoryWorld({ files: { [FILE]: text } })
  const world = { ...memory, clock }
  const reloads: Reloaded[] = []
  let loads = 0
  const loader = new CatalogLoader(
    world,
    ({ world: seen, ...how }) => {
      loads += 1
      return loadCatalog(seen, how)
    },
    { isWatched: true },
  )
  await loader.load(() => undefined)
  await loader.watch((reloaded) => void reloads.push(reloaded))
  return {
    world,
    reloads,
    loader,
    loads: () => loads,
    pass,
    save(next) {
      world.files.write(FILE, 0o600, next)
      for (const touch of world.watchers) touch()
    },
  }
}

function createClock(): { readonly clock: Clock; pass(ms: number): Promise<void> } {
  let now = 0
  let waiting: readonly { readonly at: number; readonly step: () => void }[] = []
  return {
    clock: {
      now: () => now,
      after(ms, step) {
        const one = { at: now + ms, step }
        waiting = [...waiting, one]
        return () => void (waiting = waiting.filter((other) => other !== one))
      },
      random: () => 0.5,
    },
    async pass(ms) {
      now += ms
      const due = waiting.filter(({ at }) => at <= now)
      waiting = waiting.filter(({ at }) => at > now)
      for (const { step } of due) step()
      // What a step begins has no timers in it: it is over when everything else had its turn.
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

const ONE = '{ "mcpServers": { "a": { "command": "a" } } }'
const TWO = '{ "mcpServers": { "a": { "command": "a" }, "b": { "command": "b" } } }'

const names = ({ loaded }: Reloaded): readonly string[] => loaded.catalog.servers.map(({ name }) => name)

describe('what is written', () => {
  it('is read once it has been quiet for 100 ms', async () => {
    const { save, pass, reloads } = await openBench(ONE)
    save(TWO)
    await pass(99)
    save(`${TWO} `)
    await pass(99)
    expect(reloads).toEqual([])
    await pass(1)
    expect(reloads.map(names)).toEqual([['a', 'b']])
  })

  it('without a pause is read after half a second', async () => {
    const { save, pass, reloads } = await openBench(ONE)
    for (let i = 0; i < 6; i++) {
      save(TWO + ' '.repeat(i))
      await pass(90)
    }
    expect(reloads.map(names)).toEqual([['a', 'b']])
  })

  it('and is the same as before is not read at all', async () => {
    const { save, pass, loads } = await openBench(ONE)
    save(ONE)
    await pass(100)
    expect(loads()).toBe(1)
  })

  it('as nothing is given 300 ms more, once', async () => {
    const { save, pass, reloads } = await openBench(ONE)
    save('')
    await pass(100)
    await pass(299)
    expect(reloads).toEqual([])
    await pass(1)
    expect(reloads.map(names)).toEqual([[]])
  })
})

describe('watching', () => {
  it('is over after closing, also for what was on its way', async () => {
    const { save, pass, loader, reloads, world } = await openBench(ONE)
    save(TWO)
    loader.close()
    await pass(1000)
    expect({ reloads, watchers: world.watchers.size }).toEqual({ reloads: [], watchers: 0 })
  })

  it('tells nothing that a load has come to already', async () => {
    const { save, pass, loader, reloads } = await openBench(ONE)
    save(TWO)
    await loader.load(() => undefined)
    await pass(100)
    expect(reloads).toEqual([])
  })

  it('that was not asked for remembers nothing', async () => {
    const world = createMemoryWorld({ files: { [FILE]: ONE } })
    const loader = new CatalogLoader(world, ({ world: seen, ...how }) => {
      expect(seen).toBe(world)
      return loadCatalog(seen, how)
    })
    await loader.load(() => undefined)
    expect(world.watchers.size).toBe(0)
  })
})
