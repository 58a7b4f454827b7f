/**
 * hostile: files that no sane program writes. Each is one clear problem at its place, nothing hangs, and the other files
 * still load.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BIN, DIST, type Files, type Machine, openMachine, type RunOptions } from './processes/plugboard.ts'

/** A file that is right, and must load whatever stands beside it. */
const STEADY: Files = { '~/.xcsh/mcp.json': { mcpServers: { steady: { command: 'steady' } } } }

const CURSOR = '~/.cursor/mcp.json'
const CODEX = '~/.codex/config.toml'
const GOOSE = '~/.config/goose/config.yaml'

interface Seen {
  /** `name: fate` */
  readonly servers: readonly string[]
  /** `code file:line:column message` */
  readonly problems: readonly string[]
}

interface ProblemJson {
  readonly code: string
  readonly message: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
}

interface ListJson {
  readonly servers: readonly {
    readonly name: string
    readonly line: number
    readonly fate: { readonly kind: string }
    readonly warnings: readonly ProblemJson[]
  }[]
  readonly problems: readonly ProblemJson[]
}

async function list(machine: Machine, options?: RunOptions): Promise<ListJson> {
  const { code, stdout, stderr } = await machine.run(['list', '--all', '--json'], options)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as ListJson
}

async function look(machine: Machine, options?: RunOptions): Promise<Seen> {
  const { servers, problems } = await list(machine, options)
  return {
    servers: servers.map(({ name, fate }) => `${name}: ${fate.kind}`),
    problems: problems.map((problem) => showProblem(machine, problem)),
  }
}

function showProblem(machine: Machine, { code, message, file, line, column }: ProblemJson): string {
  const spot = [file, line, column].filter((part) => part !== undefined).join(':')
  return machine.shorten(`${code} ${spot} ${message}`)
}

/** What the listing of a home is when one file of it is of no use. */
function steadyAnd(...problems: string[]): Seen {
  return { servers: ['steady: chosen'], problems }
}

describe('size', () => {
  const prompt = { display: 'a prompt from long ago '.repeat(5) }
  const state = { projects: { '/elsewhere': { history: Array.from({ length: 80_000 }, () => prompt) } } }

  test('ten megabytes of history before the servers', async () => {
    const text = JSON.stringify({ ...state, mcpServers: { late: { command: 'late' } } }, undefined, 2)
    expect(text.length).toBeGreaterThan(10 * 1024 * 1024)
    using machine = openMachine({ ...STEADY, '~/.claude.json': text })
    const { servers, problems } = await list(machine)
    expect(servers.map(({ name, line }) => [name, line])).toEqual([
      ['late', text.slice(0, text.indexOf('"late"')).split('\n').length],
      ['steady', 1],
    ])
    expect(problems).toEqual([])
  })

  test('ten megabytes in one line, broken at its end', async () => {
    const text = `${JSON.stringify(state).slice(0, -1)},"mcpServers":{"late":{"command":late}}}`
    using machine = openMachine({ ...STEADY, '~/.claude.json': text })
    const column = text.indexOf(':late}') + 2
    expect(await look(machine)).toEqual(
      steadyAnd(
        `discover/unparseable ~/.claude.json:1:${column} this JSON file does not parse: this is not a JSON value`,
      ),
    )
    const { stderr } = await machine.run(['list'])
    expect(machine.shorten(stderr)).toBe(`error: this JSON file does not parse: this is not a JSON value
  --> ~/.claude.json:1:${column}   (Claude Code, user scope)
  |
1 | "command":late}}}
  |           ^^^^
  nothing in this file was loaded; every other file was
`)
  })

  test('a file beyond the limit is not read at all', async () => {
    using machine = openMachine({ ...STEADY, [CURSOR]: '{' })
    truncateSync(machine.at(CURSOR), 65 * 1024 * 1024)
    expect(await look(machine)).toEqual(
      steadyAnd(
        `discover/unreadable ${CURSOR} this file is too large to be configuration: 65 MB, and the limit is 64 MB`,
      ),
    )
  })

  const names = Array.from({ length: 10_000 }, (_, i) => `server-${i}`)
  const files = {
    JSON: {
      file: CURSOR,
      text: JSON.stringify({
        mcpServers: Object.fromEntries(
          names.map((name) => [name, { command: name, env: { A: '${UNSET_A}' } }]),
        ),
      }),
    },
    TOML: { file: CODEX, text: names.map((name) => `[mcp_servers.${name}]\ncommand = "${name}"\n`).join('') },
    YAML: {
      file: GOOSE,
      text: `extensions:\n${names.map((name) => `  ${name}: {type: stdio, cmd: ${name}, args: [], enabled: true}\n`).join('')}`,
    },
  }
  test.each(Object.entries(files))('ten thousand servers in one file of %s', async (_, { file, text }) => {
    using machine = openMachine({ ...STEADY, [file]: text })
    const { servers, problems } = await look(machine)
    const expected = [...names, 'steady']
      .toSorted((a, b) => (a < b ? -1 : 1))
      .map((name) => `${name}: chosen`)
    expect(servers).toEqual(expected)
    expect(problems).toEqual([])
  })
})

