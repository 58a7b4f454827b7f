/**
 * house: the boards of a gateway, for as long as somebody may come back to them.
 */
import { expect, test } from 'vitest'
import { ProjectBoards } from '../../../src/hosts/gateway/house.ts'
import { openServing } from '../../../src/hosts/gateway/serve.ts'
import type { OpenServing } from '../../../src/hosts/shared/gateway-host.ts'
import { loadCatalog } from '../../../src/runtime/load-catalog.ts'
import { createScratch } from '../../worlds/scratch.ts'

test('with no limit to idleness a board stays when its last visitor leaves', async () => {
  using scratch = createScratch()
  const { world } = scratch
  const house = new ProjectBoards({
    world,
    idleMs: 0,
    load:
      () =>
      ({ world: of }) =>
        loadCatalog(of, {}),
    open: (of, load) => openServing({ world: of, version: '1', load }),
  })
  const from = { cwd: scratch.project, env: {} }
  const first = await house.enter(from)
  first.leave()
  // A timer of nothing at all would be over before this one.
  await new Promise<void>((resolve) => void world.clock.after(20, resolve))
  const second = await house.enter(from)
  expect(second.serving).toBe(first.serving)
  second.leave()
  await house.close()
})

test('a board that cannot be opened takes nothing from what is told of the others', async () => {
  using scratch = createScratch()
  const { world } = scratch
  let fail!: (error: Error) => void
  const house = new ProjectBoards({
    world,
    idleMs: 60_000,
    load:
      () =>
      ({ world: of }) =>
        loadCatalog(of, {}),
    open: () => new Promise<OpenServing>((_, reject) => (fail = reject)),
  })
  const entering = house.enter({ cwd: scratch.project, env: {} })
  const status = house.status()
  fail(new Error('no'))
  await expect(entering).rejects.toThrow('no')
  expect(await status).toEqual([])
})
