/**
 * The readers for plain files against the parsers that know all of a format: where both read a text they make the same
 * tree, and where a text is odd it is the parser that decides.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ConfigNode } from '../../../src/model/document.ts'
import { LONG_CHARS, parseLongJson } from '../../../src/pipeline/discover/formats/long-json.ts'
import { parseCarefully, parseText, type Format } from '../../../src/pipeline/discover/formats/parse-text.ts'
import type { ParsedText } from '../../../src/pipeline/discover/formats/parsed-text.ts'
import { parsePlainJson } from '../../../src/pipeline/discover/formats/plain-json.ts'
import { parsePlainToml } from '../../../src/pipeline/discover/formats/plain-toml.ts'
import { parsePlainYaml } from '../../../src/pipeline/discover/formats/plain-yaml.ts'

type Texts = fc.Arbitrary<string>

const RUNS = 500
const READERS = { json: parsePlainJson, toml: parsePlainToml, yaml: parsePlainYaml }

/** The plain reader takes every one of these texts. */
async function expectSameTree(format: Format, texts: Texts, read = READERS[format]): Promise<void> {
  const property = fc.asyncProperty(texts, async (text) => {
    const root = read(text)
    expect(root && { kind: 'tree', root }).toEqual(comparable(await parseCarefully(text, format)))
  })
  await fc.assert(property, { numRuns: RUNS })
}

