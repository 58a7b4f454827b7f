/**
 * observed: a scratch whose world tells of every process that was started in it.
 */
import { basename } from 'node:path'
import type { World } from '../../src/world/world.ts'
import { createScratch, type Scratch } from './scratch.ts'

export interface Observed extends Scratch {
  /** In the order of their start. */
  readonly children: readonly Started[]
  /** Resolves when so many have been started. */
  whenStarted(count: number): Promise<void>
}

export interface Started {
  /** The file it runs, without folder and ending: `well-behaved`. */
  readonly program: string
  /** What comes after the file. */
  readonly args: readonly string[]
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
  let watchers: (() => void)[] = []
  const spawn: World['processes']['spawn'] = (request, listener) => {
    const child = world.processes.spawn(request, listener)
    const [file = request.command, ...args] = request.args
    const program = basename(file).replace(/\.mjs$/, '')
    if (child.pid !== undefined) children.push({ program, args, pid: child.pid, at: world.clock.now() })
    for (const look of watchers) look()
    return child
  }
  return {
    ...scratch,
    // On one processor the limits are the same everywhere.
    world: { ...world, processors: 1, processes: { ...world.processes, spawn } },
    children,
    whenStarted: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (children.length < count) return
          watchers = watchers.filter((one) => one !== look)
          resolve()
        }
        watchers = [...watchers, look]
        look()
      }),
  }
}

/** For a board that is closed before the scratch is: the next one finds what this one left. */
export function lend<T extends Scratch>(scratch: T): T {
  return { ...scratch, [Symbol.dispose]: () => undefined }
}

/** A world in which time runs faster, for pauses that are long, or slower. */
export function inTime(factor: number): (world: World) => World {
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
