/**
 * editor: the text that the user is typing, one line or several, and the history of earlier input.
 *
 * never  puts the cursor between the halves of a character
 */
import type { Key } from './keys.ts'

export interface Editor {
  readonly text: string
  /** In UTF-16 units. The cursor is before this unit. */
  readonly cursor: number
  /** Oldest first. */
  readonly history: readonly string[]
  /** The index of the shown entry; the length of the history: none. */
  readonly at: number
  /** The text before the user went back in the history. */
  readonly draft: string
}

export function createEditor(history: readonly string[] = [], text = ''): Editor {
  return { text, cursor: text.length, history, at: history.length, draft: '' }
}

/** After Enter: clears the line, and adds the text to the history once. */
export function remember({ history }: Editor, text: string): Editor {
  const kept = text.trim() === '' || history.at(-1) === text ? history : [...history, text]
  return createEditor(kept)
}

export function setText(editor: Editor, text: string, cursor = text.length): Editor {
  return { ...editor, text, cursor }
}

/** Returns the same editor when the key has no meaning here. */
export function edit(editor: Editor, key: Key): Editor {
  const { text, cursor } = editor
  switch (key.name) {
    case 'text':
    case 'paste':
      return insert(editor, key.text)
    case 'newline':
      return insert(editor, '\n')
    case 'backspace':
      return cut(editor, before(text, cursor), cursor)
    case 'delete':
      return cut(editor, cursor, after(text, cursor))
    case 'kill-word':
      return cut(editor, wordBefore(text, cursor), cursor)
    case 'kill-start':
      return cut(editor, lineStart(text, cursor), cursor)
    case 'kill-end':
      return cut(editor, cursor, lineEnd(text, cursor))
    case 'left':
      return { ...editor, cursor: before(text, cursor) }
    case 'right':
      return { ...editor, cursor: after(text, cursor) }
    case 'word-left':
      return { ...editor, cursor: wordBefore(text, cursor) }
    case 'word-right':
      return { ...editor, cursor: cursor + (/^\W*\w*/.exec(text.slice(cursor))?.[0].length ?? 0) }
    case 'home':
      return { ...editor, cursor: lineStart(text, cursor) }
    case 'end':
      return { ...editor, cursor: lineEnd(text, cursor) }
    case 'up':
      return lineStart(text, cursor) === 0 ? recall(editor, -1) : moveLine(editor, -1)
    case 'down':
      return lineEnd(text, cursor) === text.length ? recall(editor, 1) : moveLine(editor, 1)
    default:
      return editor
  }
}

function insert(editor: Editor, piece: string): Editor {
  const { text, cursor } = editor
  return setText(editor, text.slice(0, cursor) + piece + text.slice(cursor), cursor + piece.length)
}

function cut(editor: Editor, from: number, to: number): Editor {
  const { text } = editor
  return from === to ? editor : setText(editor, text.slice(0, from) + text.slice(to), from)
}

function before(text: string, cursor: number): number {
  return cursor - (Array.from(text.slice(0, cursor)).at(-1)?.length ?? 0)
}

function after(text: string, cursor: number): number {
  return cursor + (Array.from(text.slice(cursor))[0]?.length ?? 0)
}

function wordBefore(text: string, cursor: number): number {
  return cursor - (/\S*\s*$/.exec(text.slice(0, cursor))?.[0].length ?? 0)
}

function lineStart(text: string, cursor: number): number {
  return text.lastIndexOf('\n', cursor - 1) + 1
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf('\n', cursor)
  return end === -1 ? text.length : end
}

function moveLine(editor: Editor, by: -1 | 1): Editor {
  const { text, cursor } = editor
  const start = lineStart(text, cursor)
  const column = cursor - start
  const target = by === -1 ? lineStart(text, start - 1) : lineEnd(text, cursor) + 1
  return { ...editor, cursor: Math.min(target + column, lineEnd(text, target)) }
}

function recall(editor: Editor, by: -1 | 1): Editor {
  const { history, at, text, draft } = editor
  const next = at + by
  if (next < 0 || next > history.length) return editor
  const kept = at === history.length ? text : draft
  const shown = next === history.length ? kept : history[next]!
  return { ...setText(editor, shown), at: next, draft: kept }
}
