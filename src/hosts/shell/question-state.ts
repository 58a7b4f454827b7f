/**
 * question-state: a question on the screen, and its partial answer.
 *
 * in     a question, then keys, each with its time
 * out    the question as it is now, or its answer
 * never  treats a key as an answer that the user typed for something else: an unexpected question first ignores keys
 */
import { createEditor, edit, type Editor } from './editor.ts'
import type { Key } from './keys.ts'
import type { Answers, Asked, FormField, Question } from './questions.ts'

type Of<Kind extends Question['kind']> = Extract<Question, { kind: Kind }>

export type OpenQuestion = {
  readonly id: number
  readonly fault?: string
  /** Until then it ignores every key but Esc. Undefined: it accepts keys. */
  readonly deafUntil?: number | undefined
} & (
  | { readonly kind: 'choice'; readonly question: Of<'choice'>; readonly index: number }
  | { readonly kind: 'text'; readonly question: Of<'text'>; readonly editor: Editor }
  | {
      readonly kind: 'form'
      readonly question: Of<'form'>
      /** The index of the field; after the last field come the buttons to send and to decline. */
      readonly index: number
      readonly values: readonly FieldValue[]
    }
)

/** In the order of the fields. */
export type FieldValue =
  | { readonly kind: 'text'; readonly editor: Editor }
  /** -1: no option is chosen. */
  | { readonly kind: 'choice'; readonly index: number }
  | { readonly kind: 'choices'; readonly at: number; readonly chosen: readonly string[] }
  | { readonly kind: 'switch'; readonly isOn: boolean | undefined }

export type Pressed =
  | { readonly kind: 'open'; readonly question: OpenQuestion }
  | { readonly kind: 'answered'; readonly answer: Answers[keyof Answers] | undefined }

/** The time a user needs to notice a question. */
const SEEN_MS = 500
/** A user who types without looking makes no longer pauses than this. */
const PAUSE_MS = 300

export function openQuestion({ id, question, isAwaited }: Asked, at: number): OpenQuestion {
  const common = { id, deafUntil: isAwaited ? undefined : at + SEEN_MS }
  switch (question.kind) {
    case 'choice':
      return { ...common, kind: 'choice', question, index: 0 }
    case 'text':
      return { ...common, kind: 'text', question, editor: createEditor([], question.initial) }
    case 'form':
      return { ...common, kind: 'form', question, index: 0, values: question.fields.map(firstValue) }
  }
}

/** The question as it is at this time. */
export function listen(open: OpenQuestion, at: number): OpenQuestion {
  return open.deafUntil === undefined || at < open.deafUntil ? open : { ...open, deafUntil: undefined }
}

function firstValue({ input }: FormField): FieldValue {
  switch (input.kind) {
    case 'text':
      return { kind: 'text', editor: createEditor([], input.initial) }
    case 'choice':
      return { kind: 'choice', index: input.options.findIndex(({ value }) => value === input.initial) }
    case 'choices':
      return { kind: 'choices', at: 0, chosen: input.initial ?? [] }
    case 'switch':
      return { kind: 'switch', isOn: input.initial }
  }
}

export function pressInQuestion(before: OpenQuestion, key: Key, at: number): Pressed {
  if (key.name === 'escape') return { kind: 'answered', answer: undefined }
  const open = listen(before, at)
  if (open.deafUntil === undefined) return press(open, key)
  const deafer = { ...open, deafUntil: Math.max(open.deafUntil, at + PAUSE_MS) }
  return mayAnswer(open, key) ? { kind: 'open', question: deafer } : press(deafer, key)
}

function mayAnswer({ kind }: OpenQuestion, { name }: Key): boolean {
  return name === 'enter' || (kind === 'choice' && name === 'text')
}

function press(open: OpenQuestion, key: Key): Pressed {
  const { fault: _, ...calm } = open
  switch (calm.kind) {
    case 'choice':
      return pressInChoice(calm, key)
    case 'text':
      return pressInText(calm, key)
    case 'form':
      return pressInForm(calm, key)
  }
}

type OpenChoice = Extract<OpenQuestion, { kind: 'choice' }>
type OpenText = Extract<OpenQuestion, { kind: 'text' }>
export type OpenForm = Extract<OpenQuestion, { kind: 'form' }>

function pressInChoice(open: OpenChoice, key: Key): Pressed {
  const { options } = open.question
  const move = (by: number): Pressed => ({
    kind: 'open',
    question: { ...open, index: (open.index + by + options.length) % options.length },
  })
  if (key.name === 'up' || key.name === 'back-tab') return move(-1)
  if (key.name === 'down' || key.name === 'tab') return move(1)
  if (key.name === 'enter') return { kind: 'answered', answer: options[open.index]?.value }
  if (key.name === 'text' && /^[1-9]$/.test(key.text)) {
    const picked = options[Number(key.text) - 1]
    if (picked !== undefined) return { kind: 'answered', answer: picked.value }
  }
  return { kind: 'open', question: open }
}

