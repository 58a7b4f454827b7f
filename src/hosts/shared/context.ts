/**
 * context: what a command is given when it runs, whichever host does the work.
 */
import type { LoadedCatalog, LoadOptions } from '../../runtime/load-catalog.ts'
import type { Terminal, World } from '../../world/world.ts'
import type { Board, GatherOptions } from '../../runtime/board.ts'
import type { GatewayHost, Visited } from './gateway-host.ts'
import type { Paint } from './paint.ts'

export interface CommandModule {
  /** Gives the exit code. Throws a ProblemError when the request cannot be met. */
  run(context: CommandContext): Promise<number>
}

export interface CommandContext {
  readonly world: World
  readonly terminal: Terminal
  /** The colours of stdout. */
  readonly paint: Paint
  readonly flags: Flags
  readonly args: readonly string[]
  /** `--json`: stdout gets one JSON value and nothing else. */
  readonly json: boolean
  readonly version: string
  /** The gateway, which is a host of its own. */
  readonly gateway: GatewayHost
  /** The words behind `plugboard`. */
  readonly argv: readonly string[]
  /** The board of a gateway in which this is carried out. Undefined: the command opens one of its own. */
  readonly visit?: ((options: GatherOptions) => Promise<Board>) | undefined
  /** Another line, typed inside this one, with the same global flags. Gives its exit code. */
  readonly command: CommandLine
  /** Loads what the global flags ask for; `options` adds to them. Default: from `world`. */
  load(options?: LoadOptions, from?: World): Promise<LoadedCatalog>
}

/** By name without dashes. A flag that may be repeated has a list, another one that takes a value its last. */
export type Flags = Readonly<Record<string, true | string | readonly string[] | undefined>>

/** Runs the words behind `plugboard`, on a terminal of the caller's; `visited`: where a board runs already. */
export type CommandLine = (words: readonly string[], terminal: Terminal, visited?: Visited) => Promise<number>
