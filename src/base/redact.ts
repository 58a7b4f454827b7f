/**
 * redact: removes secrets from texts.
 *
 * in     the secrets, once; then any number of texts
 * out    the texts, with `‹secret›` in place of a secret, also of one escaped for JSON or a URL, or in base64, or cut
 *        off by the end of the text
 * never  looks for secrets of less than four characters, which innocent text contains everywhere; fails on a long
 *        secret: it compares strings, since a regular expression has a size limit, and its error quotes all of it
 */
import { SECRET_MARK, type Secret } from './secret.ts'

export function createRedactor(secrets: readonly Secret[]): (text: string) => string {
  const forms = new Set(secrets.flatMap((secret) => formsOf(secret.reveal())))
  if (forms.size === 0) return (text) => text
  // Longest first: otherwise, of a secret that begins with another, the end would remain.
  const sorted = [...forms].sort((a, b) => b.length - a.length)
  return (text) => {
    const parts = sorted.reduce(takeOut, [text])
    return [...parts.slice(0, -1), withoutCut(parts.at(-1)!, sorted)].join(SECRET_MARK)
  }
}

/** The text as the parts between secrets: a removed part is not searched again. */
function takeOut(parts: readonly string[], form: string): readonly string[] {
  const isThere = parts.some((part) => part.includes(form))
  return isThere ? parts.flatMap((part) => part.split(form)) : parts
}

/** A long line, or the body of a response, may have been cut before. */
function withoutCut(text: string, forms: readonly string[]): string {
  const starts = forms.map((form) => findCut(text, form)).filter((start) => start !== -1)
  return starts.length === 0 ? text : text.slice(0, Math.min(...starts)) + SECRET_MARK
}

/** Where the text ends with the beginning of this secret; -1: it does not. */
function findCut(text: string, form: string): number {
  const beginning = form.slice(0, SHORTEST_CUT)
  let start = text.indexOf(beginning, text.length - form.length)
  while (start !== -1 && !form.startsWith(text.slice(start))) start = text.indexOf(beginning, start + 1)
  return start
}

const SHORTEST = 4

/** The shortest part of a cut secret that counts; less of it may be a common beginning, such as `https://`. */
const SHORTEST_CUT = 16

/** A log shows the lines of a secret with several lines, such as a key, one at a time. */
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
  // Half of a surrogate pair cannot be encoded.
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
