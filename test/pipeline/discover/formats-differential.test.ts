/**
 * The readers for plain JSON against the parser that knows all of it: where both read a text they make the same tree,
 * and where a text is odd it is the parser that decides.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ConfigNode } from '../../../src/model/document.ts'
import { LONG_CHARS, parseLongJson } from '../../../src/pipeline/discover/formats/long-json.ts'
import { parseCarefully, parseText } from '../../../src/pipeline/discover/formats/parse-text.ts'
import type { ParsedText } from '../../../src/pipeline/discover/formats/parsed-text.ts'
import { parsePlainJson } from '../../../src/pipeline/discover/formats/plain-json.ts'

type Texts = fc.Arbitrary<string>

const RUNS = 500

/** The plain reader takes every one of these texts. */
async function expectSameTree(texts: Texts, read = parsePlainJson): Promise<void> {
  const property = fc.asyncProperty(texts, async (text) => {
    const root = read(text)
    expect(root && { kind: 'tree', root }).toEqual(comparable(await parseCarefully(text, 'json')))
  })
  await fc.assert(property, { numRuns: RUNS })
}

/** Tree or fault, no matter who read it. */
async function expectSameOutcome(texts: Texts): Promise<void> {
  const property = fc.asyncProperty(texts, async (drawn) => {
    // Half a surrogate pair cannot come out of a file.
    const text = Buffer.from(drawn).toString()
    fc.pre(text.trim() !== '')
    expect(comparable(await parseText(text, 'json'))).toEqual(comparable(await parseCarefully(text, 'json')))
  })
  await fc.assert(property, { numRuns: RUNS })
}

function comparable(parsed: ParsedText): ParsedText {
  return parsed.kind === 'tree' ? { kind: 'tree', root: toModel(parsed.root) } : parsed
}

/** Only what the model knows: a parser may keep more in its nodes. */
function toModel(node: ConfigNode): ConfigNode {
  const { kind, start, end } = node
  if (kind === 'array') return { kind, start, end, items: node.items.map(toModel) }
  if (kind === 'scalar') return { kind, start, end, value: node.value }
  const members = node.members.map((member) => ({ ...member, value: toModel(member.value) }))
  return { kind, start, end, members }
}

/** A few characters left out or put in, anywhere. */
function damaged(texts: Texts, inserts: string): Texts {
  const edit = fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom('', ...inserts))
  return fc.tuple(texts, fc.array(edit, { minLength: 1, maxLength: 3 })).map(([text, edits]) =>
    edits.reduce((at, [place, gone, put]) => {
      const start = place % (at.length + 1)
      return at.slice(0, start) + put + at.slice(start + gone)
    }, text),
  )
}

/** One of the words between the bars. */
function pick(...lines: string[]): Texts {
  return fc.constantFrom(...lines.flatMap((words) => words.split(' | ')))
}

function join(...parts: Texts[]): Texts {
  return fc.tuple(...parts).map((texts) => texts.join(''))
}

const name = pick('a | b | c | d | __proto__ | constructor')

describe('JSON', () => {
  const space = fc.constantFrom('', '', ' ', '\n  ', '\r\n', '\t')
  const comment = fc.constantFrom(' // x, "y": 1\n', '/* { */', '/**/\n')
  const chunk = fc.oneof(
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text).slice(1, -1)),
    pick('\\u0041 | \\ud83d\\uDE00 | \\ud800 | \\/ | \\" | \\\\ | \\n | // | __proto__'),
  )
  const string = fc.array(chunk, { maxLength: 3 }).map((chunks) => `"${chunks.join('')}"`)
  const number = pick('0 | -0 | -1.50 | 1e5 | 2E-7 | 3e+999 | 12345678901234567890')
  const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value))
  const scalar = fc.oneof(string, number, double, pick('true | false | null'))

  function texts(gap: Texts, lastComma: Texts): Texts {
    const { value } = fc.letrec<{ value: string }>((tie) => {
      const item = join(gap, tie('value'), gap)
      const key = fc.oneof(
        string,
        name.map((text) => `"${text}"`),
      )
      const member = join(gap, key, space, fc.constant(':'), item)
      const listOf = (items: Texts): Texts =>
        fc
          .tuple(fc.array(items, { maxLength: 4 }), lastComma, gap)
          .map(([all, comma, inside]) => all.join(',') + (all.length === 0 ? '' : comma) + inside)
      const list = listOf(item).map((text) => `[${text}]`)
      const object = listOf(member).map((text) => `{${text}}`)
      return { value: fc.oneof({ depthSize: 'small' }, scalar, list, object) }
    })
    return join(gap, value, gap)
  }

  const plain = texts(space, fc.constant(''))
  const commented = texts(fc.oneof(space, comment), fc.constantFrom('', ','))

  test('is read to the same tree', () => expectSameTree(plain))

  test('may have comments and trailing commas', () => expectSameTree(commented))

  const odd = damaged(fc.oneof(plain, commented), '{}[]:,"\'\\/*-+.019eEtfnu \n\u0000\u00A0\uFEFF\u2028')

  test('that is damaged comes to the same', () => expectSameOutcome(odd))

  describe('that is long', () => {
    const padding = JSON.stringify('a "long" story '.repeat(LONG_CHARS / 15))
    const long = (texts: Texts): Texts =>
      texts.map((text) => `{ "story": ${padding}, "a": ${text}, "b": ${text} }`)

    test('is read to the same tree', () => expectSameTree(plain, parseLongJson))

    test('comes to the same, whatever is in it', () =>
      expectSameOutcome(long(fc.oneof(plain, commented, odd))))

    const nested = (levels: number): string =>
      `{ "story": ${padding}, "a": ${'['.repeat(levels)}${']'.repeat(levels)} }`

    test.each([199, 200, 100_000])('comes to the same with %i levels below', async (levels) => {
      const parsed = await parseText(nested(levels), 'json')
      expect(comparable(parsed)).toEqual(comparable(await parseCarefully(nested(levels), 'json')))
    })

    test('is left to the others when it is too deep, at once', () => {
      expect(parseLongJson(nested(199))).toMatchObject({ kind: 'object' })
      expect(() => parseLongJson(nested(200))).toThrow(RangeError)
    })

    test.each([
      ['a value', (text: string) => `{ "a": ${text} }`],
      ['a key', (text: string) => `{ ${text}: 1 }`],
      ['an item', (text: string) => `[${text}]`],
    ])('is left to the others when %s is too long for a pattern, at once', async (_, around) => {
      const text = around(`"${'\\n'.repeat(5_000_000)}"`)
      expect(() => parseLongJson(text)).toThrow(RangeError)
      expect(await parseText(text, 'json')).toMatchObject({ kind: 'tree' })
    })
  })
})
