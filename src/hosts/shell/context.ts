/**
 * context: what a slash command of the shell gets, and what it may do with its session.
 *
 * never  uses the terminal: it shows everything through `print`, and asks everything through `ask`
 */
import type { Mode } from '../../model/permission.ts'
import type { Problem } from '../../model/problem.ts'
import type { Board } from '../../runtime/board.ts'
import type { LoadedCatalog, LoadOptions } from '../../runtime/load-catalog.ts'
import type { World } from '../../world/world.ts'
import type { CommandLine } from '../shared/context.ts'
import type { Paint } from '../shared/paint.ts'
import type { Demo } from './demo/demo.ts'
import type { NamedMedia } from './keep-media.ts'
import type { ModelSelection } from './model-desk.ts'
import type { Ask } from './questions.ts'

export interface ShellContext {
  readonly world: World
  readonly version: string
  readonly board: Board
  readonly paint: Paint
  /** The current width of the terminal. */
  columns(): number
  /** Aborted by Esc while the command runs, and when the shell ends. */
  readonly signal: AbortSignal
  /** Reads the files again, with the flags that the shell was started with. */
  load(options?: LoadOptions): Promise<LoadedCatalog>
  /**
   * Shows final output, one text or many lines. Colours are those of `paint`. Text from outside must be printable
   * already.
   */
  print(lines: string | readonly string[]): void
  /** Shows one line beside the conversation: a change, or an action. */
  note(line: string): void
  /** As `print`, for problems. A ProblemError that a command throws is shown in the same way. */
  report(problems: readonly Problem[]): void
  /** Shows what the user is waiting for (`checking 3 servers`), in place of the previous text; undefined: nothing. */
  busy(text: string | undefined): void
  /** Asks one question. Questions wait for each other. Undefined: the user pressed Esc, or the shell ended. */
  readonly ask: Ask
  readonly model: Pick<ModelSelection, 'get' | 'set'>
  readonly mode: ModeSelection
  /** The bundled server, which no file declares. */
  readonly demo: Pick<Demo, 'isOn' | 'turn'>
  /** Commands of `plugboard`, as if typed in the folder where the shell was started. */
  readonly command: CommandLine
  /** Saves images and sounds of a result, says where, and draws what the terminal can draw. */
  keepMedia(media: NamedMedia): void
  /** Forgets the conversation, stops the current turn, and clears the screen. */
  clear(): void
  quit(): void
}

export interface ModeSelection {
  get(): Mode
  /** Takes effect at once, also for calls that wait for an answer. */
  set(mode: Mode): Promise<void>
}

/** One of the table in `slash/commands.ts`. */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string
  readonly aliases?: readonly string[]
  /** `<server> <tool> [k=v …]`. */
  readonly usage?: string
  /** One line, lower case, no full stop. */
  readonly summary: string
  /** Rejects with a ProblemError when it cannot do what the user asked. The shell shows it. */
  run(context: ShellContext, words: readonly string[]): Promise<void>
  /** Completions for the last of these words; the words before it are whole. */
  complete?(context: ShellContext, words: readonly string[]): Promise<readonly string[]>
}
