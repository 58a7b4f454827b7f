/**
 * add and add-json, as their users run them: the built command, real servers, a home of its own.
 */
import { chmodSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openMachine, type Machine, type Ran } from '../../processes/plugboard.ts'
import { KEYS, runInTerminal } from '../../processes/terminal.ts'
import { answerLegacy, serve } from '../../servers/http/loopback.ts'
import { startProgram } from '../../servers/http/program.ts'

const server = (program: string): string =>
  fileURLToPath(new URL(`../../servers/${program}.mjs`, import.meta.url))

let machine: Machine
beforeEach(() => {
  machine = openMachine()
  // By a short name, as people have them.
  machine.write({
    '~/bin/mcp-good': `#!/bin/sh\nexec "${process.execPath}" "${server('well-behaved')}" "$@"\n`,
  })
  chmodSync(machine.at('~/bin/mcp-good'), 0o755)
})
afterEach(() => machine[Symbol.dispose]())

const plugboard = (...args: readonly string[]): Promise<Ran> =>
  machine.run(args, { env: { PATH: `${machine.at('~/bin')}:${process.env['PATH']}` } })

/** Without what differs from run to run. */
const run = async (...args: readonly string[]): Promise<Ran> => {
  const { code, stdout, stderr } = await plugboard(...args)
  const clean = (text: string): string =>
    machine.shorten(text).replaceAll(/(?<=in |after )\d+(?:\.\d+)? m?s/g, '<time>')
  return { code, stdout: clean(stdout), stderr: clean(stderr) }
}

const FILES = {
  user: '~/.config/plugboard/mcp.json',
  project: './.plugboard/mcp.json',
}

const readFile = (path: string): string => readFileSync(machine.at(path), 'utf8')
const entries = (scope: keyof typeof FILES = 'user'): unknown =>
  (JSON.parse(readFile(FILES[scope])) as { readonly mcpServers: unknown }).mcpServers

