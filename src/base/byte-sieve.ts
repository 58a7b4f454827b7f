/**
 * byte-sieve: tells bytes apart by what has to be done about them, sixteen at a time. In WebAssembly, which is the only way
 * to have a processor do that from JavaScript.
 *
 * in     up to 64 kB in the sieve's own memory
 * out    whether there are such among them
 * never  keeps more than that page; is there where programs may not be compiled at run time
 */

/** A page of WebAssembly's memory, of which there is one. */
export const SIEVE_BYTES = 64 * 1024

export interface Sieve {
  /** To be filled with what is to be looked at. */
  readonly bytes: Uint8Array
  /** So many of them, from the first on: printable ASCII, and none that JSON escapes. What comes behind may be written over. */
  areBare(length: number): boolean
  /** Printable ASCII, tabs and line breaks. */
  arePlain(length: number): boolean
}

/** Undefined where there is no WebAssembly, or no address space for its memory. */
export function createSieve(): Sieve | undefined {
  try {
    const { memory, hasEscaped, hasOdd } = new WebAssembly.Instance(new WebAssembly.Module(writeProgram()))
      .exports
    const bytes = new Uint8Array(memory.buffer)
    const hasNone = (find: Exports['hasOdd'], length: number): boolean => {
      // A step may reach beyond the last of them, where there is what was there before.
      bytes.fill(SPACE, length, length + STEP)
      return find(length) === 0
    }
    return {
      bytes,
      areBare: (length) => hasNone(hasEscaped, length),
      arePlain: (length) => hasNone(hasOdd, length),
    }
  } catch {
    return undefined // everybody can do without
  }
}

/** As much of it as is needed; Node's types have none. */
declare const WebAssembly: {
  readonly Module: new (program: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: Exports }
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  /** Among so many bytes: 1 or 0. One step is made in any case. */
  readonly hasEscaped: (length: number) => number
  readonly hasOdd: (length: number) => number
}

const TAB = 0x09
const LINE_FEED = 0x0a
const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** The one control that is not below the space. */
const DELETE = 0x7f

// The words of which the program is made. Variables have numbers, the parameter first.
const LENGTH = 0
const AT = 1
const BYTES = 2
const FOUND = 3

const get = (variable: number): Code => [0x20, variable]
const set = (variable: number): Code => [0x21, variable]
const number = (value: number): Code => [0x41, value | 0x80, 0x00]
const sixteenTimes = (byte: number): Code => [number(byte), 0xfd, 0x0f]
const loadSixteen = (from: number): Code => [0xfd, 0x00, 0x04, from]
const EQUAL = [0xfd, 0x23]
const LESS = [0xfd, 0x25]
const AND_NOT = [0xfd, 0x4f]
const OR = [0xfd, 0x50]
const ANY = [0xfd, 0x53]
const LOOP = [0x03, 0x40]
const AGAIN_IF = [0x0d, 0x00]
const END = 0x0b
const ADD = 0x6a
const BELOW = 0x49

/** What a word stands on, it finds before it: `a b ADD`. */
type Code = readonly (number | Code)[]

const are = (byte: number): Code => [get(BYTES), sixteenTimes(byte), EQUAL]
/** With signs: what is beyond ASCII is below zero. */
const areControls = (): Code => [get(BYTES), sixteenTimes(SPACE), LESS, are(DELETE), OR]
const areEscaped = (): Code => [areControls(), are(QUOTE), OR, are(BACKSLASH), OR]
const areOdd = (): Code => [areControls(), are(TAB), AND_NOT, are(LINE_FEED), AND_NOT]

/** Twice sixteen at once: the loop itself would take as long as what is done in it. */
const STEP = 32

/** A function that says whether there are any such among the first `LENGTH` bytes. */
const hasAny = (areSuch: Code): Code => [
  [0x02, 0x01, 0x7f, 0x02, 0x7b], // variables: a number, and two of sixteen bytes, all zero
  LOOP,
  [0, 16].map((from) => [
    [get(AT), loadSixteen(from), set(BYTES)],
    [get(FOUND), areSuch, OR, set(FOUND)],
  ]),
  [get(AT), number(STEP), ADD, set(AT)],
  [get(AT), get(LENGTH), BELOW, AGAIN_IF],
  END,
  [get(FOUND), ANY],
  END,
]

const toBytes = (code: Code): readonly number[] =>
  code.flatMap((one) => (typeof one === 'number' ? one : toBytes(one)))
const sized = (code: Code): Code => {
  const { length } = toBytes(code)
  return [(length & 0x7f) | 0x80, length >> 7, code]
}
const section = (id: number, code: Code): Code => [id, sized(code)]
/** By its name: the memory is of kind 2, functions are of kind 0. */
const exported = (name: keyof Exports, kind: number, at: number): Code => [
  name.length,
  [...new TextEncoder().encode(name)],
  kind,
  at,
]

/** https://webassembly.github.io/spec/core/binary/modules.html */
function writeProgram(): Uint8Array {
  const program: Code = [
    [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    section(1, [0x01, 0x60, 0x01, 0x7f, 0x01, 0x7f]), // a type: from a number to a number
    section(3, [0x02, 0x00, 0x00]), // two functions of that type
    section(5, [0x01, 0x01, 0x01, 0x01]), // one page of memory, and never more
    section(7, [0x03, exported('memory', 2, 0), exported('hasEscaped', 0, 0), exported('hasOdd', 0, 1)]),
    section(10, [0x02, sized(hasAny(areEscaped())), sized(hasAny(areOdd()))]),
  ]
  return Uint8Array.from(toBytes(program))
}
