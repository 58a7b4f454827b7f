/**
 * show-pin-diff: shows how a tool differs from its approved form, as lines.
 *
 * in     texts that a server wrote
 * out    printable lines; invisible characters as escapes, and only the beginning of very long texts
 */
import { toPrintable } from '../../base/printable.ts'
import type { DiffLine, PathDiff, PinDiff } from '../../model/permission.ts'
import type { Paint } from './paint.ts'

export function showPinDiff({ name, description, schema, fields }: PinDiff, paint: Paint): string[] {
  return [
    ...(name === undefined
      ? []
      : ['  name', paint.red(`    - ${show(name.was)}`), paint.green(`    + ${show(name.is)}`)]),
    ...(description.length === 0 ? [] : ['  description', ...showDescription(description, paint)]),
    ...(schema.length === 0 ? [] : ['  schema', ...showPaths(schema, paint)]),
    ...(fields.length === 0 ? [] : ['  other fields', ...showPaths(fields, paint)]),
  ]
}

/** This many equal lines are shown on either side of a different one. */
const CONTEXT = 2

const MOST_LINES = 200

function showDescription(lines: readonly DiffLine[], paint: Paint): string[] {
  const isNear = (i: number): boolean =>
    lines.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(({ kind }) => kind !== 'same')
  const shown: string[] = []
  for (const [i, { kind, text }] of lines.entries()) {
    if (kind === 'gone') shown.push(paint.red(`    - ${show(text)}`))
    else if (kind === 'new') shown.push(paint.green(`    + ${show(text)}`))
    else if (isNear(i)) shown.push(paint.dim(`      ${show(text)}`))
    else if (shown.at(-1) !== LEFT_OUT) shown.push(LEFT_OUT)
  }
  return limit(shown)
}

const LEFT_OUT = '      …'

function showPaths(changes: readonly PathDiff[], paint: Paint): string[] {
  return limit(
    changes.map(({ path, was, is }) => {
      const at = show(path)
      if (was === undefined) return paint.green(`    + ${at}: ${show(is ?? '')}`)
      if (is === undefined) return paint.red(`    - ${at}: ${show(was)}`)
      return paint.yellow(`    ~ ${at}: ${show(was)} → ${show(is)}`)
    }),
  )
}

function limit(lines: readonly string[]): string[] {
  if (lines.length <= MOST_LINES) return [...lines]
  return [...lines.slice(0, MOST_LINES), `    and ${lines.length - MOST_LINES} more`]
}

const MOST_CHARACTERS = 1000

function show(text: string): string {
  const rest = text.length - MOST_CHARACTERS
  return rest <= 0
    ? toPrintable(text)
    : `${toPrintable(text.slice(0, MOST_CHARACTERS))}… and ${rest} more characters`
}
