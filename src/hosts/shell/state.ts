/** state: everything on the screen as one value, and every event. Only `step.ts` decides what follows. */
import type { ConnectionState } from '../../model/connection.ts'
import type { Params } from '../../model/message.ts'
import type { Mode } from '../../model/permission.ts'
import type { Problem } from '../../model/problem.ts'
import type { CallResult, SessionEvent } from './agent/events.ts'
import type { TurnEnd } from './agent/turn.ts'
import { createEditor, type Editor } from './editor.ts'
import type { Key } from './keys.ts'
import type { OpenQuestion } from './question-state.ts'
import type { Answers, Asked } from './questions.ts'

export interface ShellState {
  readonly size: Size
  /** Finished output, oldest first. */
  readonly finished: readonly Finished[]
  /** How often the screen was cleared: earlier output is gone. */
  readonly clearings: number
  /** The part of the response that is no finished line yet. */
  readonly answer: PartOfAnswer | undefined
  readonly calls: readonly RunningCall[]
  /** Undefined: the files are still being read. */
  readonly servers: readonly ShownServer[] | undefined
  /** `provider/id`; `none`: none is configured; undefined: the files are still being read. */
  readonly model: string | 'none' | undefined
  readonly mode: Mode
  readonly turn: RunningTurn | undefined
  /** What a running command is doing. */
  readonly busy: string | undefined
  readonly commands: number
  /** Prompts that wait for the end of the turn. There is one turn at a time, since all belong to one conversation. */
  readonly queued: readonly string[]
  readonly question: OpenQuestion | undefined
  readonly editor: Editor
  readonly completion: Completion | undefined
  /** Whether Ctrl-C was the last key. */
  readonly isQuitting: boolean
  /** Whether results are shown in full. */
  readonly isUnfolded: boolean
  /** The last result that was shortened. */
  readonly folded: DoneCall | undefined
  /** Only finished output stays on the screen. */
  readonly isOver: boolean
  /** In milliseconds, as far as it affects the screen. */
  readonly now: number
}

export interface Size {
  readonly columns: number
  readonly rows: number
}

export interface PartOfAnswer {
  readonly text: string
  readonly isFirst: boolean
}

export interface RunningCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly since: number
  /** Before that, the user may be asked about it. */
  readonly isStarted: boolean
  readonly progress?: Params
}

export interface DoneCall {
  readonly name: string
  readonly input: unknown
  readonly result: CallResult
}

export interface RunningTurn {
  readonly since: number
  /** When the model is asked again after a failure. */
  readonly retryAt?: number
  readonly isAborting?: true
}

export interface ShownServer {
  readonly name: string
  readonly state: ConnectionState
  readonly tools: number
}

export interface Completion {
  /** Where the part of the editor's text begins that an item replaces. */
  readonly from: number
  readonly to: number
  readonly items: readonly string[]
  /** Undefined: none is selected yet. */
  readonly index: number | undefined
}

export type Block =
  | { readonly kind: 'prompt'; readonly text: string }
  | ({ readonly kind: 'answer' } & PartOfAnswer)
  | { readonly kind: 'call'; readonly call: DoneCall; readonly isUnfolded: boolean }
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] }

export interface Finished {
  readonly id: number
  readonly block: Block
}

export type ShellEvent =
  | { readonly type: 'told'; readonly event: SessionEvent; readonly at: number }
  /** The turn that the user submitted. */
  | { readonly type: 'turn-began'; readonly at: number }
  | { readonly type: 'turn-ended'; readonly end: TurnEnd['kind'] }
  | { readonly type: 'command-began' }
  | { readonly type: 'command-ended' }
  | { readonly type: 'busy'; readonly text: string | undefined; readonly at: number }
  | { readonly type: 'printed'; readonly block: Block }
  | { readonly type: 'servers'; readonly servers: readonly ShownServer[] }
  | { readonly type: 'model'; readonly model: string | 'none' }
  | { readonly type: 'mode'; readonly mode: Mode }
  | { readonly type: 'asked'; readonly asked: Asked | undefined; readonly at: number }
  | { readonly type: 'key'; readonly key: Key; readonly at: number }
  /** A whole line, from a terminal without keys. */
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'answered'; readonly id: number; readonly answer: Answers[keyof Answers] | undefined }
  | { readonly type: 'completed'; readonly text: string; readonly completion: Completion }
  | { readonly type: 'history'; readonly history: readonly string[] }
  /** Queued prompts were not sent, and the terminal has printed them. */
  | { readonly type: 'returned' }
  | { readonly type: 'cleared' }
  | { readonly type: 'resized'; readonly size: Size }
  | { readonly type: 'tick'; readonly at: number }
  | { readonly type: 'left' }

export type Effect =
  /** The start of a turn: a prompt, or a command that creates one. The next comes when it has ended. */
  | { readonly kind: 'turn'; readonly text: string }
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'abort' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answers[keyof Answers] | undefined }
  | { readonly kind: 'complete'; readonly text: string; readonly cursor: number }
  | { readonly kind: 'quit' }

export type Step = readonly [ShellState, ...Effect[]]

export function createState(given: Pick<ShellState, 'size' | 'mode' | 'now'>): ShellState {
  return {
    ...given,
    finished: [],
    clearings: 0,
    answer: undefined,
    calls: [],
    servers: undefined,
    model: undefined,
    turn: undefined,
    busy: undefined,
    commands: 0,
    queued: [],
    question: undefined,
    editor: createEditor(),
    completion: undefined,
    isQuitting: false,
    isUnfolded: false,
    folded: undefined,
    isOver: false,
  }
}

/** During a turn, input that would begin another turn waits for its end. Other commands do not wait. */
export function submit(state: ShellState, text: string): Step {
  const said = text.trim()
  if (said === '') return [state]
  if (!beginsTurn(said)) return [show(state, said), { kind: 'command', text: said }]
  if (state.turn !== undefined) return [{ ...state, queued: [...state.queued, said] }]
  // From here on, not only when the model is asked: input in between must not begin another turn.
  return [
    { ...show(state, said), turn: { since: state.now } },
    { kind: 'turn', text: said },
  ]
}

function show(state: ShellState, text: string): ShellState {
  return finish(flushAnswer(state), { kind: 'prompt', text })
}

/** True for everything that is no command, and for the prompts of servers, which look like commands. */
function beginsTurn(text: string): boolean {
  return !text.startsWith('/') || text.startsWith('/mcp__')
}

export function flushAnswer(state: ShellState): ShellState {
  const { answer } = state
  if (answer === undefined) return state
  const rest = { ...state, answer: undefined }
  return answer.text.trim() === '' ? rest : finish(rest, { kind: 'answer', ...answer })
}

/** The number of lines of a result that is shown at first. */
export const FOLDED_LINES = 4

export function isFoldable(text: string): boolean {
  return text.trimEnd().split('\n').length > FOLDED_LINES || text.length > 600
}

export function finish(state: ShellState, block: Block): ShellState {
  const id = (state.finished.at(-1)?.id ?? 0) + 1
  return { ...state, finished: [...state.finished, { id, block }] }
}
