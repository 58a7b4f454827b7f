/** problems: why a text cannot be changed. */
import { findLineStarts } from '../model/document.ts'
import type { Problem } from '../model/problem.ts'
import { createProblem, whereFault, whereOf } from '../problem/problem.ts'
import { isListValue, isObjectValue, valueAt, type Change, type Path } from './change.ts'
import { EditFault, type Page, type Span } from './page.ts'

export function toProblem({ fault }: EditFault, file: string): Problem {
  const { code, message, text, span, hints = [] } = fault
  const document = { file, text, lineStarts: findLineStarts(text) }
  const where = fault.isParseFault === true ? whereFault(document, span) : whereOf(document, span)
  return createProblem({ code, message, where, notes: ['nothing was changed'], hints })
}

export function doesNotParse(
  text: string,
  { format, message }: { readonly format: string; readonly message: string },
  span: Span,
): EditFault {
  return new EditFault({
    code: 'edit/unparseable',
    message: `this ${format} file does not parse: ${message}`,
    text,
    span,
    isParseFault: true,
    hints: ['mend this place, then try again'],
  })
}

/**
 * Parsers and patterns run out of stack over a file of a hundred thousand brackets, or of many megabytes in one token.
 */
export function tooLarge(text: string): EditFault {
  return new EditFault({
    code: 'edit/unparseable',
    message: 'this file is too large, or nested too deeply, to be changed',
    text,
    span: { start: 0, end: 1 },
  })
}

export function wrongShape(page: Page, path: Path, expected: 'an object' | 'a list'): EditFault {
  const what = path.length === 0 ? 'the file' : `\`${showPath(path)}\``
  return faultAt(page, path, {
    code: 'edit/wrong-shape',
    message: `${what} must be ${expected}, but is ${describe(page, path)}`,
  })
}

export function isWrittenTwice(page: Page, path: Path): EditFault {
  return faultAt(page, path, {
    code: 'edit/twice',
    message: `\`${showPath(path)}\` is written twice in this file`,
    hints: ['make one of the two, then try again'],
  })
}

export function isThereAlready(page: Page, path: Path): EditFault {
  return faultAt(page, path, {
    code: 'edit/exists',
    message: `\`${showPath(path)}\` is there already`,
  })
}

export function notThere(page: Page, path: Path): EditFault {
  return faultAt(page, [], {
    code: 'edit/missing',
    message: `there is no \`${showPath(path)}\` in this file`,
  })
}

/** The last check failed: the new text does not have the wanted value. */
export function cannotSay(page: Page, changes: readonly Change[]): EditFault {
  const paths = [...new Set(changes.map(({ path }) => `\`${showPath(path)}\``))]
  return faultAt(page, changes[0]?.path ?? [], {
    code: 'edit/cannot-say',
    message: `${paths.slice(0, 3).join(', ')} cannot be changed here without changing something else`,
    hints: ['change it by hand'],
  })
}

export function noSuchValue(page: Page, path: Path, what: string): EditFault {
  return faultAt(page, path, { code: 'edit/cannot-say', message: `\`${showPath(path)}\` ${what}` })
}

export function isShared(page: Page, path: Path, how: string): EditFault {
  return faultAt(page, path, {
    code: 'edit/shared',
    message: `\`${showPath(path)}\` ${how}`,
    hints: ['write it out where it is meant to differ, then try again'],
  })
}

function faultAt(
  page: Page,
  path: Path,
  {
    code,
    message,
    hints = [],
  }: { readonly code: string; readonly message: string; readonly hints?: readonly string[] },
): EditFault {
  return new EditFault({ code, message, text: page.text, span: page.spanOf(path), hints })
}

function showPath(path: Path): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : key))
    .join('.')
    .replaceAll('.[', '[')
}

function describe(page: Page, path: Path): string {
  const value = valueAt(page.value, path)
  if (isListValue(value)) return 'a list'
  if (isObjectValue(value)) return 'an object'
  if (value === null) return 'null'
  return (
    { string: 'a string', number: 'a number', boolean: 'a boolean' }[typeof value as 'string'] ?? 'missing'
  )
}
