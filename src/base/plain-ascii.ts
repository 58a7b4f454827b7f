/**
 * plain-ascii: how plain a long text is.
 *
 * in     a text of any length; worth it from some thousand characters on
 * out    plain: nothing but printable ASCII, tabs and line breaks. Bare: also nothing that JSON escapes
 * never  is sure of the opposite: false ends the look at once, and is what the first texts of a process get
 *
 * A regular expression looks at one character at a time. Most long texts are ASCII (code, logs, base64), of which sixteen
 * bytes can be looked at together: a tenth of the time.
 */
import { createSieve, SIEVE_BYTES, type Sieve } from './byte-sieve.ts'

export function isPlainAscii(text: string): boolean {
  return look(text, 'arePlain')
}

export function isBareAscii(text: string): boolean {
  return look(text, 'areBare')
}

/** The same, with its bytes put into what has room for all of them. Where it is not bare, they are of no use. */
export function copyBareAscii(text: string, into: Uint8Array): boolean {
  return look(text, 'areBare', into)
}

function look(text: string, what: 'areBare' | 'arePlain', copy?: Uint8Array): boolean {
  const sieve = sieveFor(text.length)
  if (sieve === undefined) return false
  const { bytes } = sieve
  for (let from = 0; from < text.length; from += SIEVE_BYTES) {
    const slice = text.slice(from, from + SIEVE_BYTES)
    const { read, written } = encoder.encodeInto(slice, bytes)
    // One byte for each character, and room for all of them, only where all of them are ASCII.
    if (read !== slice.length || written !== read) return false
    if (!sieve[what](written)) return false
    copy?.set(written === SIEVE_BYTES ? bytes : bytes.subarray(0, written), from)
  }
  return true
}

const encoder = new TextEncoder()

/** To make a sieve takes 5 ms, which is more than it spares a process that has few long texts. */
const WORTH = 1024 * 1024

/** Characters that somebody wanted to be looked at, until it was worth it. */
let wantedSoFar = 0
let theSieve: Sieve | undefined

function sieveFor(characters: number): Sieve | undefined {
  if (wantedSoFar >= WORTH) return theSieve
  wantedSoFar += characters
  if (wantedSoFar >= WORTH) theSieve = createSieve()
  return theSieve
}
