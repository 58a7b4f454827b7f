/**
 * JSON, TOML and YAML as one tree: positions, odd keys, depth, and where a text goes wrong.
 */
import { describe, expect, test } from 'vitest'
import {
  createDocument,
  findAt,
  findMember,
  locate,
  toText,
  type ConfigDocument,
  type ConfigNode,
} from '../../../src/model/document.ts'
import { formatOf, parseText, type Format } from '../../../src/pipeline/discover/formats/parse-text.ts'
import { exposeCollector } from '../../memory/collector.ts'

async function parse(text: string, format: Format): Promise<ConfigDocument> {
  const parsed = await parseText(text, format)
  if (parsed.kind === 'fault') throw new Error(parsed.message)
  return createDocument(`file.${format}`, text, parsed.root)
}

/** Line and column where a key stands, then where its value stands. */
function spots(document: ConfigDocument, ...path: string[]): readonly string[] {
  const member = findMember(findAt(document.root, path.slice(0, -1)), path.at(-1)!)!
  return [member.keyStart, member.value.start].map((offset) => {
    const { line, column } = locate(document.lineStarts, offset)
    return `${line}:${column}`
  })
}

function keysOf(node: ConfigNode | undefined): readonly string[] {
  return node?.kind === 'object' ? node.members.map(({ key }) => key) : []
}

/** What the fault covers, where it begins, and what is said about it. */
async function faultOf(text: string, format: Format): Promise<readonly string[]> {
  const parsed = await parseText(text, format)
  if (parsed.kind !== 'fault') throw new Error('it parses')
  const { line, column } = locate(createDocument('file', text, EMPTY).lineStarts, parsed.start)
  return [`${line}:${column}`, parsed.message]
}

const EMPTY: ConfigNode = { kind: 'object', start: 0, end: 0, members: [] }