describe('what READMEs say', () => {
  const pasted: readonly (readonly [string, readonly string[], object])[] = [
    [
      'a command after --',
      ['foo', '--', 'npx', '-y', '@acme/foo', '--root', '.'],
      { type: 'stdio', command: 'npx', args: ['-y', '@acme/foo', '--root', '.'] },
    ],
    [
      'a command without --, whose flags are its own',
      ['foo', 'npx', '-y', 'foo', '--json', '-s', 'x', '--help'],
      { type: 'stdio', command: 'npx', args: ['-y', 'foo', '--json', '-s', 'x', '--help'] },
    ],
    [
      'variables before the name',
      ['-e', 'A=1', '--env', 'B=x=y', 'foo', '--', 'npx', 'foo'],
      { type: 'stdio', command: 'npx', args: ['foo'], env: { A: '1', B: 'x=y' } },
    ],
    [
      'variables after the name',
      ['foo', '-e', 'A=1', '-s', 'user', '--', 'npx'],
      { type: 'stdio', command: 'npx', env: { A: '1' } },
    ],
    [
      'several variables behind one flag',
      ['foo', '-e', 'A=1', 'B=2', '--', 'npx', 'C=3'],
      { type: 'stdio', command: 'npx', args: ['C=3'], env: { A: '1', B: '2' } },
    ],
    [
      'several variables behind one flag, before the name',
      ['--env=A=1', 'B=2', 'foo', 'npx', 'C=3'],
      { type: 'stdio', command: 'npx', args: ['C=3'], env: { A: '1', B: '2' } },
    ],
    [
      'several headers behind one flag',
      ['-t', 'http', 'foo', 'https://x.test/mcp', '-H', 'A: b', 'C: d'],
      { type: 'http', url: 'https://x.test/mcp', headers: { A: 'b', C: 'd' } },
    ],
    [
      'a Windows path',
      ['foo', '--', String.raw`D:\res\x.exe`, String.raw`D:\new\tmp`],
      { type: 'stdio', command: String.raw`D:\res\x.exe`, args: [String.raw`D:\new\tmp`] },
    ],
    [
      'a whole command line between quotes',
      ['foo', String.raw`npx -y "a b" D:\res\x`],
      { type: 'stdio', command: 'npx', args: ['-y', 'a b', String.raw`D:\res\x`] },
    ],
    [
      'a transport, an address, and headers behind it',
      [
        '--transport',
        'http',
        'foo',
        'https://x.test/mcp',
        '--header',
        'Authorization: Bearer ${T}',
        '-H',
        'X-A:b',
      ],
      { type: 'http', url: 'https://x.test/mcp', headers: { Authorization: 'Bearer ${T}', 'X-A': 'b' } },
    ],
    ['-t sse', ['-t', 'sse', 'foo', 'https://x.test/sse'], { type: 'sse', url: 'https://x.test/sse' }],
    [
      'what Claude Code calls it in files',
      ['-t', 'streamable-http', 'foo', 'https://x.test'],
      { type: 'http', url: 'https://x.test' },
    ],
    ['--http', ['--http', 'foo', 'https://x.test/mcp'], { type: 'http', url: 'https://x.test/mcp' }],
    ['a socket', ['foo', 'wss://x.test/mcp'], { type: 'ws', url: 'wss://x.test/mcp' }],
    ['an address alone', ['foo', 'https://x.test/mcp'], { url: 'https://x.test/mcp' }],
    [
      '--url and --token',
      ['foo', '--url', 'https://x.test/mcp', '--token', 'abc'],
      { url: 'https://x.test/mcp', headers: { Authorization: 'Bearer abc' } },
    ],
    [
      'a client that was registered',
      ['--transport', 'http', '--client-id', 'mine', '--callback-port', '8080', 'foo', 'https://x.test/mcp'],
      { type: 'http', url: 'https://x.test/mcp', oauth: { clientId: 'mine', callbackPort: 8080 } },
    ],
    [
      'the port of a redirect address alone, behind the address',
      ['foo', 'https://x.test/mcp', '--callback-port', '8080'],
      { url: 'https://x.test/mcp', oauth: { callbackPort: 8080 } },
    ],
  ]
  test.each(pasted)('%s', async (_, args, entry) => {
    // In front, since what follows the command is the command's.
    expect(await run('add', '--no-check', ...args)).toMatchObject({
      code: 0,
      stdout: 'added `foo` to ~/.config/plugboard/mcp.json (user scope)\n',
    })
    expect(entries()).toEqual({ foo: entry })
  })

  test.each([
    ['an entry', '{"command": "npx", "args": ["-y", "x"], "timeout": 5000}'],
    [
      'a file',
      '{ "mcpServers": { "other-name": {"command": "npx", "args": ["-y", "x"], "timeout": 5000} } }',
    ],
    ['a comment in it', '{ // here\n "command": "npx", "args": ["-y", "x",], "timeout": 5000 }'],
  ])('JSON: %s', async (_, json) => {
    expect((await run('add-json', 'foo', json, '--no-check')).code).toBe(0)
    expect(entries()).toEqual({ foo: { command: 'npx', args: ['-y', 'x'], timeout: 5000 } })
  })

  test('JSON on stdin', async () => {
    const line = `echo '{"command":"npx"}' | plugboard add-json foo - --no-check`
    const { code } = await machine.run([line], {
      start: ['/bin/sh', '-c'],
      env: { PATH: `${machine.bin}:${process.env['PATH']}` },
    })
    expect(code).toBe(0)
    expect(entries()).toEqual({ foo: { command: 'npx' } })
  })
})

