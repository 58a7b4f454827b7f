/**
 * observed: a scratch whose world tells of every process that was started in it.
 */
import { basename } from 'node:path'
import type { World } from '../../src/world/world.ts'
import { createScratch, type Scratch } from './scratch.ts'

export interface Observed extends Scratch {
  /** In the order of their start. */
  readonly children: readonly Started[]
}

export interface Started {
  /** The file it runs, without folder and ending: `well-behaved`. */
  readonly program: string
  readonly pid: number
  /** On the clock of the world. */
  readonly at: number
}

export interface ObservedOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly change?: (world: World) => World
}

export function createObserved({ env = {}, change = (world) => world }: ObservedOptions = {}): Observed {
  const scratch = createScratch(env)
  const world = change(scratch.world)
  const children: Started[] = []
  const spawn: World['processes']['spawn'] = (request, listener) => {
    const child = world.processes.spawn(request, listener)
    const program = basename(request.args[0] ?? request.command).replace(/\.mjs$/, '')
    if (child.pid !== undefined) children.push({ program, pid: child.pid, at: world.clock.now() })
    return child
  }
  return { ...scratch, world: { ...world, processes: { spawn } }, children }
}

/** A world in which time runs faster: for limits and pauses that are long. */
export function inFastTime(factor: number): (world: World) => World {
  return (world) => {
    const { clock } = world
    const startedAt = clock.now()
    return {
      ...world,
      clock: {
        ...clock,
        now: () => startedAt + (clock.now() - startedAt) * factor,
        after: (ms, step) => clock.after(ms / factor, step),
      },
    }
  }
}
