/**
 * page: a parsed text and the four ways to change it. Each format has its own.
 *
 * The caller has checked `value` first: parents exist, and are objects or lists.
 */
import type { Path, Value } from './change.ts'

export interface Language {
  /** The beginning of an empty file. */
  readonly blank: string
  /** Throws an EditFault when the text does not parse. */
  open(text: string): Page
  /** Whether a text has the wanted value, as far as the format allows, and is as clear as the one before. */
  says(page: Page, wanted: Value, before: Page): boolean
}

/** The changes return the whole new text. They throw an EditFault where the format cannot express the change. */
export interface Page {
  readonly text: string
  /** `null` for an empty file only where the format has no other way to be empty. */
  readonly value: Value
  /** Replaces an existing value; or only removes it, where the new value cannot stand in its place. */
  put(path: Path, value: Value): string
  /** Adds a new key at the end of its object; a number is the length of its list. */
  add(path: Path, value: Value): string
  /** Removes every copy of a duplicate key. */
  remove(path: Path): string
  rename(path: Path, to: string): string
  /** How many copies of the last key its object has; 1 outside of objects. */
  countOf(path: Path): number
  /** The position of a value, for messages; the whole text for the empty path. */
  spanOf(path: Path): Span
}

/** Offsets; the end is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * The command is built as several bundles, and each has its own copy of the class. This brand lets them recognise each
 * other's.
 */
const BRAND: unique symbol = Symbol.for('plugboard.edit-fault')

/** Why a text cannot be changed, and the position in it. */
export class EditFault extends Error {
  readonly fault: Fault
  readonly [BRAND] = true

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value
  }

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
  /** The span is where the text becomes invalid. */
  readonly isParseFault?: true
  readonly hints?: readonly string[]
}

/** A text with one part replaced. */
export function splice(text: string, { start, end }: Span, added: string): string {
  return text.slice(0, start) + added + text.slice(end)
}

export function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n'
}

/** The blanks and tabs at the beginning of the line that contains an offset. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))![0]
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** The position after the line break, or the end of the text. */
export function nextLine(text: string, offset: number): number {
  const at = text.indexOf('\n', offset)
  return at === -1 ? text.length : at + 1
}
