/**
 * context: what a command gets when it runs, in any host.
 */
import type { LoadedCatalog, LoadOptions } from '../../runtime/load-catalog.ts'
import type { Terminal, World } from '../../world/world.ts'
import type { Board, GatherOptions } from '../../runtime/board.ts'
import type { DaemonHost, GatewayHost, Visited } from './gateway-host.ts'
import type { Paint } from './paint.ts'

export interface CommandModule {
  /** Returns the exit code. Throws a ProblemError when the request cannot be met. */
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
  /** The gateway, which is a separate host. */
  readonly gateway: GatewayHost
  readonly daemon: DaemonHost
  /** The words after `plugboard`. */
  readonly argv: readonly string[]
  /** The board of the gateway in which the command runs. Undefined: the command opens its own board. */
  readonly visit?: ((options: GatherOptions) => Promise<Board>) | undefined
  /** Runs another line inside this command, with the same global flags. Returns its exit code. */
  readonly command: CommandLine
  /** Loads what the global flags ask for; `options` adds to them. Default: from `world`. */
  load(options?: LoadOptions, from?: World): Promise<LoadedCatalog>
}

/** By name without dashes. A repeatable flag has a list; another flag with a value has its last value. */
export type Flags = Readonly<Record<string, true | string | readonly string[] | undefined>>

/** Runs the words after `plugboard`, on a terminal of the caller; `visited`: where a board runs already. */
export type CommandLine = (words: readonly string[], terminal: Terminal, visited?: Visited) => Promise<number>