describe('the secret of a client', () => {
  const CLIENT = ['-t', 'http', '--client-id', 'mine', '--client-secret', 'foo', 'https://x.test/mcp']
  const withSecret = (args: readonly string[]): Promise<Ran> =>
    machine.run(args, { env: { MCP_CLIENT_SECRET: 'hunter2' } })

  test('is taken from a variable, and shown nowhere', async () => {
    const { code, stdout, stderr } = await withSecret(['--json', 'add', '--no-check', ...CLIENT])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toContain('hunter2')
    expect(entries()).toEqual({
      foo: { type: 'http', url: 'https://x.test/mcp', oauth: { clientId: 'mine', clientSecret: 'hunter2' } },
    })
    expect((await run('get', 'foo')).stdout).not.toContain('hunter2')
  })

  test('is typed unseen', async () => {
    const { text, code } = await runInTerminal(machine, `plugboard add --no-check ${CLIENT.join(' ')}`, {
      columns: 120,
      answers: [{ when: 'The client secret', keys: `hunter2${KEYS.enter}` }],
    })
    expect({ code, isSeen: text.includes('hunter2') }).toEqual({ code: 0, isSeen: false })
    expect(entries()).toMatchObject({ foo: { oauth: { clientSecret: 'hunter2' } } })
  })

  test('is asked for beside JSON, too', async () => {
    const json = '{"type":"http","url":"https://x.test/mcp","oauth":{"clientId":"mine"}}'
    expect((await withSecret(['add-json', 'foo', json, '--client-secret', '--no-check'])).code).toBe(0)
    expect(entries()).toMatchObject({ foo: { oauth: { clientId: 'mine', clientSecret: 'hunter2' } } })
  })

  test('goes into no repository unasked', async () => {
    const { code, stderr } = await withSecret(['add', '--no-check', '-s', 'project', ...CLIENT])
    expect(code).toBe(2)
    expect(stderr).toContain('oauth.clientSecret')
    expect(stderr).not.toContain('hunter2')
    expect(() => entries('project')).toThrow('ENOENT')
  })

  test.each<[string, readonly string[], string]>([
    [
      'nobody can be asked',
      ['add', ...CLIENT],
      'there is nobody here who could be asked for the client secret',
    ],
    [
      'it is on the command line',
      ['add', '--client-secret=abc', 'x', 'https://x.test'],
      '`--client-secret` takes no value',
    ],
    [
      'no client has it',
      ['add', '--client-secret', 'x', 'https://x.test'],
      '`--client-secret` needs the client it belongs to',
    ],
    [
      'no client of the JSON has it',
      ['add-json', '--client-secret', 'x', '{"url":"https://x.test"}'],
      '`--client-secret` needs the client it belongs to',
    ],
    [
      'a command is started',
      ['add', '--client-secret', 'x', 'npx'],
      '`--client-secret` is for servers that are reached; this one is started',
    ],
    [
      'a socket has no sign-in',
      ['add', '--client-id', 'a', 'x', 'wss://x.test'],
      '`--client-id` is for servers that are reached over HTTP or SSE; this one is a WebSocket',
    ],
    [
      'a port is none',
      ['add', '--callback-port', '70000', 'x', 'https://x.test'],
      '`--callback-port` must be a port, a number from 1 to 65535, but is `70000`',
    ],
  ])('is refused where %s', async (_, args, message) => {
    const { code, stderr } = await run(...args)
    expect({ code, first: stderr.split('\n')[0] }).toEqual({ code: 2, first: `error: ${message}` })
    expect(stderr).not.toContain('abc')
  })
})

describe('the file', () => {
  test('keeps its comments, and a new one is for its user alone', async () => {
    await run('add', 'a', '--no-check', '--', 'npx')
    expect(statSync(machine.at(FILES.user)).mode & 0o777).toBe(0o600)
    machine.write({
      [FILES.user]: '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "npx" }, // first\n  },\n}\n',
    })
    await run('add', 'b', '--no-check', '--', 'uvx', 'b')
    const text = readFile(FILES.user)
    expect(text).toContain('  // mine\n')
    expect(text).toContain('"a": { "command": "npx" }, // first\n')
    expect(text).toContain('"command": "uvx"')
  })

  test('of a project is for everybody, and what was typed is approved for who typed it', async () => {
    const { code, stdout } = await run('add', '--scope', 'project', 'shop', 'mcp-good')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        'added `shop` to ./.plugboard/mcp.json (project scope)',
        'approved it for you, in this project; everybody else is asked',
        'ready in <time>, 2 tools: echo, slow',
        '',
      ].join('\n'),
    })
    expect(statSync(machine.at(FILES.project)).mode & 0o777).toBe(0o644)
    expect(entries('project')).toEqual({ shop: { type: 'stdio', command: 'mcp-good' } })
    const { approvals } = (await machine.json(['trust', 'list'])) as { readonly approvals: readonly object[] }
    expect(approvals).toMatchObject([{ server: 'shop', decision: 'approved', command: 'mcp-good' }])
  })

  test('of local scope is not in the repository', async () => {
    const { stdout } = await run('add', '-s', 'local', 'shop', '--no-check', '--', 'npx')
    expect(stdout).toMatch(
      /^added `shop` to ~\/\.config\/plugboard\/projects\/project-\w+\/mcp\.json \(local scope\)$/m,
    )
  })

  test('that cannot be understood is not touched', async () => {
    machine.write({ [FILES.user]: '{ "mcpServers": { "a": }' })
    const { code, stderr } = await run('add', 'b', '--no-check', '--', 'npx')
    expect(code).toBe(2)
    expect(stderr).toContain('nothing was changed')
    expect(readFile(FILES.user)).toBe('{ "mcpServers": { "a": }')
  })
})