describe('a file of a repository, which is read before its user has approved anything', () => {
  const repeat = <T>(count: number, item: (i: number) => T): T[] =>
    Array.from({ length: count }, (_, i) => item(i))
  const tooMany = (file: string, limit: string): string =>
    `discover/too-many-values ${file} this file holds more than ${limit}, the limit for a file of a repository`
  const values = '5000 values and references'
  const marks = '20000 dots, commas, brackets, equals signs and comments'
  const server = (entry: object): object => ({ mcpServers: { a: { command: 'a', ...entry } } })

  test.each<[string, string, string | object, string]>([
    ['of 100,000 arguments', './.mcp.json', server({ args: repeat(100_000, (i) => `${i}`) }), values],
    [
      'of 40,000 unknown fields',
      './.mcp.json',
      server(Object.fromEntries(repeat(40_000, (i) => [`field${i}`, i]))),
      values,
    ],
    [
      'of 20,000 servers',
      './.mcp.json',
      { mcpServers: Object.fromEntries(repeat(20_000, (i) => [`s${i}`, { command: 'a' }])) },
      values,
    ],
    ['of 400,000 references', './.gemini/settings.json', server({ args: ['$A'.repeat(400_000)] }), values],
    [
      'of one server, written 30,000 times',
      './.mcp.json',
      `{"mcpServers":{${repeat(30_000, () => '"a":{"command":"a"}').join(',')}}}`,
      values,
    ],
    [
      'of 40,000 settings',
      './.plugboard/settings.json',
      Object.fromEntries(repeat(40_000, (i) => [`s${i}`, i])),
      values,
    ],
    ['of keys of TOML', './.codex/config.toml', repeat(40_000, (i) => `key${i} = 1\n`).join(''), marks],
    ['of values of TOML', './.codex/config.toml', `a = [${'1,'.repeat(400_000)}]\n`, marks],
    ['of one key of TOML', './.codex/config.toml', `${'a.'.repeat(400_000)}a = 1\n`, marks],
  ])('%s is not used', async (_, file, content, limit) => {
    using machine = openMachine({ ...STEADY, [file]: content })
    const { servers, problems } = await look(machine)
    expect(servers).toEqual(['steady: chosen'])
    expect(problems.map((problem) => problem.replace(/:\d+:\d+ /, ' '))).toEqual([tooMany(file, limit)])
  })

  test('of more than one megabyte is not read; the same file of the user is', async () => {
    const text = JSON.stringify(server({ description: 'x'.repeat(1.5 * 1024 * 1024) }))
    using machine = openMachine({ './.mcp.json': text })
    expect(await look(machine)).toEqual({
      servers: [],
      problems: [
        'discover/unreadable ./.mcp.json this file is too large to be configuration: 1.5 MB, and the limit is 1 MB',
      ],
    })
    machine.write({ [CURSOR]: text, './.mcp.json': '{}' })
    expect(await look(machine)).toEqual({ servers: ['a: chosen'], problems: [] })
  })

  test('of 400,000 openings of a command that never closes is read in no time', async () => {
    using machine = openMachine({ ...STEADY, './.mcp.json': server({ env: { A: '$('.repeat(400_000) } }) })
    const { servers, problems } = await look(machine)
    expect(servers).toEqual(['steady: chosen'])
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(['discover/too-many-values'])
    machine.write({ [CURSOR]: server({ env: { A: '$('.repeat(400_000) } }), './.mcp.json': '{}' })
    expect(await look(machine)).toEqual({ servers: ['a: chosen', 'steady: chosen'], problems: [] })
  })
})

