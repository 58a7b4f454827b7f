/**
 * problem: how a Problem is made.
 *
 * The stage that detects a problem writes it, in its own problems.ts, with these; hosts render it; nobody parses a
 * message.
 */
import { locate, type ConfigDocument } from '../model/document.ts'
import type { Origin } from '../model/origin.ts'
import type { Excerpt, Problem, Where } from '../model/problem.ts'
import { maskSecrets } from './mask.ts'

/** A Problem on its way up: what the runtime throws when a request cannot be met. */
export class ProblemError extends Error {
  readonly problem: Problem

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.message, options)
    this.name = 'ProblemError'
    this.problem = problem
  }
}

type Draft = Pick<Problem, 'code' | 'message'> & Partial<Problem>

export function createProblem(draft: Draft): Problem {
  return { severity: 'error', notes: [], hints: [], ...draft }
}

export function createWarning(draft: Draft): Problem {
  return createProblem({ severity: 'warning', ...draft })
}

type Owner = Pick<Where, 'source' | 'scope' | 'server'>

type Text = Pick<ConfigDocument, 'file' | 'text' | 'lineStarts'>

interface Span {
  readonly start: number
  readonly end: number
}

/** The place of a node in its document, with the line that holds it. */
export function whereOf(document: Text, span: Span, owner: Owner = {}): Where {
  return quote(document, span, { owner, kind: 'node' })
}

/** The place where a text stops making sense. */
export function whereFault(document: Text, span: Span, owner: Owner = {}): Where {
  return quote(document, span, { owner, kind: 'fault' })
}

type Kind = 'node' | 'fault'

function quote(
  document: Text,
  span: Span,
  { owner, kind }: { readonly owner: Owner; readonly kind: Kind },
): Where {
  const { line, column } = locate(document.lineStarts, span.start)
  const lineStart = document.lineStarts[line - 1]!
  const lineEnd = document.lineStarts[line] ?? document.text.length + 1
  const isWindows = document.text[lineEnd - 2] === '\r' && lineEnd - 2 >= lineStart
  const text = document.text.slice(lineStart, lineEnd - (isWindows ? 2 : 1))
  const length = Math.max(1, Math.min(span.end - span.start, text.length - column + 1))
  return { file: document.file, line, column, ...owner, excerpt: toExcerpt(text, { column, length, kind }) }
}

/** The place of an entry, without quoting it. */
export function whereOrigin(origin: Origin, server?: string): Where {
  return { ...origin, ...(server === undefined ? {} : { server }) }
}

/** Longest part of a line that is quoted: minified files are one line of megabytes. */
const EXCERPT_WIDTH = 160

/** Longest line that is read from its beginning. */
const LINE_LIMIT = 2000

function toExcerpt(
  line: string,
  { column, length, kind }: { readonly column: number; readonly length: number; readonly kind: Kind },
): Excerpt {
  const offset = column - 1
  // In a longer line, where the fault begins is the only place known to be outside of a string, which may be a secret.
  const safe = line.length <= LINE_LIMIT ? 0 : offset - keyBefore(line, offset).length
  const from = Math.max(safe, offset > EXCERPT_WIDTH / 2 ? offset - EXCERPT_WIDTH / 2 : 0)
  // With what follows: a password is known by the `@` behind it.
  const part = line.slice(safe, from + EXCERPT_WIDTH + LINE_LIMIT)
  const needed = from - safe + EXCERPT_WIDTH
  const masked = maskSecrets(part, kind === 'fault' ? offset - safe : undefined, needed)
  const text = masked.slice(from - safe, needed)
  const at = column - from
  return { text, column: at, length: Math.max(1, Math.min(length, text.length - at + 1)) }
}

/** `"command": `, when that is what stands before. */
function keyBefore(line: string, offset: number): string {
  const before = line.slice(Math.max(0, offset - EXCERPT_WIDTH / 2), offset)
  return /"[^"\\]*"\s*:\s*$/.exec(before)?.[0] ?? ''
}
