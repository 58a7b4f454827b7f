/**
 * command-words: the grammar, piece by piece, and both ways.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { joinCommandWords, parseCommandWords } from '../../src/base/command-words.ts'

const words = (line: string): unknown => {
  const parsed = parseCommandWords(line)
  return parsed.kind === 'words' ? parsed.words : parsed
}

describe('a line', () => {
  test.each([
    ['npx -y @acme/files', ['npx', '-y', '@acme/files']],
    ['  npx\t -y\n', ['npx', '-y']],
    ['', []],
    [' \t ', []],
    [String.raw`D:\res\x`, [String.raw`D:\res\x`]],
    [String.raw`D:\res\x-code\tmp --to C:\new`, [String.raw`D:\res\x-code\tmp`, '--to', String.raw`C:\new`]],
    [
      String.raw`"C:\Program Files\nodejs\node.exe" x.js`,
      [String.raw`C:\Program Files\nodejs\node.exe`, 'x.js'],
    ],
    [String.raw`C:\Program\ Files\x`, [String.raw`C:\Program Files\x`]],
    [String.raw`'\\server\share' a`, [String.raw`\\server\share`, 'a']],
    [String.raw`\\\\server\share`, [String.raw`\\server\share`]],
    [String.raw`say "he said \"hi\"" 'it\'s'`, ['say', 'he said "hi"', "it's"]],
    [String.raw`"it's" 'a "b"'`, ["it's", 'a "b"']],
    [String.raw`a"b c"d`, ['ab cd']],
    [`"" ''`, ['', '']],
    ['$HOME *; `x` | y && z', ['$HOME', '*;', '`x`', '|', 'y', '&&', 'z']],
    [String.raw`ends\ `, ['ends ']],
    ['ends\\', ['ends\\']],
    ['"a\nb"', ['a\nb']],
  ])('%j', (line, expected) => {
    expect(words(line)).toEqual(expected)
  })

  test.each([
    [`npx "a b`, { kind: 'open-quote', quote: '"', at: 4 }],
    [`it's`, { kind: 'open-quote', quote: "'", at: 2 }],
    [String.raw`"C:\dir\"`, { kind: 'open-quote', quote: '"', at: 0 }],
  ])('%j has a quote that nothing closes', (line, expected) => {
    expect(words(line)).toEqual(expected)
  })
})

describe('properties', () => {
  /** What a piece looks like in the line, and what it means. */
  interface Piece {
    readonly written: string
    readonly means: string
  }

  const BLANKS = [' ', '\t', '\n', '\r', '\u00a0', '\u3000']
  const blank = fc.constantFrom(...BLANKS)
  const isPlain = (char: string): boolean => !/[\s"'\\]/.test(char)
  const plain = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 6 })
    .map((text) => [...text].filter(isPlain).join(''))
    .filter((text) => text !== '')
    .map((text): Piece => ({ written: text, means: text }))
  const escaped = fc
    .constantFrom(...BLANKS, '"', "'", '\\')
    .map((char): Piece => ({ written: `\\${char}`, means: char }))
  /** A backslash before anything else is one. The character goes with it, so that nothing that follows is escaped. */
  const lone = plain.map(({ written }): Piece => ({ written: `\\${written}`, means: `\\${written}` }))
  const quoted = (quote: '"' | "'"): fc.Arbitrary<Piece> => {
    const other = quote === '"' ? "'" : '"'
    const inside = fc.oneof(
      plain,
      blank.map((char): Piece => ({ written: char, means: char })),
      fc.constant<Piece>({ written: other, means: other }),
      fc.constant<Piece>({ written: `\\${quote}`, means: quote }),
      fc
        .constantFrom(other, '\\n', ' ', 'x')
        .map((char): Piece => ({ written: `\\${char}`, means: `\\${char}` })),
    )
    return fc.array(inside, { maxLength: 6 }).map((pieces): Piece => ({
      written: quote + pieces.map(({ written }) => written).join('') + quote,
      means: pieces.map(({ means }) => means).join(''),
    }))
  }
  const word = fc
    .array(fc.oneof(plain, escaped, lone, quoted('"'), quoted("'")), { minLength: 1, maxLength: 5 })
    .map((pieces): Piece => ({
      written: pieces.map(({ written }) => written).join(''),
      means: pieces.map(({ means }) => means).join(''),
    }))
  const gap = fc.array(blank, { minLength: 1, maxLength: 3 }).map((blanks) => blanks.join(''))

  test('a line made by the grammar is read as what it was made of', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, gap)), fc.option(gap, { nil: '' }), (pieces, start) => {
        const line = start + pieces.map(([{ written }, after]) => written + after).join('')
        expect(words(line)).toEqual(pieces.map(([{ means }]) => means))
      }),
      { numRuns: 2000 },
    )
  })

  test('words that are joined are read as the same words', () => {
    const awkward = fc.string({
      unit: fc.constantFrom('\\', '"', "'", ' ', '\t', 'a', '\n', '$', 'é'),
      maxLength: 8,
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(awkward, fc.string({ unit: 'binary' }))), (list) => {
        expect(words(joinCommandWords(list))).toEqual(list)
      }),
      { numRuns: 5000 },
    )
  })

  test('a Windows path without blanks is one word, and as it was', () => {
    const name = fc.stringMatching(/^[\w.-]{1,8}$/)
    fc.assert(
      fc.property(
        fc.constantFrom('C', 'D', 'z'),
        fc.array(name, { minLength: 1, maxLength: 5 }),
        (drive, names) => {
          const path = `${drive}:\\${names.join('\\')}`
          expect(words(`${path} ${path}`)).toEqual([path, path])
        },
      ),
    )
  })

  test('no line is too odd to be read', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (line) => {
        expect(['words', 'open-quote']).toContain(parseCommandWords(line).kind)
      }),
    )
  })
})
