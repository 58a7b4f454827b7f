/**
 * command: what a command is, as data, and what it is given when it runs.
 */
import type { LoadedCatalog, LoadOptions } from '../../runtime/load-catalog.ts'
import type { Terminal, World } from '../../world/world.ts'
import type { GatewayHost } from '../shared/gateway-host.ts'
import type { Paint } from '../shared/paint.ts'

export interface Command {
  readonly name: string
  /** One line, lower case, no full stop. */
  readonly summary: string
  readonly arguments: readonly Argument[]
  readonly flags: readonly Flag[]
  readonly examples: readonly string[]
  /** A group: the first is the one that runs when none is named. */
  readonly commands?: readonly Command[]
  /** The work, imported when the command runs. Absent for a group. */
  readonly load?: () => Promise<CommandModule>
}

export interface Argument {
  readonly name: string
  readonly count: 'one' | 'optional' | 'some' | 'any'
}

export interface Flag {
  readonly name: string
  readonly short?: string
  /** What the value is, for help. Absent: the flag is on or off. */
  readonly value?: string
  readonly isRepeatable?: boolean
  readonly summary: string
}

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
  /** Loads what the global flags ask for; `options` adds to them. Default: from `world`. */
  load(options?: LoadOptions, from?: World): Promise<LoadedCatalog>
}

/** By name without dashes. A flag that may be repeated has a list, another one that takes a value its last. */
export type Flags = Readonly<Record<string, true | string | readonly string[] | undefined>>