/** Tree or fault, no matter who read it. */
async function expectSameOutcome(format: Format, texts: Texts): Promise<void> {
  const property = fc.asyncProperty(texts, async (drawn) => {
    // Half a surrogate pair cannot come out of a file, and toml-eslint-parser gives a `0` at the very end no width.
    const text = `${Buffer.from(drawn).toString()}\n`
    fc.pre(text.trim() !== '')
    expect(comparable(await parseText(text, format))).toEqual(comparable(await parseCarefully(text, format)))
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
const lineEnd = fc.constantFrom('\n', '\n', '\r\n')

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

  test('is read to the same tree', () => expectSameTree('json', plain))

  test('may have comments and trailing commas', () => expectSameTree('json', commented))

  const odd = damaged(fc.oneof(plain, commented), '{}[]:,"\'\\/*-+.019eEtfnu \n\u0000\u00A0\uFEFF\u2028')

  test('that is damaged comes to the same', () => expectSameOutcome('json', odd))

  describe('that is long', () => {
    const padding = JSON.stringify('a "long" story '.repeat(LONG_CHARS / 15))
    const long = (texts: Texts): Texts =>
      texts.map((text) => `{ "story": ${padding}, "a": ${text}, "b": ${text} }`)

    test('is read to the same tree', () => expectSameTree('json', plain, parseLongJson))

    test('comes to the same, whatever is in it', () =>
      expectSameOutcome('json', long(fc.oneof(plain, commented, odd))))

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

describe('TOML', () => {
  const string = fc.oneof(
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text.replaceAll('\u007F', ''))),
    pick(`'' | 'C:\\x' | "\\u00e9\\t\\\\" | "#" | '[a]' | "=, ]"`),
  )
  const key = fc.oneof(name, pick(`"a b" | 'c.d' | 1 | - | "" | "\\u0041"`))
  const gap = fc.constantFrom('', ' ', '\n', ' # x ]\n\t', '\r\n')
  const { value } = fc.letrec<{ value: string }>((tie) => {
    const item = join(gap, tie('value'), gap)
    const list = fc
      .tuple(fc.array(item, { maxLength: 3 }), fc.constantFrom('', ',', '\n'))
      .map(([items, last]) => `[${items.join(',')}${items.length === 0 ? '' : last}]`)
    const inline = pairs(key, tie('value')).map((lines) => `{ ${lines.join(', ')} }`)
    const number = pick('0 | 5 | +1 | -10 | 1.5 | -2e10 | 6.02E+23 | 0.5')
    return { value: fc.oneof({ depthSize: 'small' }, string, number, pick('true | false'), list, inline) }
  })

  function pairs(keys: Texts, values: Texts): fc.Arbitrary<string[]> {
    const pair = fc.tuple(keys, fc.constantFrom('=', ' = ', '\t='), values)
    const once = { maxLength: 4, selector: ([written]: string[]) => nameOf(written!) }
    return fc.uniqueArray(pair, once).map((all) => all.map((parts) => parts.join('')))
  }

  function nameOf(written: string): string {
    return written.startsWith('"') ? (JSON.parse(written) as string) : written
  }

  /** As Codex has it: each server once, each key in it once. */
  const server = fc.tuple(key, pairs(key, value), lineEnd)
  const plain = fc
    .uniqueArray(server, { maxLength: 4, selector: ([written]) => nameOf(written) })
    .map((servers) =>
      servers
        .map(([written, lines, end]) => [`[mcp_servers.${written}] # x`, ...lines, ''].join(end))
        .join('# y\n'),
    )

  /** Many of these are no TOML, because tables and keys come twice. */
  const path = fc
    .tuple(fc.array(key, { minLength: 1, maxLength: 3 }), fc.constantFrom('.', '.', ' . '))
    .map(([keys, dot]) => keys.join(dot))
  const odd = pick(
    '2024-01-02 | 07:32:00 | -0 | 01 | 0x1F | 1_000 | inf | 123456789012345678',
    `"""x\ny""" | '''x''' | "\\e"`,
  )
  const statement = fc.oneof(
    { weight: 4, arbitrary: join(path, fc.constant(' = '), value) },
    { weight: 2, arbitrary: path.map((keys) => `[${keys}]`) },
    { weight: 2, arbitrary: path.map((keys) => `[[ ${keys} ]]`) },
    { weight: 1, arbitrary: join(path, fc.constant(' = '), odd) },
    { weight: 1, arbitrary: fc.constantFrom('', '# x', ' \t') },
  )
  const any = fc
    .array(join(statement, fc.constantFrom('', ' ', ' # x'), lineEnd), { maxLength: 6 })
    .map((lines) => lines.join(''))

  test('with tables that are written once is read to the same tree', () => expectSameTree('toml', plain))

  test('of any kind comes to the same', () => expectSameOutcome('toml', any))

  test('that is damaged comes to the same', () =>
    expectSameOutcome(
      'toml',
      damaged(fc.oneof(any, plain), '[]{}=.,#"\'\\-+_019eEtfn \n\r\t\u0000\u007F\u00E9'),
    ))
})

describe('YAML', () => {
  const plainScalar = pick(
    `x | -y | --root | "@a/b" | 'x: y' | "# no" | '' | 5 | -0 | 1.5 | 0x1F | ~ | true | No | .inf | a b  c`,
    `http://x:1/y | \${A} | /tmp | a, b | x [y] | 2024-01-02 | [] | {} | ["-y", x, 5 ] | [ 'a' ,]`,
  )
  const oddScalar = pick(
    '[a,\tb] | [a: b] | {a: b} | [[x]] | [http://x] | [a b] | @a | | | >- | &x y | *x | !!str 1',
    `"\\n" | 'it''s' | x#y | x: y | - x | "a" b | ? x | %x`,
  )

  const { block } = fc.letrec<{ block: string[] }>((tie) => {
    const nested = tie('block').map((lines) => [' # x', ...lines.map((text) => `  ${text}`)])
    const scalar = plainScalar.map((text) => [` ${text}`])
    const value = fc.oneof({ depthSize: 'small' }, scalar, fc.constant(['']), nested)
    const mapping = fc
      .array(fc.tuple(name, value), { minLength: 1, maxLength: 4 })
      .map((members) => members.flatMap(([key, [first, ...rest]]) => [`${key}:${first}`, ...rest]))
    const item = fc.oneof(
      { depthSize: 'small' },
      plainScalar.map((text) => [text]),
      tie('block'),
    )
    const sequence = fc
      .array(item, { minLength: 1, maxLength: 3 })
      .map((items) => items.flatMap(([first, ...rest]) => [`- ${first}`, ...rest.map((text) => `  ${text}`)]))
    return { block: fc.oneof({ depthSize: 'small' }, mapping, sequence) }
  })
  const plain = fc.tuple(block, lineEnd).map(([lines, end]) => ['# y', ...lines, ''].join(end))

  /** Lines that fit together by chance. */
  const key = fc.oneof(name, pick(`"q: r" | 's' | 1 | a.b/c-d | true | << | ? k | a b | *x  | "t" `))
  const scalar = fc.oneof(plainScalar, oddScalar)
  const content = fc.oneof(
    { weight: 4, arbitrary: join(key, fc.constantFrom(': ', ':  '), scalar) },
    { weight: 3, arbitrary: key.map((text) => `${text}:`) },
    { weight: 3, arbitrary: scalar },
    { weight: 1, arbitrary: fc.constantFrom('', '# x', '---', '...', '\t', '-', '"') },
  )
  const indent = fc.constantFrom('', '', '  ', '  ', '    ', ' ')
  const dashes = fc.constantFrom('', '', '', '- ', '- ', '- - ', '-  ')
  const rest = fc.constantFrom('', '', ' ', ' # x', '#')
  const any = fc
    .array(join(indent, dashes, content, rest, lineEnd), { maxLength: 6 })
    .map((lines) => lines.join(''))

  test('in blocks is read to the same tree', () => expectSameTree('yaml', plain))

  test('of any kind comes to the same', () => expectSameOutcome('yaml', any))

  test('that is damaged comes to the same', () =>
    expectSameOutcome(
      'yaml',
      damaged(fc.oneof(any, plain), ':-[]{},#"\'\\&*!|>?%@`~ \n\r\t\u0000\u0085\u00E9\u2028\uFEFF'),
    ))
})
