/** Lines of the screen: the status, images, forms, at any width. */
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fieldsOf } from '../../../src/hosts/shell/elicit.ts'
import type { Key } from '../../../src/hosts/shell/keys.ts'
import { openQuestion, pressInQuestion, type OpenQuestion } from '../../../src/hosts/shell/question-state.ts'
import { questionLines } from '../../../src/hosts/shell/screen/question-lines.ts'
import { statusLine } from '../../../src/hosts/shell/screen/status-line.ts'
import type { View } from '../../../src/hosts/shell/screen/view.ts'
import { imageSequence } from '../../../src/hosts/shell/show-image.ts'
import type { ShownServer } from '../../../src/hosts/shell/state.ts'
import { helpLines } from '../../../src/hosts/shell/slash/help-lines.ts'
import { NO_COLORS } from '../../../src/hosts/shared/paint.ts'

const view = (columns: number): View => ({
  paint: NO_COLORS,
  columns,
  here: { paths: posix, home: '/home/ada', cwd: '/home/ada' },
})

describe('the status line', () => {
  const server = (name: string, state: ShownServer['state']): ShownServer => ({ name, state, tools: 1 })
  const servers = [
    server('a', 'ready'),
    server('b', 'ready'),
    server('c', 'connecting'),
    server('d', 'needs-auth'),
    server('e', 'failed'),
    server('f', 'waiting'),
  ]

  it('has the mode, how many servers are how, and the model', () => {
    expect(statusLine({ servers, mode: 'plan', model: 'openai/m' }, view(100))).toBe(
      'plan mode · 2 ready · 1 connecting · d needs sign-in · 2 failed · openai/m',
    )
    expect(statusLine({ servers: [], mode: 'default', model: 'none' }, view(100))).toBe(
      'default mode · no servers · no model',
    )
    expect(statusLine({ servers: undefined, mode: 'default', model: undefined }, view(100))).toBe(
      'default mode · reading configuration',
    )
  })

  it.each([20, 40, 60])('fits %i columns', (columns) => {
    const line = statusLine(
      { servers, mode: 'plan', model: 'openai/a-model-with-a-long-name' },
      view(columns),
    )
    expect(line.length).toBeLessThan(columns)
  })
})

describe('help', () => {
  it.each([40, 60, 80, 120])('is whole in %i columns', (columns) => {
    const rows = [
      { usage: '/short', summary: 'says '.repeat(20).trim() },
      {
        usage: '/permissions [list | allow | ask | deny | reset | explain] …',
        summary: 'what may be called',
      },
    ]
    const lines = helpLines(rows, { paint: NO_COLORS, columns: () => columns })
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
    const words = (text: string): string => text.replace(/\s+/g, ' ').trim()
    expect(words(lines.join(' '))).toBe(words(rows.map((row) => `${row.usage} ${row.summary}`).join(' ')))
  })
})