test('a server with more references than any needs is invalid, whoever wrote it', async () => {
  using machine = openMachine({
    ...STEADY,
    '~/.gemini/settings.json': { mcpServers: { a: { command: 'a', args: ['$A'.repeat(1_000_000)] } } },
  })
  expect(await look(machine)).toEqual({
    servers: ['a: invalid', 'steady: chosen'],
    problems: [
      'normalize/invalid ~/.gemini/settings.json:1:43 server `a` has more than 1000 references to variables',
    ],
  })
})

describe('nesting of a hundred thousand brackets', () => {
  const [open, close] = ['['.repeat(100_000), ']'.repeat(100_000)]
  test.each([
    ['JSON', CURSOR, `{"mcpServers":${open}${close}}`, '1:1'],
    ['JSON that never closes', CURSOR, open, '1:1'],
    ['JSON objects', CURSOR, `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, '1:1'],
    ['TOML', CODEX, `a = ${open}${close}\n`, '1:205'],
    ['TOML, of a key', CODEX, `${'a.'.repeat(5_000_000)}a = 1\n`, '1:4002'],
    ['TOML, of a shorter key', CODEX, `${'a.'.repeat(300)}a = 1\n`, '1:399'],
    ['TOML, of keys in tables', CODEX, `[${'a.'.repeat(150)}a]\n${'b.'.repeat(100)}b = 1\n`, '2:97'],
    ['YAML', GOOSE, `a: ${open}${close}\n`, '1:203'],
    ['YAML dashes', GOOSE, '- '.repeat(100_000), '1:401'],
  ])('%s', async (_, file, text, spot) => {
    using machine = openMachine({ ...STEADY, [file]: text })
    const format = file.endsWith('.json') ? 'JSON' : file.endsWith('.toml') ? 'TOML' : 'YAML'
    expect(await look(machine)).toEqual(
      steadyAnd(
        `discover/unparseable ${file}:${spot} this ${format} file does not parse: it is nested too deeply`,
      ),
    )
  })

  test('aliases that multiply are shared, not copied', async () => {
    const levels = Array.from(
      { length: 30 },
      (_, i) => `a${i}: &a${i} [${i === 0 ? 'x' : `*a${i - 1}, *a${i - 1}`}]`,
    )
    using machine = openMachine({ ...STEADY, [GOOSE]: `${levels.join('\n')}\nextensions: {}\n` })
    expect(await look(machine)).toEqual(steadyAnd())
  })
})

describe('keys', () => {
  test('a server written twice: both have a fate, the last one counts', async () => {
    using machine = openMachine({
      [CURSOR]: '{"mcpServers":{\n"a":{"command":"first"},\n"a":{"command":"second"}}}',
    })
    expect(await look(machine)).toEqual({
      servers: ['a: chosen', 'a: shadowed'],
      problems: [
        `discover/duplicate-key ${CURSOR}:3:1 \`a\` is written twice in this file; the last one counts`,
      ],
    })
  })

  test('the whole map written twice: what stands in the first is lost, and said to be', async () => {
    using machine = openMachine({
      [CURSOR]: '{"mcpServers":{\n"a":{"command":"a"}},\n"mcpServers":{"b":{"command":"b"}}}',
    })
    expect(await look(machine)).toEqual({
      servers: ['a: unsupported', 'b: chosen'],
      problems: [
        `discover/replaced-map ${CURSOR}:2:1 \`a\` is lost, because \`mcpServers\` is written twice in this file and the last one counts`,
      ],
    })
  })

  test('a field and a variable written twice are warnings, and the last ones count', async () => {
    using machine = openMachine({
      [CURSOR]: '{"mcpServers":{"a":{"command":5,"command":"a",\n"env":{"X":["1"],"X":"2"}}}}',
    })
    const { servers } = await list(machine)
    expect(servers.map(({ name, fate }) => [name, fate.kind])).toEqual([['a', 'chosen']])
    expect(servers[0]!.warnings.map((warning) => showProblem(machine, warning))).toEqual([
      `normalize/duplicate-field ${CURSOR}:1:31 \`command\` is written twice; the last one counts`,
      `normalize/duplicate-field ${CURSOR}:2:12 \`env.X\` is written twice; the last one counts`,
    ])
  })

  test('names of Object.prototype are names like any other, of servers, variables, fields and types', async () => {
    const own = '{"command":"node","env":{"__proto__":"a","constructor":"b","toString":"c"}}'
    using machine = openMachine({
      ...STEADY,
      [CURSOR]: `{"mcpServers":{
"__proto__":${own},
"constructor":{"command":"other","__proto__":{"command":"evil"},"hasOwnProperty":1},
"toString":{"type":"valueOf","command":"x"}}}`,
      [CODEX]: '[mcp_servers.valueOf]\ncommand = "third"\n__proto__ = 1\n',
    })
    expect(await look(machine)).toEqual({
      servers: [
        '__proto__: chosen',
        'constructor: chosen',
        'steady: chosen',
        'toString: invalid',
        'valueOf: chosen',
      ],
      problems: [`normalize/invalid ${CURSOR}:4:20 unknown \`type\`: \`valueOf\``],
    })
    const { stdout } = await machine.run(['get', 'constructor'])
    expect(stdout).toContain('`__proto__` is not used')
    const shown = (await machine.json(['get', '__proto__'])) as {
      readonly definition: { readonly env: object }
    }
    expect(Object.entries(shown.definition.env)).toEqual([
      ['__proto__', '‹secret›'],
      ['constructor', '‹secret›'],
      ['toString', '‹secret›'],
    ])
  })

  test('values of no use as a server', async () => {
    using machine = openMachine({
      ...STEADY,
      [CURSOR]:
        '{"mcpServers":{\n"a":null,\n"b":5,\n"c":[1],\n"d":"text",\n"e":true,\n"f":{},\n"g":{"command":null}}}',
    })
    expect(await look(machine)).toEqual({
      servers: [...'abcdefg'].map((name) => `${name}: invalid`).concat('steady: chosen'),
      problems: [
        `normalize/not-an-object ${CURSOR}:2:5 server \`a\` must be an object, but is null`,
        `normalize/not-an-object ${CURSOR}:3:5 server \`b\` must be an object, but is a number`,
        `normalize/not-an-object ${CURSOR}:4:5 server \`c\` must be an object, but is a list`,
        `normalize/not-an-object ${CURSOR}:5:5 server \`d\` must be an object, but is a string`,
        `normalize/not-an-object ${CURSOR}:6:5 server \`e\` must be an object, but is a boolean`,
        `normalize/invalid ${CURSOR}:7:5 server \`f\` has neither \`command\` nor \`url\``,
        `normalize/wrong-type ${CURSOR}:8:16 \`command\` must be a string, but is null`,
      ],
    })
  })

  test('values of no use as a file', async () => {
    using machine = openMachine({
      ...STEADY,
      [CURSOR]: 'null',
      '~/.x-code/config.json': '5',
      '~/.codeium/mcp_config.json': '[]',
      '~/.gemini/settings.json': '{"mcpServers":[]}',
      [GOOSE]: 'just words\n',
      '~/.config/Claude/claude_desktop_config.json': '{} {}',
      '~/.copilot/mcp-config.json': ' \n ',
    })
    expect(await look(machine)).toEqual(
      steadyAnd(
        'discover/wrong-shape ~/.x-code/config.json:1:1 this file must be an object, but is a number',
        'discover/wrong-shape ~/.gemini/settings.json:1:15 `mcpServers` must be an object, but is a list',
        `discover/wrong-shape ${CURSOR}:1:1 this file must be an object, but is null`,
        'discover/wrong-shape ~/.codeium/mcp_config.json:1:1 this file must be an object, but is a list',
        `discover/wrong-shape ${GOOSE}:1:1 this file must be an object, but is a string`,
        'discover/unparseable ~/.config/Claude/claude_desktop_config.json:1:4 this JSON file does not parse: the file should have ended here',
      ),
    )
  })
})