describe('the check', () => {
  test('says what the server offers', async () => {
    expect(await run('add', 'good', '--', 'mcp-good')).toEqual({
      code: 0,
      stdout:
        'added `good` to ~/.config/plugboard/mcp.json (user scope)\nready in <time>, 2 tools: echo, slow\n',
      stderr: '',
    })
  })

  test('that fails is told, and the server stays', async () => {
    const { code, stdout, stderr } = await run('add', 'bad', process.execPath, server('dies-in-handshake'))
    expect(code).toBe(0)
    expect(stdout).toContain('it could not be used yet, after <time>; it stays in the file\n')
    expect(stderr).toContain('error: Failed to connect to "bad": the process exited with code 3')
    expect(entries()).toHaveProperty('bad')
  })

  test('as JSON', async () => {
    const { stdout } = await plugboard('--json', 'add', '-e', 'API_KEY=hunter2', 'good', 'mcp-good')
    expect(JSON.parse(stdout)).toEqual({
      added: {
        name: 'good',
        scope: 'user',
        file: machine.at(FILES.user),
        definition: { type: 'stdio', command: 'mcp-good', args: [], env: { API_KEY: '‹secret›' } },
      },
      check: { state: 'ready', transport: 'stdio', tools: ['echo', 'slow'] },
      warnings: [],
    })
  })

  test('finds out that an address speaks Streamable HTTP, and writes it down', async () => {
    await using web = await serve((request) => answerLegacy(request))
    const { code, stdout } = await run('add', 'web', web.url)
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('1 tool: echo\n') })
    expect(entries()).toEqual({ web: { type: 'http', url: web.url } })
    // As it was written it was seen.
    expect((await run('list')).stdout).toMatch(/web +http .* 1 tool,/)
  })

  test('finds out that an address speaks SSE, in a project too', async () => {
    await using old = await startProgram('everything-sse')
    const { code, stdout } = await run('add', '-s', 'project', 'old', `${old.origin}/sse`)
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('ready in') })
    expect(entries('project')).toEqual({ old: { url: `${old.origin}/sse`, type: 'sse' } })
    expect((await run('list')).stdout).toMatch(/old +sse +project +Plugboard +chosen/)
  })

  test('of an address that asks for a sign-in says so', async () => {
    await using web = await serve(({ response }) => void response.writeHead(401).end())
    const { code, stdout } = await run('add', 'web', web.url)
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('it needs a sign-in') })
    expect(entries()).toEqual({ web: { url: web.url } })
  })

  test('is not made where another decides; that is told', async () => {
    machine.write({ '~/.config/plugboard/settings.json': { deniedMcpServers: ['good'] } })
    const { code, stderr } = await run('add', 'good', 'mcp-good')
    expect(code).toBe(0)
    expect(stderr).toContain('warning: `good` is in the file, but it does not run: it is denied\n')
    expect(stderr).toContain('by rule')
  })
})

test('where all servers are turned off, it is added, and that is said', async () => {
  machine.write({ '~/.config/plugboard/settings.json': { enabled: false } })
  const { code, stdout, stderr } = await run('add', 'good', 'mcp-good')
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'added `good` to ~/.config/plugboard/mcp.json (user scope)\n',
  })
  expect(stderr).toContain('no file is read now: all servers are turned off')
})

