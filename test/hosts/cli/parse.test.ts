/**
 * parse: what people type, and what they mistype.
 */
import { describe, expect, test } from 'vitest'
import { asksForJson, parseLine } from '../../../src/hosts/cli/parse.ts'

const run = (...argv: string[]): unknown => {
  const parsed = parseLine(argv)
  if (parsed.kind === 'run') return { run: parsed.command.name, flags: parsed.flags, args: parsed.args }
  if (parsed.kind === 'help') return { help: parsed.path.map(({ name }) => name).join(' ') }
  if (parsed.kind === 'version') return 'version'
  if (parsed.kind === 'complete') return { complete: parsed.question }
  const { code, message, hints } = parsed.problem
  return { code, message, hints }
}

describe('understands', () => {
  test.each([
    [[], { run: 'list', flags: {}, args: [] }],
    [['--all'], { run: 'list', flags: { all: true }, args: [] }],
    [['list', '--all', '--json'], { run: 'list', flags: { all: true, json: true }, args: [] }],
    [['--json', 'get', 'github'], { run: 'get', flags: { json: true }, args: ['github'] }],
    [['explain'], { run: 'explain', flags: {}, args: [] }],
    [['trust'], { run: 'show', flags: {}, args: [] }],
    [['trust', 'approve', 'a', 'b', '-y'], { run: 'approve', flags: { yes: true }, args: ['a', 'b'] }],
    [['trust', 'approve', '--', '--all'], { run: 'approve', flags: {}, args: ['--all'] }],
    [['get', '-'], { run: 'get', flags: {}, args: ['-'] }],
    [
      ['--mcp-config', 'a.json', 'list', '--mcp-config={"mcpServers":{"a=b":{}}}', '--strict-mcp-config'],
      {
        run: 'list',
        flags: { 'mcp-config': ['a.json', '{"mcpServers":{"a=b":{}}}'], 'strict-mcp-config': true },
        args: [],
      },
    ],
    [
      ['--scope', 'a', 'login', 'x', '--scope=b'],
      { run: 'login', flags: { scope: ['a', 'b'] }, args: ['x'] },
    ],
    [['--scope', 'user', 'add', 'a', 'npx'], { run: 'add', flags: { scope: 'user' }, args: ['a', 'npx'] }],
    [['__complete', '2', 'get', '--json', ''], { complete: ['2', 'get', '--json', ''] }],
    [['add', 'a', 'npx', '--json', '-y'], { run: 'add', flags: {}, args: ['a', 'npx', '--json', '-y'] }],
    [
      ['add', '-e', 'A=b', 'a', '--', 'npx', '-e'],
      { run: 'add', flags: { env: ['A=b'] }, args: ['a', 'npx', '-e'] },
    ],
    [
      ['add', 'a', 'https://x.test', '-H', 'A: b', '-s', 'local'],
      { run: 'add', flags: { header: ['A: b'], scope: 'local' }, args: ['a', 'https://x.test'] },
    ],
  ])('%j', (argv, expected) => {
    expect(run(...argv)).toEqual(expected)
  })

  test.each([
    [['--help'], 'plugboard'],
    [['-h', 'list', '--bogus'], 'plugboard list'],
    [['trust', 'approve', '--help'], 'plugboard trust approve'],
    [['help', 'trust'], 'plugboard trust'],
    [['help'], 'plugboard'],
    [['lst', '--help'], 'plugboard'],
  ])('%j as a call for help', (argv, path) => {
    expect(run(...argv)).toEqual({ help: path })
  })

  test('a call for the version, whatever else is there', () => {
    expect([run('--version'), run('-V'), run('lst', '-V')]).toEqual(['version', 'version', 'version'])
  })
})

describe('refuses', () => {
  test.each([
    [
      ['lst'],
      {
        code: 'cli/unknown-command',
        message: '`plugboard` has no command `lst`',
        hints: ['did you mean `list`?', 'to see every command, run `plugboard --help`'],
      },
    ],
    [
      ['trust', 'aprove', 'x'],
      {
        code: 'cli/unknown-command',
        message: '`plugboard trust` has no command `aprove`',
        hints: ['did you mean `approve`?', 'to see every command, run `plugboard trust --help`'],
      },
    ],
    [
      ['get', 'x', '--jsn'],
      {
        code: 'cli/unknown-flag',
        message: '`plugboard get` has no flag `--jsn`',
        hints: ['did you mean `--json`?', 'to see every flag, run `plugboard get --help`'],
      },
    ],
    [
      ['get', 'x', '--all'],
      {
        code: 'cli/unknown-flag',
        message: '`plugboard get` has no flag `--all`',
        hints: ['to see every flag, run `plugboard get --help`'],
      },
    ],
    [
      ['list', '-x', '--__proto__'],
      {
        code: 'cli/unknown-flag',
        message: '`plugboard list` has no flag `-x`',
        hints: ['to see every flag, run `plugboard list --help`'],
      },
    ],
    [
      ['list', '--mcp-config', '--json'],
      {
        code: 'cli/missing-value',
        message: '`--mcp-config` needs a value: file or JSON',
        hints: [
          'write `--mcp-config <file or JSON>`, or `--mcp-config=<file or JSON>` for a value that begins with `-`',
        ],
      },
    ],
    [
      ['list', '--json=yes'],
      { code: 'cli/unwanted-value', message: '`--json` takes no value', hints: ['write `--json` by itself'] },
    ],
    [
      ['get'],
      {
        code: 'cli/missing-argument',
        message: '`plugboard get` needs the name of a server',
        hints: ['write `plugboard get <server> [flags]`'],
      },
    ],
    [
      ['add-json', 'files'],
      {
        code: 'cli/missing-argument',
        message: '`plugboard add-json` needs the JSON of a server',
        hints: ['write `plugboard add-json <name> <json> [flags]`'],
      },
    ],
    [
      ['trust', 'decline'],
      {
        code: 'cli/missing-argument',
        message: '`plugboard trust decline` needs the name of a server',
        hints: ['write `plugboard trust decline <server…> [flags]`'],
      },
    ],
    [
      ['explain', 'a', 'b'],
      {
        code: 'cli/too-many-arguments',
        message: '`plugboard explain` has no use for `b`',
        hints: ['write `plugboard explain [server] [flags]`'],
      },
    ],
  ])('%j', (argv, problem) => {
    expect(run(...argv)).toEqual(problem)
  })
})

test('a line that is wrong still says whether JSON is wanted', () => {
  expect([['lst', '--json'], ['lst'], ['get', '--', '--json']].map((argv) => asksForJson(argv))).toEqual([
    true,
    false,
    false,
  ])
})
