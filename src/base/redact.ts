/**
 * redact: text in which secrets may turn up → the same without them.
 *
 * in     the secrets, once; then any number of texts
 * out    the texts, with `‹secret›` where a secret stood, also one that was escaped for JSON or a URL, or in base64, or that
 *        the end of the text cuts off
 * never  looks for what is shorter than four characters, which innocent text has everywhere; fails, however long a secret
 *        is: it compares strings, since a regular expression holds only so much, and its error quotes all of it
 */
import { SECRET_MARK, type Secret } from './secret.ts'

export function createRedactor(secrets: readonly Secret[]): (text: string) => string {
  const forms = new Set(secrets.flatMap((secret) => formsOf(secret.reveal())))
  if (forms.size === 0) return (text) => text
  // Longest first, or a secret that begins with another would leave its end behind.
  const sorted = [...forms].sort((a, b) => b.length - a.length)
  return (text) => {
    const parts = sorted.reduce(takeOut, [text])
    return [...parts.slice(0, -1), withoutCut(parts.at(-1)!, sorted)].join(SECRET_MARK)
  }
}

/** The text as the parts between secrets: what was taken out of it is not searched for the next one. */
function takeOut(parts: readonly string[], form: string): readonly string[] {
  const isThere = parts.some((part) => part.includes(form))
  return isThere ? parts.flatMap((part) => part.split(form)) : parts
}

/** A long line, or the body of an answer, may have been cut before it came here. */
function withoutCut(text: string, forms: readonly string[]): string {
  const starts = forms.map((form) => findCut(text, form)).filter((start) => start !== -1)
  return starts.length === 0 ? text : text.slice(0, Math.min(...starts)) + SECRET_MARK
}

/** Where the text ends in the beginning of this; -1: it does not. */
function findCut(text: string, form: string): number {
  const beginning = form.slice(0, SHORTEST_CUT)
  let start = text.indexOf(beginning, text.length - form.length)
  while (start !== -1 && !form.startsWith(text.slice(start))) start = text.indexOf(beginning, start + 1)
  return start
}

const SHORTEST = 4

/** Of a secret that was cut; less of it may be a common beginning, such as `https://`. */
const SHORTEST_CUT = 16

/** Of a secret with several lines, such as a key, a log shows one at a time. */
const SHORTEST_LINE = 8

function formsOf(secret: string): readonly string[] {
  const value = secret.trim()
  if (value.length < SHORTEST) return []
  const lines = value.includes('\n') ? value.split(/\r?\n/).map((line) => line.trim()) : []
  return [value, ...lines.filter((line) => line.length >= SHORTEST_LINE)].flatMap(spellingsOf)
}

function spellingsOf(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value)
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('')).replace(/=+$/, '')
  // Half of a pair cannot be encoded.
  const url = encodeURIComponent(value.replace(/\p{Cs}/gu, '\uFFFD'))
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll('%20', '+'),
    base64,
    base64.replaceAll('+', '-').replaceAll('/', '_'),
  ]
}
