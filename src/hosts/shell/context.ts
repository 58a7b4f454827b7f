/**
 * context: what a slash command of the shell is given, and what it may do with the session it runs in.
 *
 * never  touches the terminal: all that is shown goes through `print`, all that is asked through `ask`
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
import type { ModelDesk } from './model-desk.ts'
import type { Ask } from './questions.ts'

export interface ShellContext {
  readonly world: World
  readonly version: string
  readonly board: Board
  readonly paint: Paint
  /** Of the terminal, now. */
  columns(): number
  /** Aborted by Esc while the command runs, and when the shell ends. */
  readonly signal: AbortSignal
  /** The files as they are now, with the flags that the shell was started with. */
  load(options?: LoadOptions): Promise<LoadedCatalog>
  /** Finished output, one text or many lines. Colours are those of `paint`; what others wrote must be printable already. */
  print(lines: string | readonly string[]): void
  /** One line beside the conversation: what changed, what was done. */
  note(line: string): void
  /** As `print`, for what went wrong. A command that throws a ProblemError has it shown in the same way. */
  report(problems: readonly Problem[]): void
  /** What goes on while one waits (`checking 3 servers`), in place of what was said before; undefined: nothing any more. */
  busy(text: string | undefined): void
  /** One question. Those that wait are asked one after the other. Undefined: Esc, or the shell ended. */
  readonly ask: Ask
  readonly model: Pick<ModelDesk, 'get' | 'set'>
  readonly mode: ModeDesk
  /** The bundled server, which stands in no file. */
  readonly demo: Pick<Demo, 'isOn' | 'turn'>
  /** Commands of `plugboard`, as if they were typed where the shell was started. */
  readonly command: CommandLine
  /** Saves what a result has of images and sounds, says where, and draws what can be drawn. */
  keepMedia(media: NamedMedia): void
  /** Forgets the conversation, stops the turn that runs, and clears the screen. */
  clear(): void
  quit(): void
}

export interface ModeDesk {
  get(): Mode
  /** At once, also for calls that wait for their answer. */
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
  /** Rejects with a ProblemError when the request cannot be met: it is shown. */
  run(context: ShellContext, words: readonly string[]): Promise<void>
  /** What may stand in place of the last of these words; the words before it are whole. */
  complete?(context: ShellContext, words: readonly string[]): Promise<readonly string[]>
}
