/**
 * step: the only function that changes the state of the screen.
 *
 * in     an event: from a turn, a server, a key, a question
 * out    the next state, and effects as data; `session.ts` carries them out
 * never  reads a clock or a terminal: events carry times and sizes
 */
import { unreachable } from '../../base/unreachable.ts'
import type { SessionEvent } from './agent/events.ts'
import type { TurnEnd } from './agent/turn.ts'
import { createEditor, setText } from './editor.ts'
import { listen, openQuestion } from './question-state.ts'
import {
  finish,
  flushAnswer,
  isFoldable,
  submit,
  type Completion,
  type DoneCall,
  type RunningCall,
  type ShellEvent,
  type ShellState,
  type Step,
} from './state.ts'
import { pressKey } from './step-keys.ts'

export function step(state: ShellState, event: ShellEvent): Step {
  switch (event.type) {
    case 'told':
      return [hear({ ...state, now: event.at }, event.event)]
    case 'turn-began':
      return [{ ...state, turn: { ...state.turn, since: event.at }, now: event.at }]
    case 'turn-ended':
      return endTurn(state, event.end)
    case 'command-began':
      return [{ ...state, commands: state.commands + 1 }]
    case 'command-ended':
      return [{ ...state, commands: state.commands - 1, busy: undefined }]
    case 'busy':
      return [{ ...state, busy: event.text, now: event.at }]
    case 'printed':
      return [finish(state, event.block)]
    case 'servers':
      return [{ ...state, servers: event.servers }]
    case 'model':
      return [{ ...state, model: event.model }]
    case 'mode':
      return [{ ...state, mode: event.mode }]
    case 'asked':
      return [
        {
          ...state,
          question: event.asked === undefined ? undefined : openQuestion(event.asked, event.at),
        },
      ]
    case 'key':
      return pressKey(state, event)
    case 'line':
      return submit(state, event.text)
    case 'answered':
      return [
        { ...state, question: undefined },
        { kind: 'answer', id: event.id, answer: event.answer },
      ]
    case 'completed':
      // If the user has typed meanwhile, the completion is out of date.
      return [event.text === state.editor.text ? takeCompletion(state, event.completion) : state]
    case 'history':
      return [{ ...state, editor: { ...createEditor(event.history, state.editor.text) } }]
    case 'returned':
      return [{ ...state, editor: setText(state.editor, '') }]
    case 'cleared':
      return [{ ...state, finished: [], clearings: state.clearings + 1, folded: undefined }]
    case 'resized':
      return [{ ...state, size: event.size }]
    case 'tick': {
      const { question } = state
      return [
        {
          ...state,
          now: event.at,
          question: question === undefined ? undefined : listen(question, event.at),
        },
      ]
    }
    case 'left':
      return [{ ...flushAnswer(state), isOver: true }]
    default:
      return unreachable(event)
  }
}

function endTurn(before: ShellState, end: TurnEnd['kind']): Step {
  const flushed = flushAnswer(before)
  const said: ShellState = end === 'aborted' ? finish(flushed, { kind: 'note', text: 'stopped' }) : flushed
  const state = { ...said, turn: undefined, calls: [] }
  const [next, ...later] = state.queued
  if (next === undefined) return [state]
  if (end === 'done') return submit({ ...state, queued: later }, next)
  // The user stopped the turn, or the model does not answer: the queued prompts go back to the input line for another
  // decision.
  const text = [...state.queued, state.editor.text].filter((one) => one !== '').join('\n')
  return [{ ...state, queued: [], editor: setText(state.editor, text) }]
}

function hear(state: ShellState, event: SessionEvent): ShellState {
  switch (event.type) {
    case 'text':
      return hearText(withoutRetry(state), event.text)
    case 'thought':
      return withoutRetry(state)
    case 'tool-call': {
      const { id, name, input } = event
      return {
        ...flushAnswer(withoutRetry(state)),
        calls: [...state.calls, { id, name, input, since: state.now, isStarted: false }],
      }
    }
    case 'tool-started':
      return {
        ...state,
        calls: state.calls.map((one) => (one.id === event.id ? start(one, state.now) : one)),
      }
    case 'tool-progress': {
      const { id, progress } = event
      return { ...state, calls: state.calls.map((one) => (one.id === id ? { ...one, progress } : one)) }
    }
    case 'tool-result':
      return hearResult(state, event)
    case 'retry': {
      // The whole problem is shown when there is no further attempt.
      const { message, notes } = event.problem
      const text = [message, ...notes.slice(0, 1)].join(': ')
      const shown = finish(flushAnswer(state), { kind: 'note', text: `${text}; it is asked again` })
      return {
        ...shown,
        turn: { since: state.turn?.since ?? state.now, retryAt: state.now + event.afterMs },
      }
    }
    case 'problem':
      return finish(flushAnswer(state), { kind: 'problems', problems: [event.problem] })
    case 'usage':
      return state
    default:
      return unreachable(event)
  }
}

function start(call: RunningCall, now: number): RunningCall {
  return { ...call, since: now, isStarted: true }
}

function withoutRetry(state: ShellState): ShellState {
  return state.turn?.retryAt === undefined ? state : { ...state, turn: { since: state.turn.since } }
}

/** Whole lines are finished; the rest waits for its line break. */
function hearText(state: ShellState, piece: string): ShellState {
  const { text, isFirst } = state.answer ?? { text: '', isFirst: true }
  const whole = text + piece
  const end = whole.lastIndexOf('\n')
  if (end === -1) return { ...state, answer: { text: whole, isFirst } }
  const lines = finish(state, { kind: 'answer', text: whole.slice(0, end), isFirst })
  return { ...lines, answer: { text: whole.slice(end + 1), isFirst: false } }
}

function hearResult(
  state: ShellState,
  { id, name, result }: Extract<SessionEvent, { type: 'tool-result' }>,
): ShellState {
  const call: DoneCall = { name, input: state.calls.find((one) => one.id === id)?.input, result }
  const { isUnfolded } = state
  const shown = finish(flushAnswer(state), { kind: 'call', call, isUnfolded })
  return {
    ...shown,
    calls: state.calls.filter((one) => one.id !== id),
    ...(isFoldable(result.text) && !isUnfolded ? { folded: call } : {}),
  }
}

/** A single completion is inserted. Of several, their common beginning is. */
function takeCompletion(state: ShellState, completion: Completion): ShellState {
  const { from, to, items } = completion
  const { text } = state.editor
  const common = items.length === 1 ? `${items[0]}` : commonStart(items)
  if (items.length === 0) return { ...state, completion: undefined }
  const put = common.length > to - from ? common : text.slice(from, to)
  const editor = setText(state.editor, text.slice(0, from) + put + text.slice(to), from + put.length)
  if (items.length === 1) return { ...state, editor, completion: undefined }
  return { ...state, editor, completion: { from, to: from + put.length, items, index: undefined } }
}

function commonStart(items: readonly string[]): string {
  const [first = '', ...others] = items
  let length = first.length
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--
  return first.slice(0, length)
}
