/**
 * demo: the bundled server, for a board that wants it.
 *
 * In a session it stands in no file: whoever says yes to it has it until the session ends.
 */
import type { BoardOptions } from '../../../runtime/board.ts'
import type { LoadedCatalog, LoadOptions } from '../../../runtime/load-catalog.ts'
import type { World } from '../../../world/world.ts'
import { createDemoServer } from './server.ts'

export const DEMO_NAME = 'demo'

/** The scratch folder: a cache, which may be thrown away. */
export function demoFolder(world: World, dirs: Pick<LoadedCatalog['dirs'], 'cache'>): string {
  return world.paths.join(dirs.cache, 'demo')
}

export interface Demo {
  readonly folder: string
  /** For the board, whether the server is on or not. */
  readonly inProcess: NonNullable<BoardOptions['inProcess']>
  isOn(): boolean
  /** Counts from the next reload on. */
  turn(to: 'on' | 'off'): void
  /** For every load. */
  servers(): NonNullable<LoadOptions['servers']>
}

export function createDemo(world: World, dirs: Pick<LoadedCatalog['dirs'], 'cache'>): Demo {
  const folder = demoFolder(world, dirs)
  let isOn = false
  return {
    folder,
    inProcess: { [DEMO_NAME]: createDemoServer(world, folder) },
    isOn: () => isOn,
    turn: (to) => void (isOn = to === 'on'),
    servers: () => (isOn ? { [DEMO_NAME]: { type: 'sdk', name: DEMO_NAME } } : {}),
  }
}
