/** What is on the screen, as a function of what happened: turns one at a time, the line one types in, questions. */
import { describe, expect, it } from 'vitest'
import { createEditor, edit } from '../../../src/hosts/shell/editor.ts'
import { readKeys, type Key } from '../../../src/hosts/shell/keys.ts'
import { createState, type Effect, type ShellEvent, type ShellState } from '../../../src/hosts/shell/state.ts'
import { step } from '../../../src/hosts/shell/step.ts'

const idle = createState({ size: { columns: 80, rows: 24 }, mode: 'default', now: 0 })

/** Everything that follows from these events, in order. */
function after(events: readonly ShellEvent[], from = idle): { state: ShellState; effects: Effect[] } {
  let state = from
  const effects: Effect[] = []
  for (const event of events) {
    const [next, ...more] = step(state, event)
    state = next
    effects.push(...more)
  }
  return { state, effects }
}

const line = (text: string): ShellEvent => ({ type: 'line', text })

const ended = (end: 'done' | 'aborted' | 'failed'): ShellEvent => ({ type: 'turn-ended', end })

describe('one turn at a time', () => {
  it('what is typed before the model was asked waits as well', () => {
    const { state, effects } = after([line('one'), line('two'), line('three')])
    expect(effects).toEqual([{ kind: 'turn', text: 'one' }])
    expect(state.queued).toEqual(['two', 'three'])
  })

  it('the next begins when the one before has ended, in the order they were typed', () => {
    const { state, effects } = after([line('one'), line('two'), line('three'), ended('done'), ended('done')])
    expect(effects).toEqual(['one', 'two', 'three'].map((text) => ({ kind: 'turn', text })))
    expect(state).toMatchObject({ queued: [], turn: { since: 0 } })
    expect(after([ended('done')], state).state.turn).toBeUndefined()
  })

  it('a prompt of a server waits like any other, and other commands do not', () => {
    const { state, effects } = after([line('one'), line('/mcp__docs__review a=b'), line('/mcp list')])
    expect(effects).toEqual([
      { kind: 'turn', text: 'one' },
      { kind: 'command', text: '/mcp list' },
    ])
    expect(state.queued).toEqual(['/mcp__docs__review a=b'])
  })

  it.each(['aborted', 'failed'] as const)('of one that %s, what was queued is given back', (end) => {
    const { state, effects } = after([line('one'), line('two'), line('three'), ended(end)])
    expect(effects).toHaveLength(1)
    expect(state).toMatchObject({ queued: [], turn: undefined, editor: { text: 'two\nthree' } })
  })
})

describe('Esc and Ctrl-C', () => {
  const press = (name: 'escape' | 'interrupt' | 'eof'): ShellEvent => ({ type: 'key', key: { name }, at: 0 })

  it('Esc stops what runs, and does nothing where nothing does', () => {
    expect(after([line('one'), press('escape')]).effects.at(-1)).toEqual({ kind: 'abort' })
    expect(after([press('escape')]).effects).toEqual([])
  })

  it('Ctrl-C stops what runs; only the second in a row quits', () => {
    expect(after([line('one'), press('interrupt')]).effects.at(-1)).toEqual({ kind: 'abort' })
    expect(after([press('interrupt'), press('interrupt')]).effects).toEqual([{ kind: 'quit' }])
    const between: ShellEvent = { type: 'key', key: { name: 'text', text: 'x' }, at: 0 }
    expect(after([press('interrupt'), between, press('interrupt')]).effects).toEqual([])
  })

  it('Ctrl-D quits from an empty line alone', () => {
    expect(after([press('eof')]).effects).toEqual([{ kind: 'quit' }])
    expect(after([{ type: 'key', key: { name: 'text', text: 'x' }, at: 0 }, press('eof')]).effects).toEqual(
      [],
    )
  })
})