describe('every format', () => {
  test.each<[Format, string]>([
    ['json', '{\n  "mcp": {\n    "a": { "command": "npx" }\n  }\n}'],
    ['toml', '\n\n[mcp]\n[mcp.a]\ncommand = "npx"'],
    ['yaml', 'mcp:\n  a:\n    command: npx'],
  ])('finds a value under its keys (%s)', async (format, text) => {
    const document = await parse(text, format)
    expect(toText(findAt(document.root, ['mcp', 'a', 'command']))).toBe('npx')
  })

  test.each<[Format, string]>([
    ['json', '{ "__proto__": { "command": "x" }, "constructor": {} }'],
    ['toml', '[__proto__]\ncommand = "x"\n[constructor]'],
    ['yaml', '__proto__:\n  command: x\nconstructor: {}'],
  ])('takes `__proto__` for a name like any other (%s)', async (format, text) => {
    const { root } = await parse(text, format)
    expect(keysOf(root)).toEqual(['__proto__', 'constructor'])
    expect(toText(findAt(root, ['__proto__', 'command']))).toBe('x')
    expect(Object.prototype).not.toHaveProperty('command')
  })

  test.each<Format>(['json', 'toml', 'yaml'])(
    'reads an empty file as an empty object (%s)',
    async (format) => {
      expect(await parseText(' \n', format)).toEqual({
        kind: 'tree',
        root: { kind: 'object', start: 0, end: 2, members: [] },
      })
    },
  )

  test.each<[Format, string]>([
    ['json', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['toml', `a = ${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['yaml', `a: ${'{a: '.repeat(100_000)}${'}'.repeat(100_000)}`],
    ['yaml', `${'- '.repeat(100_000)}x`],
    ['yaml', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ])('refuses what is nested too deeply, without a crash (%s)', async (format, text) => {
    expect(await parseText(text, format)).toMatchObject({ kind: 'fault', message: 'it is nested too deeply' })
  })

  test.each<[Format, string]>([
    ['json', `${'['.repeat(150)}${']'.repeat(150)}`],
    ['toml', `a = ${'['.repeat(150)}${']'.repeat(150)}`],
    ['yaml', `${'- '.repeat(150)}x`],
  ])('reads what is merely deep (%s)', async (format, text) => {
    expect(await parseText(text, format)).toMatchObject({ kind: 'tree' })
  })

  test('reads what is merely long', async () => {
    const text = `"${'\\n'.repeat(5_000_000)}"`
    expect(await parseText(text, 'json')).toMatchObject({ kind: 'tree' })
  })

  test('is told by the ending of the file, and is JSON otherwise', () => {
    const files = ['config.toml', 'config.yaml', 'a.yml', 'opencode.jsonc', '.claude.json', 'mcp']
    expect(files.map(formatOf)).toEqual(['toml', 'yaml', 'yaml', 'json', 'json', 'json'])
  })
})

describe('JSON', () => {
  test('that is long is kept only as far as somebody looks', async () => {
    const prompt = { display: 'why?', pastedContents: {} }
    const projects = Array.from({ length: 1000 }, () => ({
      history: Array.from({ length: 50 }, () => prompt),
    }))
    const text = JSON.stringify({ mcpServers: { a: { command: 'x' } }, projects })
    const collect = exposeCollector()
    collect()
    const before = process.memoryUsage().heapUsed
    const { root } = await parse(text, 'json')
    expect(toText(findAt(root, ['mcpServers', 'a', 'command']))).toBe('x')
    collect()
    // All of it would be 30 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(2e6)
    expect(keysOf(root)).toEqual(['mcpServers', 'projects'])
  })

  test('knows line and column of keys and values', async () => {
    const document = await parse('{\n  "a": {\r\n    "b":  [1]\n  }\n}', 'json')
    expect(spots(document, 'a')).toEqual(['2:3', '2:8'])
    expect(spots(document, 'a', 'b')).toEqual(['3:5', '3:11'])
  })

  test('spans a node from its first to behind its last character', async () => {
    const text = '{ "a": "é\\n", "b": { "c": [] } }'
    const { root } = await parse(text, 'json')
    const spans = ['a', 'b'].map((key) => findMember(root, key)!.value)
    expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual(['"é\\n"', '{ "c": [] }'])
  })

  test('understands comments and trailing commas', async () => {
    const { root } = await parse('// one\n{ /* two */ "a": [1, 2,], } // three', 'json')
    expect(root).toEqual({
      kind: 'object',
      start: 7,
      end: 34,
      members: [
        {
          key: 'a',
          keyStart: 19,
          keyEnd: 22,
          value: {
            kind: 'array',
            start: 24,
            end: 31,
            items: [
              { kind: 'scalar', start: 25, end: 26, value: 1 },
              { kind: 'scalar', start: 28, end: 29, value: 2 },
            ],
          },
        },
      ],
    })
  })

  test('keeps a key that is written twice, and the last one counts', async () => {
    const { root } = await parse('{ "a": 1, "b": 2, "a": 3 }', 'json')
    expect(keysOf(root)).toEqual(['a', 'b', 'a'])
    expect(findAt(root, ['a'])).toMatchObject({ value: 3 })
  })

  test('puts each kind of scalar in as it is', async () => {
    const { root } = await parse('[null, true, -1.5e3, "x"]', 'json')
    expect(
      root.kind === 'array' ? root.items.map((item) => item.kind === 'scalar' && item.value) : [],
    ).toEqual([null, true, -1500, 'x'])
  })

  test.each([
    ['{ "a": 1', '1:9', 'a `}` is missing'],
    ['{\n  "a" 1\n}', '2:7', 'a `:` is expected here'],
    ['{\n  "a": 1\n  "b": 2\n}', '3:3', 'a `,` is expected here'],
    ["{\n  'a': 1 }", '2:3', 'JSON strings take double quotes'],
    ['{ "a": tru }', '1:8', 'this is not a JSON value'],
    ['{ "a": "x }', '1:8', 'this string never ends'],
    ['{} {}', '1:4', 'the file should have ended here'],
  ])('says where %j goes wrong', async (text, spot, message) => {
    expect(await faultOf(text, 'json')).toEqual([spot, message])
  })
})

describe('TOML', () => {
  test('knows line and column of tables, dotted keys and values', async () => {
    const document = await parse(
      '# head\n[mcp_servers.a]\ncommand = "npx"\nenv.TOKEN = "t"\n[mcp_servers."b c"]\nargs = [\n  "-y",\n]\n',
      'toml',
    )
    expect(spots(document, 'mcp_servers', 'a')).toEqual(['2:14', '2:1'])
    expect(spots(document, 'mcp_servers', 'a', 'command')).toEqual(['3:1', '3:11'])
    expect(spots(document, 'mcp_servers', 'a', 'env', 'TOKEN')).toEqual(['4:5', '4:13'])
    expect(spots(document, 'mcp_servers', 'b c', 'args')).toEqual(['6:1', '6:8'])
  })

  test('joins a table that is written in pieces', async () => {
    const { root } = await parse('[s.a]\nx = 1\n[s.b]\n[s.a.env]\nT = "t"\n', 'toml')
    expect(keysOf(findAt(root, ['s']))).toEqual(['a', 'b'])
    expect(keysOf(findAt(root, ['s', 'a']))).toEqual(['x', 'env'])
  })

  test('collects a list of tables, and sub-tables belong to the last of them', async () => {
    const { root } = await parse('[[rules]]\na = 1\n[[rules]]\na = 2\n[rules.more]\nb = 3\n', 'toml')
    const rules = findAt(root, ['rules'])
    expect(rules?.kind === 'array' ? rules.items.map(keysOf) : []).toEqual([['a'], ['a', 'more']])
  })

  test('reads inline tables, and dates as their text', async () => {
    const { root } = await parse('a = { b.c = "x", d = 2024-01-02 }', 'toml')
    expect(toText(findAt(root, ['a', 'b', 'c']))).toBe('x')
    expect(toText(findAt(root, ['a', 'd']))).toBe('2024-01-02')
  })

  test.each([
    ['a = 1\na = 2\n', '2:1', 'defining a key multiple times is invalid'],
    ['[a]\n[b]\n[a]\n', '3:2', 'defining a key multiple times is invalid'],
    ['a = "x\n', '1:7', 'unterminated string constant'],
  ])('says where %j goes wrong', async (text, spot, message) => {
    expect(await faultOf(text, 'toml')).toEqual([spot, message])
  })
})

describe('YAML', () => {
  const UNEXPECTED =
    'this does not belong here: perhaps a line above is indented wrongly, or lacks its quotes'

  test('knows line and column of keys and values', async () => {
    const document = await parse('# head\nextensions:\n  a:\n    args:\n      - "-y"\n    cmd: npx\n', 'yaml')
    expect(spots(document, 'extensions', 'a')).toEqual(['3:3', '4:5'])
    expect(spots(document, 'extensions', 'a', 'args')).toEqual(['4:5', '5:7'])
    expect(spots(document, 'extensions', 'a', 'cmd')).toEqual(['6:5', '6:10'])
  })

  test('keeps a key that is written twice, and the last one counts', async () => {
    const { root } = await parse('a: 1\na: 2\n', 'yaml')
    expect(keysOf(root)).toEqual(['a', 'a'])
    expect(findAt(root, ['a'])).toMatchObject({ value: 2 })
  })

  test('shares the node an alias names, however often it is named', async () => {
    const lines = ['a0: &a0 [x]']
    for (let i = 1; i < 40; i += 1) lines.push(`a${i}: &a${i} [*a${i - 1}, *a${i - 1}]`)
    const { root } = await parse(lines.join('\n'), 'yaml')
    const last = findAt(root, ['a39'])
    expect(last?.kind === 'array' && last.items[0] === last.items[1]).toBe(true)
  })

  test('reads an alias of its own parent as nothing', async () => {
    const { root } = await parse('a: &a\n  b: *a\n', 'yaml')
    expect(findAt(root, ['a', 'b'])).toMatchObject({ kind: 'scalar', value: null })
  })

  test('ends a block that ends with an alias where the alias ends', async () => {
    const text = 'a: &x 1\nb:\n  c: *x\nd:\n  - *x\n'
    const { root } = await parse(text, 'yaml')
    const spans = ['b', 'd'].map((key) => findMember(root, key)!.value)
    expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual(['c: *x', '- *x'])
  })

  test('means the newest node of that name by an alias', async () => {
    const { root } = await parse('a: &x [&x b, *x]\nc: *x\n', 'yaml')
    expect(toText(findAt(root, ['c']))).toBe('b')
  })

  test('spans a node from its first to behind its last character', async () => {
    const text =
      'a: "x\\n"\nb: |- # c\n  x\n  y\nc: &c [x, {y: z, w}, # ]\n  ]\nd: [p: q]\ne:\n  f: g # h\nj: !!str\n'
    const { root } = await parse(text, 'yaml')
    const spans = ['a', 'b', 'c', 'd', 'e', 'j'].map((key) => findMember(root, key)!.value)
    expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual([
      '"x\\n"',
      '|- # c\n  x\n  y\n',
      '[x, {y: z, w}, # ]\n  ]',
      '[p: q]',
      'f: g',
      '',
    ])
  })

  test('puts each kind of scalar in as it is, by the core schema of YAML 1.2', async () => {
    const { root } = await parse(
      '&a [~, Null, TRUE, no, 0x1F, 0o17, 007, -.5e1, 1_0, 2024-01-02, "1", !!str 1, !!int "1", !x 1]\n',
      'yaml',
    )
    expect(
      root.kind === 'array' ? root.items.map((item) => item.kind === 'scalar' && item.value) : [],
    ).toEqual([null, null, true, 'no', 31, 15, 7, -5, '1_0', '2024-01-02', '1', '1', 1, '1'])
  })

  test('may begin with a directive', async () => {
    const { root } = await parse('%YAML 1.2\n---\na: 1\n...\n', 'yaml')
    expect(keysOf(root)).toEqual(['a'])
  })

  test('takes keys that are no strings for their text', async () => {
    const { root } = await parse('1: a\ntrue: b\n', 'yaml')
    expect(keysOf(root)).toEqual(['1', 'true'])
  })

  test.each([
    ['a: b: c\n', '1:4', 'nested mappings are not allowed in compact mappings'],
    ['a:\n\tb: 1\n', '2:1', 'tab characters must not be used in indentation'],
    ['a: [x\nb: 1\n', '2:1', 'a quote or bracket above is not closed, or this line is indented too little'],
    ['a: "x\nb: 1\n', '3:1', 'missing closing "quote'],
    ['a: "\\secret"\n', '1:5', 'this is no escape sequence'],
    ['a: |secret\n', '1:5', UNEXPECTED],
    ['- a\nb: 1\n', '2:1', UNEXPECTED],
    ['a: *b\nb: &b 1\n', '1:4', 'this begins like an alias, and there is no anchor for it'],
    ['a: 1\n---\nb: 2\n', '2:1', 'there is more than one document in it'],
  ])('says where %j goes wrong', async (text, spot, message) => {
    expect(await faultOf(text, 'yaml')).toEqual([spot, message])
  })
})