describe('an image', () => {
  const png = { kind: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' } as const

  it('is drawn where the terminal can, and nowhere else', () => {
    const iterm = '\u001b]1337;File=inline=1;preserveAspectRatio=1:iVBORw0KGgo=\u0007\n'
    expect(imageSequence(png, { TERM_PROGRAM: 'iTerm.app' })).toBe(iterm)
    const kitty = '\u001b_Ga=T,f=100,q=2,m=0;iVBORw0KGgo=\u001b\\\n'
    expect(imageSequence(png, { TERM_PROGRAM: 'kitty' })).toBe(kitty)
    expect(imageSequence(png, { TERM: 'xterm-kitty' })).toBe(kitty)
    expect(imageSequence({ ...png, mimeType: 'image/jpeg' }, { TERM: 'xterm-kitty' })).toBeUndefined()
    expect(imageSequence(png, { TERM: 'xterm-256color' })).toBeUndefined()
    expect(imageSequence(png, { TERM_PROGRAM: 'iTerm.app', TMUX: '1' })).toBeUndefined()
  })

  it('that is large goes to kitty in pieces', () => {
    const sequence = imageSequence({ ...png, data: 'A'.repeat(9000) }, { TERM: 'xterm-kitty' })!
    expect(sequence.match(/m=[01];/g)).toEqual(['m=1;', 'm=1;', 'm=0;'])
  })
})

describe('a form', () => {
  const SCHEMA = {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2, maxLength: 5 },
      mail: { type: 'string', format: 'email' },
      day: { type: 'string', format: 'date' },
      age: { type: 'integer', minimum: 1, maximum: 99 },
      rate: { type: 'number', default: 0.5 },
      sure: { type: 'boolean', default: false },
      color: { type: 'string', enum: ['red', 'green'], enumNames: ['Red', 'Green'] },
      size: {
        oneOf: [
          { const: 's', title: 'Small' },
          { const: 'l', title: 'Large' },
        ],
        default: 'l',
      },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 2 },
    },
    required: ['name', 'tags'],
  }

  function open(schema: object): OpenQuestion {
    const fields = fieldsOf(schema)
    const question = { kind: 'form', title: 'x asks', fields, decline: 'decline' } as const
    return openQuestion({ id: 1, question, isAwaited: true }, 0)
  }

  /** Texts are typed, names are keys; the answer, or the question as it is then. */
  function press(question: OpenQuestion, keys: readonly string[]): unknown {
    let now = question
    for (const key of keys) {
      const named: Key = key.startsWith('<')
        ? ({ name: key.slice(1, -1) } as Key)
        : { name: 'text', text: key }
      const pressed = pressInQuestion(now, named, 0)
      if (pressed.kind === 'answered') return pressed.answer
      now = pressed.question
    }
    return now
  }

  const SEND = [...Array.from({ length: 9 }, () => '<down>'), '<enter>']

  it('is answered with typed values, and what was left empty is left out', () => {
    const filled = ['Ada', '<down>', '<down>', '<down>', '42', '<down>', '<down>', 'y', '<down>', '<right>']
    const tags = ['<down>', '<down>', ' ', '<right>', ' ', '<down>', '<enter>']
    expect(press(open(SCHEMA), [...filled, ...tags])).toEqual({
      name: 'Ada',
      age: 42,
      rate: 0.5,
      sure: true,
      color: 'red',
      size: 'l',
      tags: ['a', 'b'],
    })
  })

  it.each<[string, readonly string[], string]>([
    ['what is required', [], 'name: this is required'],
    ['a text that is too short', ['A'], 'name: at least 2 characters'],
    ['a text that is too long', ['Ada Lovelace'], 'name: no more than 5 characters'],
  ])('says what is wrong: %s', (_, keys, fault) => {
    expect(press(open(SCHEMA), [...keys, ...SEND])).toMatchObject({ fault, index: 0 })
  })

  it.each<[string, object, string, string]>([
    ['no address', { type: 'string', format: 'email' }, 'nobody', 'this must be an e-mail address'],
    ['no date', { type: 'string', format: 'date' }, 'tomorrow', 'this must be a date such as 2026-01-31'],
    ['no number', { type: 'number' }, 'many', 'this must be a number'],
    ['no whole number', { type: 'integer' }, '1.5', 'this must be a whole number'],
    ['too much', { type: 'integer', maximum: 9 }, '10', 'this must be 9 or less'],
    ['too little', { type: 'number', minimum: 1 }, '0', 'this must be 1 or more'],
  ])('says what is wrong: %s', (_, field, typed, why) => {
    const question = open({ type: 'object', properties: { f: field } })
    expect(press(question, [typed, '<down>', '<enter>'])).toMatchObject({ fault: `f: ${why}` })
  })

  it('of which too few or too many are chosen says so', () => {
    const schema = { properties: { tags: SCHEMA.properties.tags } }
    expect(press(open(schema), ['<down>', '<enter>'])).toMatchObject({ fault: 'tags: choose at least 1' })
    const all = [' ', '<right>', ' ', '<right>', ' ', '<down>', '<enter>']
    expect(press(open(schema), all)).toMatchObject({ fault: 'tags: choose no more than 2' })
  })

  it('can be declined, and be left', () => {
    expect(press(open(SCHEMA), ['<up>', '<enter>'])).toBe('declined')
    expect(press(open(SCHEMA), ['<escape>'])).toBeUndefined()
  })

  it('shows all options of the field that is filled in, and where one types', () => {
    const many = Array.from({ length: 20 }, (_, i) => `option-${i}`)
    const schema = { properties: { all: { type: 'array', items: { enum: many } }, text: { type: 'string' } } }
    const shown = questionLines(press(open(schema), [' ']) as OpenQuestion, view(60)).lines.join('\n')
    for (const option of many) expect(shown).toContain(option)
    expect(shown).toContain('<[x]option-0>')
    const typed = press(open(schema), [' ', '<down>', 'word '.repeat(30), 'end']) as OpenQuestion
    const { lines, cursor } = questionLines(typed, view(60))
    expect(lines.join('\n')).toContain('word end')
    expect(lines.join('\n')).toContain('all: option-0')
    expect(cursor!.x).toBeLessThan(60)
  })

  it.each([40, 60, 120])('fits %i columns', (columns) => {
    const { lines } = questionLines(open(SCHEMA), view(columns))
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns + 1)
  })
})