describe('bytes', () => {
  test.each([
    ['in the middle of a line', [Buffer.from('{\n  "caf\u00e9": '), Buffer.from([0xff])], '2:11'],
    ['in the middle of a character', [Buffer.from('{ "a": "'), Buffer.from([0xe2, 0x82, 0x22])], '1:9'],
    ['UTF-16', [Buffer.from('\ufeff{"mcpServers":{}}', 'utf16le')], '1:1'],
  ])('what is not UTF-8, %s', async (_, bytes, spot) => {
    using machine = openMachine({ ...STEADY, [CURSOR]: Buffer.concat(bytes) })
    expect(await look(machine)).toEqual(
      steadyAnd(`discover/not-utf8 ${CURSOR}:${spot} this file is not UTF-8 text`),
    )
  })

  const lines = ['{', '  "mcpServers": {', '    "a": {', '      "command": 5', '    }', '  }', '}', '']
  test.each([
    ['a byte order mark', `\ufeff${lines.join('\n')}`],
    ['the line ends of Windows', lines.join('\r\n')],
    ['both', `\ufeff${lines.join('\r\n')}`],
  ])('%s: lines and columns are as an editor counts them', async (_, text) => {
    using machine = openMachine({ ...STEADY, [CURSOR]: text })
    expect(await look(machine)).toEqual({
      servers: ['a: invalid', 'steady: chosen'],
      problems: [`normalize/wrong-type ${CURSOR}:4:18 \`command\` must be a string, but is a number`],
    })
    const { stderr } = await machine.run(['list'])
    expect(stderr).toContain('\n4 |       "command": 5\n  |                  ^\n')
  })

  test('a byte order mark and the line ends of Windows in TOML and YAML', async () => {
    using machine = openMachine({
      ...STEADY,
      [CODEX]: '\ufeff[mcp_servers.a]\r\ncommand = "a"\r\nargs = oops\r\n',
      [GOOSE]: '\ufeffextensions:\r\n  b:\r\n    type: stdio\r\n    cmd: 5\r\n    args: []\r\n',
    })
    expect(await look(machine)).toEqual({
      servers: ['b: invalid', 'steady: chosen'],
      problems: [
        `discover/unparseable ${CODEX}:3:8 this TOML file does not parse: unexpected character`,
        `normalize/wrong-type ${GOOSE}:4:10 \`cmd\` must be a string, but is a number`,
      ],
    })
  })
})

