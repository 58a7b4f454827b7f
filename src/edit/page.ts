/**
 * page: a text that was understood, and the four ways to change it. Each format has its own.
 *
 * Whoever calls them has looked at `value` first: parents are there, and are objects or lists.
 */
import type { Path, Value } from './change.ts'

export interface Language {
  /** What a file begins as when it is empty. */
  readonly blank: string
  /** Throws an EditFault when the text does not parse. */
  open(text: string): Page
  /** Whether a text says what was wanted, as far as the format can, and says it as clearly as the one before. */
  says(page: Page, wanted: Value, before: Page): boolean
}

/** The changes give the whole new text. They throw an EditFault where the format cannot say what is asked for. */
export interface Page {
  readonly text: string
  /** With `null` for a file in which nothing is written only where the format has no other way to be empty. */
  readonly value: Value
  /** Puts another value in the place of one that is there; or only takes that away, where it cannot stand there. */
  put(path: Path, value: Value): string
  /** A key that is not there yet, at the end of its object; a number is the length of its list. */
  add(path: Path, value: Value): string
  /** A key that is written twice goes twice. */
  remove(path: Path): string
  rename(path: Path, to: string): string
  /** How often the last key is written where it is; 1 for what is not an object's. */
  countOf(path: Path): number
  /** Where a value stands, for messages; of the whole text for the empty path. */
  spanOf(path: Path): Span
}

/** Offsets, the end exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Why a text cannot be changed, and where in it. */
export class EditFault extends Error {
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault.message)
    this.name = 'EditFault'
    this.fault = fault
  }
}

export interface Fault {
  readonly code: string
  readonly message: string
  readonly text: string
  readonly span: Span
  /** The span is where the text stops making sense. */
  readonly isParseFault?: true
  readonly hints?: readonly string[]
}

/** Text with a part of it replaced. */
export function splice(text: string, { start, end }: Span, added: string): string {
  return text.slice(0, start) + added + text.slice(end)
}

export function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n'
}

/** The blanks and tabs that the line of an offset begins with. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))![0]
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** Behind the line break, or the end of the text. */
export function nextLine(text: string, offset: number): number {
  const at = text.indexOf('\n', offset)
  return at === -1 ? text.length : at + 1
}
