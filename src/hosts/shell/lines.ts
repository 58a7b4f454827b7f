/**
 * lines: the shell on a terminal that can only write lines (`TERM=dumb`).
 *
 * in     the state as it changes; typed lines
 * out    finished output; questions with numbered answers
 */
import { toPrintable } from '../../base/printable.ts'
import type { Terminal, World } from '../../world/world.ts'
import type { Paint } from '../shared/paint.ts'
import { blockLines } from './screen/block-lines.ts'
import type { OpenQuestion } from './question-state.ts'
import type { Answers, FormField } from './questions.ts'
import type { Front } from './session.ts'
import type { Store } from './store.ts'

export interface LinesContext {
  readonly world: World
  readonly terminal: Terminal
  readonly paint: Paint
}

export function openLines(store: Store, desk: LinesContext): Front & { close(): void } {
  const { terminal, world, paint } = desk
  /** What the screen ends with: a prompt, a typed line without output yet, or output. */
  let end: 'prompt' | 'typed' | 'said' = 'said'
  const say = (lines: readonly string[]): void => {
    if (lines.length === 0) return
    terminal.out(`${end === 'prompt' ? '\n' : ''}${lines.map((line) => `${line}\n`).join('')}`)
    end = 'said'
  }
  const prompt = (): void => {
    if (end !== 'said') return
    terminal.out('> ')
    end = 'prompt'
  }
  const press = (name: 'escape' | 'interrupt'): void =>
    store.send({ type: 'key', key: { name }, at: world.clock.now() })
  let printed = 0
  let asked: Dialog | undefined
  let isHeard = false
  let isIdle = false
  let queued = 0
  const show = (): void => {
    const state = store.state()
    for (const text of state.queued.slice(queued))
      say([`queued until this turn is over: ${toPrintable(text)}`])
    queued = state.queued.length
    const view = { paint, here: world, columns: state.size.columns }
    for (const { id, block } of state.finished) {
      if (id <= printed) continue
      printed = id
      // The user typed it, so the terminal already shows it.
      if (block.kind !== 'prompt') say(blockLines(block, view))
    }
    if (state.finished.length === 0) printed = 0
    if (state.question?.id !== asked?.id) {
      asked = state.question === undefined ? undefined : openDialog(state.question)
      isHeard = false
      if (asked !== undefined) say(asked.first.slice(0, -1))
    }
    if (asked !== undefined && !isHeard && state.question?.deafUntil === undefined) {
      isHeard = true
      say(asked.first.slice(-1))
    }
    isIdle =
      state.question === undefined &&
      state.turn === undefined &&
      state.commands === 0 &&
      state.servers !== undefined
    if (isIdle) prompt()
    else if (end === 'typed') end = 'said'
    if (state.editor.text === '') return
    // This terminal has no input line for it.
    say([`not sent: ${toPrintable(state.editor.text)}`])
    store.send({ type: 'returned' })
  }
  const onLine = (line: string): void => {
    const isNothing = asked === undefined && line.trim() === ''
    end = isNothing ? 'said' : 'typed'
    if (isNothing) return isIdle ? prompt() : undefined
    if (asked === undefined) return store.send({ type: 'line', text: line })
    if (!isHeard) return say(['not taken: this was typed before the question was there'])
    const { id } = asked
    const reply = asked.take(line)
    if (reply.kind === 'again') return say(reply.lines)
    store.send({ type: 'answered', id, answer: reply.answer })
  }
  say(['Plugboard (plain lines). Type /help, or /quit to leave; Ctrl-C stops what runs.'])
  const stopChanges = store.onChange(show)
  const stopTyping = terminal.onTyped({
    onLine,
    onCancel: () => press('escape'),
  })
  let stopInterrupts: () => void = () => undefined
  const onInterrupt = (): void => {
    press('interrupt')
    if (store.state().isQuitting) say([...(end === 'prompt' ? [] : ['']), 'Ctrl-C again to quit'])
    stopInterrupts = terminal.onInterrupt(onInterrupt)
  }
  stopInterrupts = terminal.onInterrupt(onInterrupt)
  return {
    draw: () => undefined,
    close() {
      stopChanges()
      if (end === 'prompt') terminal.out('\n')
      stopTyping()
      stopInterrupts()
    },
  }
}