describe('refuses', () => {
  const refused: readonly (readonly [string, readonly string[], string])[] = [
    ['both', ['x', '--url', 'https://x.test', '--', 'npx'], 'Use either --url or -- <command...>, not both.'],
    ['a token for a command', ['x', '--token', 'abc', 'npx'], '--token requires --url (HTTP/SSE transport).'],
    ['a wrong address', ['-t', 'http', 'x', 'http://[bad'], 'Invalid server config: `url` is not a URL'],
    [
      'a slip in an address',
      ['x', 'htps://me:hunter2@x.test'],
      '`htps://` begins neither a command nor an address that can be reached',
    ],
    ['nothing', [], 'a server to add needs a command or an address'],
    ['a name alone', ['x'], 'a server to add needs a command or an address'],
    [
      'a name that is none',
      ['a b', 'npx'],
      'Invalid server config: a name is made of 1 to 100 letters, digits, `_`, `.` and `-`, which `a b` is not',
    ],
    [
      'variables for an address',
      ['-e', 'A=b', 'x', 'https://x.test'],
      '`--env` is for servers that are started; this one is reached',
    ],
    [
      'headers for a command',
      ['-H', 'A: b', 'x', 'npx'],
      '`--header` is for servers that are reached; this one is started',
    ],
    [
      'a header that is none',
      ['-H', 'secret', 'x', 'https://x.test'],
      'a header is not of the form `Name: value`',
    ],
    [
      'a transport that is none',
      ['-t', 'smoke', 'x', 'npx'],
      '`--transport` must be one of stdio, http, sse, ws, but is `smoke`',
    ],
    ['a scope that is none', ['-s', 'world', 'x', 'npx'], 'there is no scope `world` to write to'],
    ['a flag that is none', ['--trust', 'x', 'npx'], '`plugboard add` has no flag `--trust`'],
    ['words after an address', ['x', 'https://x.test', 'npx'], '`plugboard add` has no use for `npx`'],
  ]
  test.each(refused)('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await run('add', ...args)
    expect({ code, stdout, first: stderr.split('\n')[0] }).toEqual({
      code: 2,
      stdout: '',
      first: `error: ${message}`,
    })
    expect(() => entries()).toThrow('ENOENT')
  })

  test.each([
    [
      'JSON that does not parse',
      ['x', '{\n  "command": npx }'],
      /the JSON given does not parse: .+ \(line 2, column 14\)$/,
    ],
    ['JSON that is no object', ['x', '["npx"]'], /the JSON given must be an object, but is a list$/],
    [
      'JSON whose server is none',
      ['x', '{"mcpServers":{"x":1}}'],
      /the JSON given must be an object, but is a number$/,
    ],
    ['a field of the wrong kind', ['x', '{"command":3}'], /`command` must be a string, but is a number$/],
  ])('%s', async (_, args, message) => {
    const { code, stderr } = await run('add-json', ...args)
    const [first] = stderr.split('\n')
    expect(code).toBe(2)
    expect(first).toMatch(/^error: Invalid server config: /)
    expect(first).toMatch(message)
    expect(() => entries()).toThrow('ENOENT')
  })

  test('a name that is taken: says what is there, without its values', async () => {
    await run('add', '--no-check', '-e', 'API_KEY=hunter2', 'x', '--', 'npx', '--token', 'hunter3')
    const before = readFile(FILES.user)
    const { code, stderr } = await run('add', 'x', '--', 'uvx', 'y')
    expect(code).toBe(2)
    expect(stderr).toBe(
      [
        'error: Server "x" already exists in ~/.config/plugboard/mcp.json',
        '  {',
        '    "type": "stdio",',
        '    "command": "npx",',
        '    "args": [',
        '      "--token",',
        '      "‹secret›"',
        '    ],',
        '    "env": {',
        '      "API_KEY": "‹secret›"',
        '    }',
        '  }',
        '',
        'hint: to put another in its place, run `plugboard remove x` first',
        'hint: or give this one another name',
        '',
      ].join('\n'),
    )
    expect(readFile(FILES.user)).toBe(before)
  })

  test('a name that is taken in the TOML beside', async () => {
    machine.write({ '~/.config/plugboard/settings.toml': '[mcp_servers.x]\ncommand = "npx"\n' })
    const { stderr } = await run('add', 'x', '--', 'uvx')
    expect(stderr).toContain('error: Server "x" already exists in ~/.config/plugboard/settings.toml\n')
  })

  test.each([
    ['add', ['-s', 'project', '-e', 'API_KEY=hunter2', 'x', 'npx'], 'env.API_KEY'],
    ['add', ['-s', 'project', '--token', 'hunter2', 'x', 'https://x.test'], 'headers.Authorization'],
    ['add', ['-s', 'project', 'x', 'npx', '--api-key', 'hunter2'], 'args'],
    ['add-json', ['-s', 'project', 'x', '{"command":"npx","env":{"A":"ghp_0123456789abcdef"}}'], 'env.A'],
  ])('a secret for a repository, where nobody can be asked: %s %j', async (command, args, field) => {
    const { code, stderr } = await run(command, ...args)
    expect(code).toBe(2)
    expect(stderr).toContain('error: this would put what looks like a secret into a file of the repository\n')
    expect(stderr).toContain(`what: ${field}\n`)
    expect(stderr).toContain('`${NAME}`')
    expect(stderr).not.toContain('hunter2')
    expect(() => entries('project')).toThrow('ENOENT')
  })

  test.each([
    ['a variable', '${API_KEY}'],
    ['the name of one', 'ACME_API_KEY'],
    ['a command', '!pass show acme'],
  ])('no %s for a repository', async (_, value) => {
    expect((await run('add', '-s', 'project', '--no-check', '-e', `API_KEY=${value}`, 'x', 'npx')).code).toBe(
      0,
    )
  })
})