describe('things that are no files', () => {
  const makers: Readonly<Record<string, (path: string) => void>> = {
    'a directory': (path) => mkdirSync(path),
    'a pipe': (path) => execFileSync('mkfifo', [path]),
    'a device': (path) => symlinkSync('/dev/zero', path),
  }
  test.each(Object.entries(makers))('%s where a file is expected', async (what, make) => {
    using machine = openMachine(STEADY)
    const files = [
      CURSOR,
      '~/.config/plugboard/mcp.json',
      '~/.gemini/settings.json',
      './.mcp.json',
      './opencode.json',
    ]
    for (const file of files) {
      mkdirSync(dirname(machine.at(file)), { recursive: true })
      make(machine.at(file))
    }
    const { servers, problems } = await look(machine)
    expect(servers).toEqual(['steady: chosen'])
    expect(problems.toSorted()).toEqual(
      files
        .map((file) => `discover/unreadable ${file} a file is expected here, but it is ${what}`)
        .toSorted(),
    )
  })

  test('a socket where a file is expected', async () => {
    using machine = openMachine(STEADY)
    mkdirSync(dirname(machine.at(CURSOR)))
    await using server = createServer()
    await new Promise<void>((resolve) => server.listen(machine.at(CURSOR), resolve))
    expect(await look(machine)).toEqual(
      steadyAnd(`discover/unreadable ${CURSOR} a file is expected here, but it is a socket`),
    )
  })

  test('a pipe where our own settings and the record of approvals are expected admits nothing', async () => {
    using machine = openMachine(STEADY)
    for (const file of ['~/.config/plugboard/settings.json', '~/.local/state/plugboard/trust.json']) {
      mkdirSync(dirname(machine.at(file)), { recursive: true })
      execFileSync('mkfifo', [machine.at(file)])
    }
    expect(await look(machine)).toEqual({
      servers: ['steady: not-allowed'],
      problems: [
        'discover/unreadable ~/.config/plugboard/settings.json a file is expected here, but it is a pipe',
        'trust/damaged ~/.local/state/plugboard/trust.json the record of your approvals cannot be read, so no project server is trusted',
      ],
    })
  })

  test('a link to itself, a folder that is a link to itself, and a link to nowhere', async () => {
    using machine = openMachine(STEADY)
    mkdirSync(dirname(machine.at(CURSOR)))
    symlinkSync('mcp.json', machine.at(CURSOR))
    symlinkSync('.codex', machine.at('~/.codex'))
    symlinkSync('nowhere', machine.at('./.mcp.json'))
    expect(await look(machine)).toEqual(
      steadyAnd(
        `discover/unreadable ${CODEX} this link leads back to itself`,
        `discover/unreadable ${CURSOR} this link leads back to itself`,
      ),
    )
  })

  test('a file that may not be read', async () => {
    using machine = openMachine({ ...STEADY, [CURSOR]: '{}' })
    chmodSync(machine.at(CURSOR), 0o000)
    const start = startUnprivileged(machine)
    const { stdout, stderr } = await machine.run(['list'], { start })
    expect(stdout).toContain('steady  stdio      user   xcsh    chosen  ~/.xcsh/mcp.json:1\n')
    expect(stderr).toBe(`error: you may not read this file
  --> ~/.cursor/mcp.json   (Cursor, user scope)
  every other file was loaded

hint: give yourself access: \`chmod u+r ${machine.at(CURSOR)}\`
`)
    expect(await look(machine, { start })).toEqual(
      steadyAnd(`discover/unreadable ${CURSOR} you may not read this file`),
    )
  })
})

