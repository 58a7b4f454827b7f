/**
 * command: a command as data, and the context in which it runs.
 */
import type { CommandModule } from '../shared/context.ts'

export type { CommandContext, CommandModule, Flags } from '../shared/context.ts'

export interface Command {
  readonly name: string
  /** Other names of the command. */
  readonly aliases?: readonly string[]
  /** One line, lower case, no full stop. */
  readonly summary: string
  readonly arguments: readonly Argument[]
  readonly flags: readonly Flag[]
  readonly examples: readonly string[]
  /** A group: the first command runs when the line names none. */
  readonly commands?: readonly Command[]
  /**
   * Whether the rest of the line, with its flags, belongs to these arguments: it is the command line of another
   * program.
   */
  readonly endsFlags?: (args: readonly string[]) => boolean
  /**
   * Whether the output contains the problems of the catalog. Absent: problems that matter to every command are reported
   * first.
   */
  readonly showsProblems?: 'always' | 'as-text'
  /** Imported when the command runs. Absent for a group. */
  readonly load?: (hosts: Hosts) => Promise<CommandModule>
}

export interface Argument {
  readonly name: string
  readonly count: 'one' | 'optional' | 'some' | 'any'
  /** What the error message calls a missing argument. Default: the name of the argument. */
  readonly missing?: string
  /** Values that may stand here without the arguments after it. */
  readonly alone?: readonly string[]
  /** All possible values, for completion. */
  readonly values?: readonly string[]
}

export interface Flag {
  readonly name: string
  readonly short?: string
  /** The value's name in help. Absent: the flag is on or off. */
  readonly value?: string
  /** All possible values, for completion. */
  readonly values?: readonly string[]
  readonly isRepeatable?: boolean
  /** Matches further words after the value that belong to it: `-e A=1 B=2`, as `claude mcp` accepts them. */
  readonly goesOn?: RegExp
  readonly summary: string
}

/** Hosts that the command line can start. Neither side imports the other: the command line knows only these names. */
export interface Hosts {
  /** `plugboard run`. */
  readonly headless: () => Promise<CommandModule>
  /** `plugboard` on a terminal. */
  readonly shell: () => Promise<CommandModule>
  /** `plugboard demo`. */
  readonly demo: () => Promise<CommandModule>
}