describe('at the same time', () => {
  test('each of ten that add different servers has its own; of ten that add the same, one', async () => {
    const different = Array.from({ length: 10 }, (_, i) =>
      run('add', `s${i}`, '--no-check', '--', 'npx', String(i)),
    )
    const same = Array.from({ length: 10 }, (_, i) =>
      run('add', 'same', '--no-check', '--', 'npx', String(i)),
    )
    const codes = (await Promise.all([...different, ...same])).map(({ code }) => code)
    expect(codes.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 0))
    expect(codes.slice(10).toSorted()).toEqual([0, ...Array.from({ length: 9 }, () => 2)])
    expect(Object.keys(entries() as object).toSorted()).toEqual([
      ...Array.from({ length: 10 }, (_, i) => `s${i}`),
      'same',
    ])
  })
})

describe('on a terminal', () => {
  const env = (): Readonly<Record<string, string>> => ({
    PATH: `${machine.at('~/bin')}:${machine.bin}:${process.env['PATH']}`,
  })

  test('add alone asks for everything', async () => {
    const { code, text } = await runInTerminal(machine, 'plugboard add', {
      columns: 80,
      env: env(),
      answers: [
        { when: 'What is the server to be called?', keys: `good${KEYS.enter}` },
        { when: 'How does one get to it?', keys: KEYS.enter },
        { when: 'Which command starts it?', keys: `mcp-good "a b"${KEYS.enter}` },
        { when: '◆  A variable for it', keys: `API_KEY=hunter2${KEYS.enter}` },
        // The mark of a question that waits: the one before, answered, says the same.
        { when: '◆  A variable for it', keys: KEYS.enter },
        { when: 'Who is it for?', keys: KEYS.enter },
        { when: 'Add it?', keys: KEYS.enter },
      ],
    })
    expect({ code, text }).toMatchObject({
      code: 0,
      text: expect.stringContaining('runs      mcp-good "a b"'),
    })
    expect(text).toContain('2 tools: echo, slow')
    expect(entries()).toEqual({
      good: { type: 'stdio', command: 'mcp-good', args: ['a b'], env: { API_KEY: 'hunter2' } },
    })
  })

  test('a token is not shown while it is typed', async () => {
    const { code, text } = await runInTerminal(machine, 'plugboard add --no-check', {
      columns: 80,
      env: env(),
      answers: [
        { when: 'What is the server to be called?', keys: `web${KEYS.enter}` },
        { when: 'How does one get to it?', keys: KEYS.down + KEYS.enter },
        { when: 'What is its address?', keys: `https://x.test/mcp${KEYS.enter}` },
        { when: 'Which transport does it speak?', keys: KEYS.down + KEYS.enter },
        { when: 'A token to send to it', keys: `hunter2${KEYS.enter}` },
        { when: 'A header to send to it', keys: KEYS.enter },
        { when: 'Who is it for?', keys: KEYS.enter },
        { when: 'Add it?', keys: KEYS.enter },
      ],
    })
    expect({ code, isShown: text.includes('hunter2') }).toEqual({ code: 0, isShown: false })
    expect(entries()).toEqual({
      web: { type: 'http', url: 'https://x.test/mcp', headers: { Authorization: 'Bearer hunter2' } },
    })
  })

  test.each(['escape', 'interrupt'] as const)('%s adds nothing', async (key) => {
    const { code } = await runInTerminal(machine, 'plugboard add', {
      columns: 80,
      answers: [{ when: 'What is the server to be called?', keys: KEYS[key] }],
    })
    expect(code).toBe(130)
    expect(() => entries()).toThrow('ENOENT')
  })

  test.each([
    ['no', KEYS.enter, 5],
    ['yes', KEYS.down + KEYS.enter, 0],
  ])('a secret for a repository is asked about: %s', async (_, keys, expected) => {
    const line = 'plugboard add -s project --no-check -e API_KEY=hunter2 x npx'
    const answers = [{ when: 'Write what looks like a secret into the repository?', keys }]
    const { code, text } = await runInTerminal(machine, line, { columns: 80, answers })
    expect({ code, isShown: text.includes('hunter2') }).toEqual({ code: expected, isShown: false })
    if (expected === 0) expect(entries('project')).toHaveProperty('x')
    else expect(() => entries('project')).toThrow('ENOENT')
  })
})