/** Root may read everything, so the command gives its rights up first. It is copied to where anybody can read it. */
function startUnprivileged({ home, at }: Machine): readonly string[] {
  if (process.getuid?.() !== 0) return [process.execPath, BIN]
  const nobody = 65_534
  const folder = join(dirname(home), 'copy')
  cpSync(DIST, folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(folder, 'drop.cjs'),
    `process.setgroups([]);process.setgid(${nobody});process.setuid(${nobody})`,
  )
  chmodSync(dirname(home), 0o755)
  for (const path of [home, at('~/.xcsh'), at('~/.xcsh/mcp.json'), at('~/.cursor'), at(CURSOR)])
    chownSync(path, nobody, nobody)
  return [process.execPath, '--require', join(folder, 'drop.cjs'), join(folder, 'bin.js')]
}

/** What moves a cursor, hides or turns text around. */
// oxlint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e]|[\u{e0000}-\u{e007f}]/u

describe('names', () => {
  const red = '\u001b[31mred\u001b[0m\u0007'
  const hostile = {
    [red]: { command: 'one' },
    'safe\u202egnp.exe': { command: 'two' },
    'git\u200bhub': { command: 'three' },
    'two\nlines': { command: 'four' },
    'tag\u{e0041}': { command: 'five' },
    [`x${'y'.repeat(4999)}`]: { command: 'six' },
    '': { command: 'seven' },
    ' ': { command: 'eight' },
  }

  test('are shown escaped, in a table that stays a table', async () => {
    using machine = openMachine({
      ...STEADY,
      [CURSOR]: JSON.stringify({ mcpServers: hostile }, undefined, 1),
    })
    const { stdout, stderr } = await machine.run(['list'])
    expect(machine.shorten(stdout))
      .toBe(String.raw`NAME                    TRANSPORT  SCOPE  SOURCE  FATE     FILE
""                      stdio      user   Cursor  invalid  ~/.cursor/mcp.json:21
\x1b[31mred\x1b[0m\x07  stdio      user   Cursor  chosen   ~/.cursor/mcp.json:3
" "                     stdio      user   Cursor  invalid  ~/.cursor/mcp.json:24
git\u{200b}hub          stdio      user   Cursor  chosen   ~/.cursor/mcp.json:9
safe\u{202e}gnp.exe     stdio      user   Cursor  chosen   ~/.cursor/mcp.json:6
steady                  stdio      user   xcsh    chosen   ~/.xcsh/mcp.json:1
tag\u{e0041}            stdio      user   Cursor  chosen   ~/.cursor/mcp.json:15
two\x0alines            stdio      user   Cursor  chosen   ~/.cursor/mcp.json:12
x${'y'.repeat(4999)}  stdio      user   Cursor  chosen   ~/.cursor/mcp.json:18

6 warnings about these servers (${'`plugboard doctor`'} shows them)
`)
    expect(machine.shorten(stderr)).toBe(`error: a server needs a name
  --> ~/.cursor/mcp.json:21:7   (Cursor, user scope)
   |
21 |   "": {
   |       ^
  the other 6 servers in this file were loaded

error: a server needs a name
  --> ~/.cursor/mcp.json:24:8   (Cursor, user scope)
   |
24 |   " ": {
   |        ^
  the other 6 servers in this file were loaded
`)
  })

  test('come through JSON whole, in text that a terminal may see', async () => {
    using machine = openMachine({ [CURSOR]: { mcpServers: hostile } })
    const { stdout } = await machine.run(['list', '--json'])
    expect(stdout).not.toMatch(INVISIBLE)
    const { servers } = JSON.parse(stdout) as ListJson
    expect(servers.map(({ name }) => name).toSorted()).toEqual(Object.keys(hostile).toSorted())
  })

  test('are escaped wherever a person meets them', async () => {
    const entry = { command: '\u001b]0;title\u0007', args: ['\u202e'], env: { '\u001b[2J': 'x' } }
    using machine = openMachine({
      [CURSOR]: { mcpServers: { [red]: entry } },
      './.mcp.json': { mcpServers: { [red]: { ...entry, headers: { '\u001b[1m': 'x' } } } },
    })
    const lines = [
      ['list', '--all'],
      ['get', red],
      ['explain', red],
      ['doctor'],
      ['trust', 'approve', red],
      ['trust', 'list'],
      ['trust', 'decline', red],
      ['get', '\u001b[2Jnobody'],
      ['\u001b[2Jcommand'],
    ]
    for (const args of lines) {
      const { stdout, stderr } = await machine.run(args)
      expect(stdout + stderr, args.join(' ')).not.toMatch(INVISIBLE)
      expect(stdout + stderr, args.join(' ')).toContain(String.raw`\x1b[`)
    }
  })
})

