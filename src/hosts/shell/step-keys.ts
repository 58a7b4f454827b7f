/**
 * step-keys: the effect of each key, depending on the state.
 *
 * While a question is on the screen, it gets every key but Ctrl-C; a key that was typed for something else does not
 * answer it. Esc closes the list of completions, then stops the work in progress. Ctrl-C empties the line or stops the
 * work in progress. Pressed again, it ends the shell.
 */
import { edit, remember, setText } from './editor.ts'
import type { Key } from './keys.ts'
import { pressInQuestion } from './question-state.ts'
import { finish, submit, type ShellEvent, type ShellState, type Step } from './state.ts'

type Pressing = Pick<Extract<ShellEvent, { type: 'key' }>, 'key' | 'at'>

export function pressKey(before: ShellState, { key, at }: Pressing): Step {
  if (key.name === 'interrupt') return interrupt(before)
  const state = before.isQuitting ? { ...before, isQuitting: false } : before
  if (state.question !== undefined) return answer(state, { key, at })
  switch (key.name) {
    case 'escape':
      return escape(state)
    case 'enter':
      return enter(state)
    case 'tab':
      return state.completion === undefined
        ? [state, { kind: 'complete', text: state.editor.text, cursor: state.editor.cursor }]
        : [nextItem(state, 1)]
    case 'back-tab':
      return [nextItem(state, -1)]
    case 'fold':
      return [unfold(state)]
    case 'eof':
      return state.editor.text === '' ? [state, { kind: 'quit' }] : [typed(state, { name: 'delete' })]
    default:
      return [typed(state, key)]
  }
}

function typed(state: ShellState, key: Key): ShellState {
  return { ...state, editor: edit(state.editor, key), completion: undefined }
}

function answer(state: ShellState, { key, at }: Pressing): Step {
  const open = state.question!
  const pressed = pressInQuestion(open, key, at)
  if (pressed.kind === 'open') return [{ ...state, question: pressed.question }]
  return [
    { ...state, question: undefined },
    { kind: 'answer', id: open.id, answer: pressed.answer },
  ]
}

function escape(state: ShellState): Step {
  if (state.completion !== undefined) return [{ ...state, completion: undefined }]
  return isWorking(state) ? [abort(state), { kind: 'abort' }] : [state]
}

function interrupt(state: ShellState): Step {
  if (state.isQuitting) return [state, { kind: 'quit' }]
  const armed: ShellState = {
    ...abort(state),
    isQuitting: true,
    editor: setText(state.editor, ''),
    completion: undefined,
  }
  return isWorking(state) ? [armed, { kind: 'abort' }] : [armed]
}

function isWorking({ turn, commands }: ShellState): boolean {
  return turn !== undefined || commands > 0
}

function abort(state: ShellState): ShellState {
  return state.turn === undefined ? state : { ...state, turn: { since: state.turn.since, isAborting: true } }
}

/** A backslash at the end of the line continues it on the next. */
function enter(state: ShellState): Step {
  const { editor } = state
  if (/(?:^|[^\\])\\$/.test(editor.text) && editor.cursor === editor.text.length)
    return [{ ...state, editor: setText(editor, `${editor.text.slice(0, -1)}\n`) }]
  const [next, ...effects] = submit(state, editor.text)
  return [{ ...next, editor: remember(editor, editor.text), completion: undefined }, ...effects]
}

function nextItem(state: ShellState, by: -1 | 1): ShellState {
  const { completion, editor } = state
  if (completion === undefined) return state
  const { from, to, items, index } = completion
  const next =
    index === undefined ? (by === 1 ? 0 : items.length - 1) : (index + by + items.length) % items.length
  const item = items[next]!
  const text = editor.text.slice(0, from) + item + editor.text.slice(to)
  return {
    ...state,
    editor: setText(editor, text, from + item.length),
    completion: { from, to: from + item.length, items, index: next },
  }
}

/** Shows later results in full, or shortened again. The last shortened result is shown at once. */
function unfold(state: ShellState): ShellState {
  const isUnfolded = !state.isUnfolded
  const { folded } = state
  const next = { ...state, isUnfolded }
  if (!isUnfolded || folded === undefined) return next
  return { ...finish(next, { kind: 'call', call: folded, isUnfolded: true }), folded: undefined }
}