describe('a question that comes while somebody types', () => {
  const options = ['later', 'yes', 'no'].map((value) => ({ value, label: value }))
  const asked = (isAwaited = false): ShellEvent => ({
    type: 'asked',
    asked: { id: 7, question: { kind: 'choice', title: 'May it?', options }, isAwaited },
    at: 1000,
  })
  const press = (at: number, key: Key | string): ShellEvent => ({
    type: 'key',
    key: typeof key === 'string' ? { name: 'text', text: key } : key,
    at,
  })
  const enter: Key = { name: 'enter' }
  const yes: Effect = { kind: 'answer', id: 7, answer: 'yes' }

  it('is not answered by the keys that were meant for the line', () => {
    expect(after([asked(), press(1001, '2')]).effects).toEqual([])
    expect(after([asked(), press(1499, enter)]).effects).toEqual([])
    expect(after([asked(), press(1499, '2'), press(1700, enter)]).effects).toEqual([])
    expect(after([asked(), press(1400, 'a'), press(1600, 'b'), press(1800, enter)]).effects).toEqual([])
  })

  it('is answered once it could be seen, and nobody has typed for a moment', () => {
    expect(after([asked(), press(1500, '2')]).effects).toEqual([yes])
    expect(after([asked(), press(1499, '2'), press(1799, '2')]).effects).toEqual([yes])
    const heard = after([asked(), { type: 'tick', at: 1500 }]).state
    expect(heard.question?.deafUntil).toBeUndefined()
    expect(after([press(1501, { name: 'down' }), press(1502, enter)], heard).effects).toEqual([yes])
  })

  it('can be left at once, and is answered at once when it is waited for', () => {
    expect(after([asked(), press(1001, { name: 'escape' })]).effects).toMatchObject([{ kind: 'answer' }])
    expect(after([asked(true), press(1001, '2')]).effects).toEqual([yes])
  })

  it('takes what is typed into a form or a text, and Enter only then', () => {
    const text: ShellEvent = {
      type: 'asked',
      asked: { id: 7, question: { kind: 'text', title: 'Why?' }, isAwaited: false },
      at: 1000,
    }
    const typed = after([text, press(1001, '2 x'), press(1002, enter)])
    expect(typed.effects).toEqual([])
    expect(after([press(1500, enter)], typed.state).effects).toEqual([
      { kind: 'answer', id: 7, answer: '2 x' },
    ])
  })
})

describe('keys', () => {
  it('are the same however the input is cut', () => {
    const input = 'a\u001b[A\u001b[200~two\r\nlines\u001b[201~\r\u001b[1;5D'
    const whole = readKeys(input).keys
    expect(whole).toEqual([
      { name: 'text', text: 'a' },
      { name: 'up' },
      { name: 'paste', text: 'two\nlines' },
      { name: 'enter' },
      { name: 'word-left' },
    ])
    for (let at = 1; at < input.length; at++) {
      const first = readKeys(input.slice(0, at))
      const second = readKeys(first.rest + input.slice(at))
      expect([...first.keys, ...second.keys]).toEqual(whole)
    }
  })

  it('Esc alone is a key once nothing follows', () => {
    expect(readKeys('\u001b')).toEqual({ keys: [], rest: '\u001b' })
    expect(readKeys('\u001b', true).keys).toEqual([{ name: 'escape' }])
  })
})

describe('the editor', () => {
  const type = (keys: readonly (Key | string)[], history: readonly string[] = []): string => {
    const named = keys.map((key): Key => (typeof key === 'string' ? { name: 'text', text: key } : key))
    const { text, cursor } = named.reduce(edit, createEditor(history))
    return `${text.slice(0, cursor)}|${text.slice(cursor)}`
  }

  it.each<[string, (Key | string)[], string]>([
    ['takes a character of two halves at once', ['a😀', { name: 'backspace' }], 'a|'],
    ['deletes the word before', ['one two', { name: 'kill-word' }], 'one |'],
    ['goes to the ends of its line', ['ab', { name: 'newline' }, 'cd', { name: 'home' }], 'ab\n|cd'],
    ['moves between lines', ['abc', { name: 'newline' }, 'de', { name: 'up' }], 'ab|c\nde'],
    ['kills to the end', ['abc', { name: 'home' }, { name: 'right' }, { name: 'kill-end' }], 'a|'],
  ])('%s', (_, keys, expected) => expect(type(keys)).toBe(expected))

  it('goes back through what was typed, and returns to the draft', () => {
    const up: Key = { name: 'up' }
    const down: Key = { name: 'down' }
    expect(type(['draft', up, up], ['old', 'new'])).toBe('old|')
    expect(type(['draft', up, up, down, down], ['old', 'new'])).toBe('draft|')
  })
})