type Reply =
  | { readonly kind: 'again'; readonly lines: readonly string[] }
  | { readonly kind: 'answered'; readonly answer: Answers[keyof Answers] | undefined }

/** A question, and how typed lines answer it. */
interface Dialog {
  readonly id: number
  /** The last line asks for input. */
  readonly first: readonly string[]
  take(line: string): Reply
}

export function openDialog(open: OpenQuestion): Dialog {
  const { id, question } = open
  const head = [...(question.lines ?? []), toPrintable(question.title)]
  switch (question.kind) {
    case 'choice':
      return {
        id,
        first: [
          ...head,
          ...question.options.map(
            ({ label, hint }, i) =>
              `  ${i + 1}. ${toPrintable(label)}${hint === undefined ? '' : ` (${toPrintable(hint)})`}`,
          ),
          'number, or empty for no answer:',
        ],
        take(line) {
          if (line.trim() === '') return { kind: 'answered', answer: undefined }
          const picked = question.options[Number(line) - 1]
          if (picked === undefined) return again(`a number from 1 to ${question.options.length}, or nothing`)
          return { kind: 'answered', answer: picked.value }
        },
      }
    case 'text':
      return {
        id,
        first: [
          ...head,
          ...(question.isSecret === true ? ['(this terminal shows what you type)'] : []),
          ...(question.initial === undefined ? [] : [`(empty: ${toPrintable(question.initial)})`]),
        ],
        take(line) {
          const answer = line === '' ? (question.initial ?? '') : line
          const fault = question.fault?.(answer)
          return fault === undefined ? { kind: 'answered', answer } : again(fault)
        },
      }
    case 'form':
      return openForm(id, head, question.fields)
  }
}

function again(line: string): Reply {
  return { kind: 'again', lines: [toPrintable(line)] }
}

/** One field after the other. */
function openForm(id: number, head: readonly string[], fields: readonly FormField[]): Dialog {
  const answer: Record<string, unknown> = {}
  let index = 0
  const ask = (): readonly string[] => {
    const field = fields[index]
    return field === undefined ? ['send it? (yes, decline, or empty to cancel)'] : [describe(field)]
  }
  return {
    id,
    first: [...head, ...ask()],
    take(line) {
      const field = fields[index]
      if (field === undefined) {
        const word = line.trim().toLowerCase()
        const isYes = word === 'yes' || word === 'y'
        return { kind: 'answered', answer: isYes ? answer : word === 'decline' ? 'declined' : undefined }
      }
      const read = readLine(field, line)
      if (!read.ok) return again(read.why)
      if (read.value !== undefined) answer[field.name] = read.value
      index += 1
      return { kind: 'again', lines: ask() }
    },
  }
}

function describe({ label, description, isRequired, input }: FormField): string {
  const words = [
    ...(description === undefined ? [] : [description]),
    ...('options' in input ? [`one of ${input.options.map(({ value }) => value).join(', ')}`] : []),
    ...(input.kind === 'choices' ? ['several with commas'] : []),
    ...(input.kind === 'switch' ? ['yes or no'] : []),
    ...(isRequired ? [] : ['may be empty']),
  ]
  const all = words.length === 0 ? '' : ` (${words.join('; ')})`
  return toPrintable(`${label}${all}:`)
}

type Read = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string }

export function readLine({ input, isRequired }: FormField, line: string): Read {
  const typed = line.trim()
  if (typed === '') {
    if (input.kind === 'text' && input.initial !== undefined) return input.read(input.initial)
    if (input.initial !== undefined) return { ok: true, value: input.initial }
    return isRequired ? { ok: false, why: 'this is required' } : { ok: true, value: undefined }
  }
  switch (input.kind) {
    case 'text':
      return input.read(typed)
    case 'switch':
      return /^(?:y|yes|n|no)$/i.test(typed)
        ? { ok: true, value: /^y/i.test(typed) }
        : { ok: false, why: 'yes or no' }
    case 'choice':
    case 'choices': {
      const words = input.kind === 'choice' ? [typed] : typed.split(',').map((word) => word.trim())
      const known = input.options.map(({ value }) => value)
      const odd = words.find((word) => !known.includes(word))
      if (odd !== undefined) return { ok: false, why: `one of ${known.join(', ')}` }
      return { ok: true, value: input.kind === 'choice' ? words[0] : words }
    }
  }
}
