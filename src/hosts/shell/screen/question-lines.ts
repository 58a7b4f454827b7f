/** question-lines: a question, its options, and its partial answer. */
import { toPrintable } from '../../../base/printable.ts'
import { cutEnd, cutStart, widthOf } from '../../shared/width.ts'
import { wrap, wrapPainted } from '../../shared/wrap.ts'
import type { Editor } from '../editor.ts'
import type { FieldValue, OpenForm, OpenQuestion } from '../question-state.ts'
import type { FormField } from '../questions.ts'
import { inputLines, type Drawn } from './input-lines.ts'
import type { View } from './view.ts'

export function questionLines(open: OpenQuestion, view: View): Drawn {
  const { paint, columns } = view
  const above = [
    paint.cyan('─'.repeat(Math.max(1, columns - 1))),
    ...(open.question.lines ?? []).flatMap((line) => wrapPainted(line, columns - 1)),
    ...wrap(toPrintable(open.question.title), columns - 1).map(paint.bold),
  ]
  const body = bodyLines(open, view)
  const below = [
    ...(open.fault === undefined ? [] : [paint.red(cutEnd(toPrintable(open.fault), columns - 1))]),
    open.deafUntil === undefined ? paint.dim(cutEnd(KEYS[open.kind], columns - 1)) : '',
  ]
  return {
    lines: [...above, ...body.lines, ...below],
    ...(body.cursor === undefined ? {} : { cursor: { x: body.cursor.x, y: body.cursor.y + above.length } }),
  }
}

/** Shown once the question accepts keys. */
const KEYS: Readonly<Record<OpenQuestion['kind'], string>> = {
  choice: 'arrows or a number, Enter · Esc: no answer',
  text: 'Enter: answer · Esc: no answer',
  form: '↑ ↓: move · ← → space: choose · Enter: next · Esc: cancel',
}

function bodyLines(open: OpenQuestion, view: View): Drawn {
  const { paint, columns } = view
  switch (open.kind) {
    case 'choice':
      return {
        lines: open.question.options.map(({ label, hint }, i) => {
          const text = `${i + 1}. ${toPrintable(label)}${hint === undefined ? '' : ` (${toPrintable(hint)})`}`
          const line = cutEnd(`${i === open.index ? '>' : ' '} ${text}`, columns - 1)
          return i === open.index ? paint.cyan(line) : line
        }),
      }
    case 'text': {
      const { isSecret, example } = open.question
      const shown: Editor =
        isSecret === true ? { ...open.editor, text: '*'.repeat(open.editor.text.length) } : open.editor
      const drawn = inputLines(shown, { ...view, mark: '?' })
      if (open.editor.text !== '' || example === undefined) return drawn
      return { ...drawn, lines: [`${drawn.lines[0]}${paint.dim(cutEnd(toPrintable(example), columns - 4))}`] }
    }
    case 'form':
      return formLines(open, view)
  }
}

function formLines({ question, index, values }: OpenForm, view: View): Drawn {
  const { paint, columns } = view
  const lines: string[] = []
  let cursor: Drawn['cursor']
  for (const [i, field] of question.fields.entries()) {
    const value = values[i]!
    if (i !== index) {
      lines.push(cutEnd(`  ${labelOf(field)}${valueText(field, value)}`, columns - 1))
      continue
    }
    const drawn = fieldLines(field, value, columns)
    if (drawn.cursor !== undefined) cursor = { x: drawn.cursor.x, y: drawn.cursor.y + lines.length }
    lines.push(...drawn.lines.map(paint.cyan))
    if (field.description !== undefined)
      lines.push(...wrap(toPrintable(field.description), columns - 5).map((one) => paint.dim(`    ${one}`)))
  }
  const button = (label: string, at: number): string =>
    at === index ? paint.cyan(`> [ ${label} ]`) : `  [ ${label} ]`
  lines.push(button('send', question.fields.length))
  if (question.decline !== undefined)
    lines.push(button(toPrintable(question.decline), question.fields.length + 1))
  return cursor === undefined ? { lines } : { lines, cursor }
}

function labelOf({ label, isRequired }: FormField): string {
  return `${toPrintable(label)}${isRequired ? ' *' : ''}: `
}

/** The active field: all of its options, or the part of a long text around the cursor. */
function fieldLines(field: FormField, value: FieldValue, columns: number): Drawn {
  const label = `> ${labelOf(field)}`
  if (value.kind === 'text') {
    const room = Math.max(columns - 2 - widthOf(label), 8)
    const before = cutStart(toPrintable(value.editor.text.slice(0, value.editor.cursor)), room)
    const after = cutEnd(toPrintable(value.editor.text.slice(value.editor.cursor)), room - widthOf(before))
    const x = Math.min(widthOf(label + before), columns - 1)
    return { lines: [cutEnd(label + before + after, columns - 1)], cursor: { x, y: 0 } }
  }
  const options = value.kind === 'choices' ? optionTexts(field, value).join('  ') : valueText(field, value)
  if (widthOf(label + options) < columns) return { lines: [label + options] }
  return { lines: [label, ...wrap(options, columns - 5).map((line) => `    ${line}`)] }
}

function optionTexts(
  { input }: FormField,
  value: Extract<FieldValue, { kind: 'choices' }>,
): readonly string[] {
  const options = input.kind === 'choices' ? input.options : []
  return options.map(({ value: one, label }, i) => {
    // No blank inside: lines break only between options.
    const box = `[${value.chosen.includes(one) ? 'x' : '_'}]${toPrintable(label)}`
    return i === value.at ? `<${box}>` : box
  })
}

function valueText({ input }: FormField, value: FieldValue): string {
  switch (value.kind) {
    case 'text':
      return toPrintable(value.editor.text)
    case 'switch':
      return value.isOn === undefined ? '( ) yes ( ) no' : value.isOn ? '(x) yes ( ) no' : '( ) yes (x) no'
    case 'choice': {
      const picked = input.kind === 'choice' ? input.options[value.index] : undefined
      return picked === undefined ? '< choose >' : `< ${toPrintable(picked.label)} >`
    }
    case 'choices': {
      const options = input.kind === 'choices' ? input.options : []
      const chosen = options
        .filter((one) => value.chosen.includes(one.value))
        .map(({ label }) => toPrintable(label))
      return chosen.length === 0 ? '(none)' : chosen.join(', ')
    }
  }
}
