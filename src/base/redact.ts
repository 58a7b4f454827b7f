/**
 * redact: text in which secrets may turn up → the same without them.
 *
 * in     the secrets, once; then any number of texts
 * out    the texts, with `‹secret›` where a secret stood, also one that was escaped for JSON or a URL, or in base64
 * never  looks for what is shorter than four characters, which innocent text has everywhere
 */
import { SECRET_MARK, type Secret } from './secret.ts'

export function createRedactor(secrets: readonly Secret[]): (text: string) => string {
  const forms = new Set(secrets.flatMap((secret) => formsOf(secret.reveal())))
  if (forms.size === 0) return (text) => text
  // Longest first, or a secret that begins with another would leave its end behind.
  const sorted = [...forms].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(sorted.map(escapeForPattern).join('|'), 'g')
  return (text) => text.replace(pattern, SECRET_MARK)
}

const SHORTEST = 4

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

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
