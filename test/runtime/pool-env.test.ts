/**
 * pool-env: a server that inherits the environment is shared by those who have the same.
 */
import { expect, test } from 'vitest'
import { openBoard } from '../../src/runtime/board.ts'
import { loadCatalog } from '../../src/runtime/load-catalog.ts'
import { Pool } from '../../src/runtime/pool.ts'
import { serverEntry } from '../boards/open.ts'
import { allowAll } from '../boards/permits.ts'
import { createScratch } from '../worlds/scratch.ts'

test('another environment is another process, unless only the shell’s own variables differ', async () => {
  using scratch = createScratch()
  const one = { ...serverEntry('tells-who'), inheritEnv: true }
  scratch.write('home/.config/plugboard/mcp.json', JSON.stringify({ mcpServers: { one } }))
  const pool = new Pool({ idleMs: 0, maxInstances: 4 })
  const who = async (env: Readonly<Record<string, string>>): Promise<{ board: AsyncClose; text: string }> => {
    const world = { ...scratch.world, env: { ...scratch.world.env, ...env } }
    const load = () => loadCatalog(world, {})
    const board = await openBoard(world, { load, permit: allowAll, wait: 'all', loopLimit: 0, pool })
    const { text } = await board.call({ server: 'one', tool: 'who' }, {})
    return { board, text }
  }
  const all = [
    await who({ VALUE: 'prod', SHLVL: '1' }),
    await who({ VALUE: 'prod', SHLVL: '2' }),
    await who({ VALUE: 'dev', SHLVL: '1' }),
  ]
  const told = all.map(({ text }) => JSON.parse(text) as { readonly pid: number; readonly value: string })
  await Promise.all(all.map(({ board }) => board.close()))
  expect(told.map(({ value }) => value)).toEqual(['prod', 'prod', 'dev'])
  expect(told[1]!.pid).toBe(told[0]!.pid)
})

interface AsyncClose {
  close(): Promise<void>
}