function pressInText(open: OpenText, key: Key): Pressed {
  if (key.name !== 'enter') return { kind: 'open', question: { ...open, editor: edit(open.editor, key) } }
  const { text } = open.editor
  const fault = open.question.fault?.(text)
  if (fault !== undefined) return { kind: 'open', question: { ...open, fault } }
  return { kind: 'answered', answer: text }
}

function pressInForm(open: OpenForm, key: Key): Pressed {
  const { fields, decline } = open.question
  const count = fields.length + (decline === undefined ? 1 : 2)
  const goTo = (index: number): Pressed => ({
    kind: 'open',
    question: { ...open, index: (index + count) % count },
  })
  if (key.name === 'up' || key.name === 'back-tab') return goTo(open.index - 1)
  if (key.name === 'down' || key.name === 'tab') return goTo(open.index + 1)
  const field = fields[open.index]
  if (key.name === 'enter') {
    if (field !== undefined) return goTo(open.index + 1)
    return open.index === fields.length ? send(open) : { kind: 'answered', answer: 'declined' }
  }
  const value = open.values[open.index]
  if (field === undefined || value === undefined) return { kind: 'open', question: open }
  const values = open.values.with(open.index, pressInField(field, value, key))
  return { kind: 'open', question: { ...open, values } }
}

function pressInField({ input }: FormField, value: FieldValue, key: Key): FieldValue {
  const by = key.name === 'left' ? -1 : key.name === 'right' ? 1 : 0
  const isSpace = key.name === 'text' && key.text === ' '
  switch (value.kind) {
    case 'text':
      return { ...value, editor: edit(value.editor, key) }
    case 'switch': {
      if (isSpace || by !== 0) return { ...value, isOn: value.isOn !== true }
      if (key.name === 'text' && /^[yn]$/i.test(key.text))
        return { ...value, isOn: key.text.toLowerCase() === 'y' }
      return value
    }
    case 'choice': {
      const { length } = input.kind === 'choice' ? input.options : []
      const forward = isSpace ? 1 : by
      return forward === 0 || length === 0
        ? value
        : {
            ...value,
            index:
              value.index === -1 && forward === -1 ? length - 1 : (value.index + forward + length) % length,
          }
    }
    case 'choices': {
      const options = input.kind === 'choices' ? input.options : []
      if (options.length === 0) return value
      if (by !== 0) return { ...value, at: (value.at + by + options.length) % options.length }
      const picked = options[value.at]!.value
      if (!isSpace) return value
      const chosen = value.chosen.includes(picked)
        ? value.chosen.filter((one) => one !== picked)
        : [...value.chosen, picked]
      return { ...value, chosen }
    }
  }
}

/** The values, or the first invalid field. */
function send(open: OpenForm): Pressed {
  const answer: Record<string, unknown> = {}
  for (const [index, field] of open.question.fields.entries()) {
    const read = readField(field, open.values[index]!)
    if (!read.ok) return { kind: 'open', question: { ...open, index, fault: `${field.label}: ${read.why}` } }
    if (read.value !== undefined) answer[field.name] = read.value
  }
  return { kind: 'answered', answer }
}

type Read = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string }

const MISSING: Read = { ok: false, why: 'this is required' }

function readField({ input, isRequired }: FormField, value: FieldValue): Read {
  const nothing: Read = isRequired ? MISSING : { ok: true, value: undefined }
  switch (value.kind) {
    case 'text': {
      const { text } = value.editor
      if (text === '') return nothing
      return input.kind === 'text' ? input.read(text) : nothing
    }
    case 'choice': {
      const picked = input.kind === 'choice' ? input.options[value.index] : undefined
      return picked === undefined ? nothing : { ok: true, value: picked.value }
    }
    case 'choices':
      return input.kind === 'choices' ? readChoices(input, value.chosen) : nothing
    case 'switch':
      return value.isOn === undefined ? nothing : { ok: true, value: value.isOn }
  }
}

function readChoices(
  { options, min = 0, max = options.length }: Extract<FormField['input'], { kind: 'choices' }>,
  chosen: readonly string[],
): Read {
  if (chosen.length < min) return { ok: false, why: `choose at least ${min}` }
  if (chosen.length > max) return { ok: false, why: `choose no more than ${max}` }
  // In the order of the form, not of the choices.
  return { ok: true, value: options.map(({ value }) => value).filter((one) => chosen.includes(one)) }
}