test('every command copes with all of it at once', async () => {
  using machine = openMachine({
    ...STEADY,
    [CURSOR]: '['.repeat(100_000),
    [CODEX]: 'a = ',
    [GOOSE]: Buffer.from([0xff]),
    '~/.config/plugboard/mcp.json':
      '{"mcpServers":{"":null,"__proto__":5,"steady":{"command":"a","command":[]}}}',
  })
  execFileSync('mkfifo', [machine.at('./.mcp.json')])
  const lines = [
    ['list'],
    ['list', '--all'],
    ['get', 'steady'],
    ['explain'],
    ['sources'],
    ['doctor'],
    ['doctor', '--run'],
    ['trust', 'list'],
    ['trust', 'approve'],
  ]
  const codes: Record<string, readonly number[]> = {}
  for (const args of lines) {
    const [text, json] = [await machine.run(args), await machine.run([...args, '--json'])]
    expect(() => JSON.parse(json.stdout) as unknown, args.join(' ')).not.toThrow()
    expect(text.stderr + json.stderr, args.join(' ')).not.toContain('bug')
    codes[args.join(' ')] = [text.code, json.code]
  }
  expect(codes).toEqual({
    list: [0, 0],
    'list --all': [0, 0],
    'get steady': [0, 0],
    explain: [0, 0],
    sources: [0, 0],
    doctor: [1, 1],
    'doctor --run': [1, 1],
    'trust list': [0, 0],
    'trust approve': [0, 0],
  })
})
