/**
 * faults: describes what is wrong with an answer of an authorization server.
 *
 * in     what the SDK threw over an answer: its schemas dump what they expected as JSON
 * out    a line for each field
 * never  quotes the answer
 */
import { isObject } from '../../base/is-object.ts'

/** One line for each wrong field; undefined if the error is about something else. */
export function describeFault(error: unknown): readonly string[] | undefined {
  // The SDK parses only JSON answers, so only an empty or incomplete answer fails here.
  if (error instanceof SyntaxError) return ['it is empty, or it is not JSON']
  if (!isObject(error) || error['name'] !== 'ZodError' || !Array.isArray(error['issues'])) return undefined
  const lines = [...new Set((error['issues'] as readonly Issue[]).map(describeIssue))]
  const more = lines.length - MAX_LINES
  return more > 0 ? [...lines.slice(0, MAX_LINES), `and ${more} more`] : lines
}

const MAX_LINES = 4

/** As Zod documents it. */
interface Issue {
  readonly code: string
  readonly path: readonly PropertyKey[]
  readonly expected?: string
}

const NOUNS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: '`true` or `false`',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

function describeIssue({ code, path, expected = '' }: Issue): string {
  const noun = NOUNS[expected] ?? 'what it must be'
  if (path.length === 0) return `it is not ${noun}`
  const field = `\`${path.map(String).join('.')}\``
  if (code === 'invalid_type') return `${field} is missing, or is not ${noun}`
  // The schemas use formats only for addresses.
  return code === 'invalid_format' || code === 'custom'
    ? `${field} is not an address that can be used`
    : `${field} is not what it must be`
}
