/**
 * keys: parses the input of a terminal into keys.
 *
 * in     pieces of text as they arrive, cut anywhere
 * out    keys, and pasted texts as a whole; an incomplete sequence waits for the next piece
 * never  treats a line break in a pasted text as Enter, where the terminal marks pasted text
 */
export type Key =
  | { readonly name: 'text'; readonly text: string }
  | { readonly name: 'paste'; readonly text: string }
  | { readonly name: KeyName }

export type KeyName =
  | 'enter'
  | 'newline'
  | 'tab'
  | 'back-tab'
  | 'escape'
  | 'backspace'
  | 'delete'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'word-left'
  | 'word-right'
  | 'kill-end'
  | 'kill-start'
  | 'kill-word'
  | 'interrupt'
  | 'eof'
  | 'fold'
  | 'redraw'

export interface ReadKeys {
  readonly keys: readonly Key[]
  /** Text that may be the beginning of a longer sequence. */
  readonly rest: string
}

export const PASTE = '\x1b[200~'
const PASTE_END = '\x1b[201~'

const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'newline',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x01': 'home',
  '\x02': 'left',
  '\x03': 'interrupt',
  '\x04': 'eof',
  '\x05': 'end',
  '\x06': 'right',
  '\x0b': 'kill-end',
  '\x0c': 'redraw',
  '\x0e': 'down',
  '\x0f': 'fold',
  '\x10': 'up',
  '\x15': 'kill-start',
  '\x17': 'kill-word',
}

/** The text after Esc. */
const SEQUENCES: Readonly<Record<string, KeyName>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  '[H': 'home',
  '[F': 'end',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  OH: 'home',
  OF: 'end',
  '[1~': 'home',
  '[7~': 'home',
  '[4~': 'end',
  '[8~': 'end',
  '[3~': 'delete',
  '[Z': 'back-tab',
  '[1;3C': 'word-right',
  '[1;5C': 'word-right',
  '[1;3D': 'word-left',
  '[1;5D': 'word-left',
  b: 'word-left',
  f: 'word-right',
  '\x7f': 'kill-word',
  '\r': 'newline',
  '\n': 'newline',
  '[13;2u': 'newline',
  '[13;3u': 'newline',
  '[27;2;13~': 'newline',
  '[27;3;13~': 'newline',
}

/** `isOver`: nothing followed for a while, so Esc was the key itself. */
export function readKeys(input: string, isOver = false): ReadKeys {
  const keys: Key[] = []
  let rest = input
  while (rest !== '') {
    const met = readOne(rest, isOver)
    if (met === undefined) break
    if (met.key !== undefined) keys.push(met.key)
    rest = rest.slice(met.length)
  }
  return { keys, rest }
}

interface Met {
  /** Undefined: a key without a meaning here. */
  readonly key: Key | undefined
  readonly length: number
}

/** Undefined: the sequence is incomplete. */
function readOne(input: string, isOver: boolean): Met | undefined {
  if (input.startsWith(PASTE)) return readPaste(input, isOver)
  if (input.startsWith('\x1b')) return readSequence(input, isOver)
  const control = CONTROLS[input[0]!]
  if (control !== undefined) return { key: { name: control }, length: 1 }
  // oxlint-disable-next-line no-control-regex
  const text = /^[^\x00-\x1f\x7f]+/.exec(input)?.[0]
  return text === undefined
    ? { key: undefined, length: 1 }
    : { key: { name: 'text', text }, length: text.length }
}

/** A paste without an end mark ends with Ctrl-C, or when nothing follows: otherwise no later key would work. */
function readPaste(input: string, isOver: boolean): Met | undefined {
  const end = input.indexOf(PASTE_END)
  if (end === -1) {
    const interrupt = input.indexOf('\x03')
    if (interrupt === -1 && !isOver) return undefined
    const length = interrupt === -1 ? input.length : interrupt
    const text = input.slice(PASTE.length, length).replace(/\r\n?/g, '\n')
    return { key: { name: 'paste', text }, length }
  }
  const text = input.slice(PASTE.length, end).replace(/\r\n?/g, '\n')
  return { key: { name: 'paste', text }, length: end + PASTE_END.length }
}

function readSequence(input: string, isOver: boolean): Met | undefined {
  // oxlint-disable-next-line no-control-regex
  const sequence = /^\x1b(\[[\x20-\x3f]*[\x40-\x7e]|O[A-Za-z]|[^[O\x1b])/.exec(input)?.[1]
  if (sequence !== undefined) {
    const name = SEQUENCES[sequence]
    return { key: name === undefined ? undefined : { name }, length: sequence.length + 1 }
  }
  if (input.startsWith('\x1b\x1b')) return { key: { name: 'escape' }, length: 1 }
  return isOver ? { key: { name: 'escape' }, length: 1 } : undefined
}
