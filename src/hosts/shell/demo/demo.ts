/**
 * demo: the bundled server, for a board that includes it.
 *
 * In a session no file declares it: a user who accepts it has it until the session ends.
 */
import type { BoardOptions } from '../../../runtime/board.ts'
import type { LoadedCatalog, LoadOptions } from '../../../runtime/load-catalog.ts'
import type { World } from '../../../world/world.ts'
import type { CommandContext } from '../../shared/context.ts'
import { createDemoServer } from './server.ts'

export const DEMO_NAME = 'demo'

/** The scratch folder: a cache, which the user may delete. */
export function demoFolder(world: World, dirs: Pick<LoadedCatalog['dirs'], 'cache'>): string {
  return world.paths.join(dirs.cache, 'demo')
}

export interface Demo {
  /** For the board, whether the server is on or not. */
  readonly inProcess: NonNullable<BoardOptions['inProcess']>
  isOn(): boolean
  /** Takes effect with the next reload. */
  turn(to: 'on' | 'off'): void
  /** For every load. */
  servers(): NonNullable<LoadOptions['servers']>
}

/** `dirs` is called when the server is used: before that, no file needs to be read. */
export function createDemo(world: World, dirs: () => Pick<LoadedCatalog['dirs'], 'cache'>): Demo {
  let isOn = false
  return {
    inProcess: { [DEMO_NAME]: createDemoServer(world, () => demoFolder(world, dirs())) },
    isOn: () => isOn,
    turn: (to) => void (isOn = to === 'on'),
    servers: () => (isOn ? { [DEMO_NAME]: { type: 'sdk', name: DEMO_NAME } } : {}),
  }
}

/** While the demo is on, every load includes it. */
export function withDemo(context: CommandContext, demo: Demo): CommandContext {
  const load: CommandContext['load'] = (options, from) =>
    context.load({ ...options, servers: demo.servers() }, from)
  return { ...context, load }
}
