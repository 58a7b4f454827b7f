/**
 * command: what a command is, as data, and what it is given when it runs.
 */
import type { CommandModule } from '../shared/context.ts'

export type { CommandContext, CommandModule, Flags } from '../shared/context.ts'

export interface Command {
  readonly name: string
  /** Other words for it. */
  readonly aliases?: readonly string[]
  /** One line, lower case, no full stop. */
  readonly summary: string
  readonly arguments: readonly Argument[]
  readonly flags: readonly Flag[]
  readonly examples: readonly string[]
  /** A group: the first is the one that runs when none is named. */
  readonly commands?: readonly Command[]
  /** Whether, after these arguments, the rest of the line belongs to them, flags and all: it is somebody else's command. */
  readonly endsFlags?: (args: readonly string[]) => boolean
  /** Whether its answer has the problems of the catalog. Absent: those that matter to every command are reported first. */
  readonly showsProblems?: 'always' | 'as-text'
  /** The work, imported when the command runs. Absent for a group. */
  readonly load?: (hosts: Hosts) => Promise<CommandModule>
}

export interface Argument {
  readonly name: string
  readonly count: 'one' | 'optional' | 'some' | 'any'
  /** What is missing where it is left out; default: the name of one. */
  readonly missing?: string
  /** What may be written here with none of the arguments behind it. */
  readonly alone?: readonly string[]
  /** All that it can be, for completion. */
  readonly values?: readonly string[]
}

export interface Flag {
  readonly name: string
  readonly short?: string
  /** What the value is, for help. Absent: the flag is on or off. */
  readonly value?: string
  /** All that the value can be, for completion. */
  readonly values?: readonly string[]
  readonly isRepeatable?: boolean
  /** Words right behind its value that are values of it, too: `-e A=1 B=2`, as `claude mcp` takes them. */
  readonly goesOn?: RegExp
  readonly summary: string
}

/** Ways of using Plugboard that are more than a command. They do not know the command, and it knows them by these names alone. */
export interface Hosts {
  /** `plugboard run`. */
  readonly headless: () => Promise<CommandModule>
  /** `plugboard` on a terminal. */
  readonly shell: () => Promise<CommandModule>
  /** `plugboard demo`. */
  readonly demo: () => Promise<CommandModule>
}
