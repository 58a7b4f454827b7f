/**
 * The commands that connect, as their users run them: the built command, real servers, a home of its own.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openMachine, type Machine, type Ran } from '../../processes/plugboard.ts'
import { runInTerminal } from '../../processes/terminal.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const server = (program: string, more: object = {}): object => ({
  command: process.execPath,
  args: [at(`../../servers/${program}.mjs`)],
  ...more,
})
const everything = {
  command: process.execPath,
  args: [at('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js')],
}

let machine: Machine
beforeAll(() => {
  machine = openMachine({
    '~/.config/plugboard/mcp.json': {
      mcpServers: {
        good: server('well-behaved'),
        bad: server('bad-tools'),
        odd: server('odd-schemas'),
        dies: server('dies-in-handshake'),
        missing: { command: 'no-such-program' },
        hangs: server('never-answers', { startupTimeout: 400 }),
        leaky: server('leaks-secret', { env: { API_TOKEN: 'MY_TOKEN' } }),
        everything,
      },
    },
    './.mcp.json': { mcpServers: { shop: { command: 'shop' } } },
  })
})
afterAll(() => machine[Symbol.dispose]())

/** Without what differs from run to run and from machine to machine. */
function normalise({ stdout, stderr, code }: Ran): { code: number; stdout: string; stderr: string } {
  const clean = (text: string): string =>
    machine
      .shorten(text)
      .replaceAll(process.execPath, 'node')
      .replaceAll(at('../../servers'), 'servers')
      .replaceAll(/ *\d+(?:\.\d+)? m?s(?= |$|,|\))/gm, ' <time>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<date>')
  return { code, stdout: clean(stdout), stderr: clean(stderr) }
}

const run = async (...args: string[]): Promise<ReturnType<typeof normalise>> =>
  normalise(await machine.run(args))

describe('test', () => {
  test('shows each stage of a server that works', async () => {
    const { code, stdout, stderr } = await run('test', 'good')
    expect(stdout).toBe(
      [
        'good   ~/.config/plugboard/mcp.json:1:16   (Plugboard, user scope)',
        '  ok      resolve <time>',
        '  ok      start <time>',
        '  ok      negotiate <time>   revision 2025-11-25 (legacy), test-server 1.0.0',
        '  ok      list <time>   2 tools, 0 resources, 0 prompts',
        'ready in <time>',
        '',
      ].join('\n'),
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  test('says what failed, where, with its last words, and what to do', async () => {
    const { code, stdout, stderr } = await run('test', 'dies')
    expect(code).toBe(1)
    expect(stdout).toContain('failed  negotiate')
    expect(stderr).toMatch(
      /^error: Failed to connect to "dies": the process exited with code 3 after <time>, before it answered\n {2}--> ~\/.config\/plugboard\/mcp.json:1:\d+ {3}\(Plugboard, user scope, server `dies`\)\n {2}ran `node servers\/dies-in-handshake.mjs`\n {2}the last lines it wrote:\n {4}fatal: no licence\n\nhint: to see all it wrote, run `plugboard logs dies`\n$/,
    )
  })

  test.each([
    ['missing', 'Failed to connect to "missing": its command was not found', 'on your PATH'],
    ['hangs', 'Failed to connect to "hangs": no answer after <time> (while it started)', '`startupTimeout`'],
  ])('%s: a named reason and a step to take', async (name, reason, step) => {
    const { code, stderr } = await run('test', name)
    expect(code).toBe(1)
    expect(stderr).toContain(reason)
    expect(stderr).toContain(step)
  })

  test('a server of an unapproved repository is not started, and the way to approve it is named', async () => {
    const { code, stderr } = await run('test', 'shop')
    expect(code).toBe(2)
    expect(stderr).toContain('`shop` cannot be connected: it is untrusted')
    expect(stderr).toContain('run `plugboard trust`')
  })

  test('a name nobody has is a usage error with a guess', async () => {
    const { code, stderr } = await run('test', 'goood')
    expect(code).toBe(2)
    expect(stderr).toContain('no server is named `goood`')
    expect(stderr).toContain('did you mean `good`?')
  })

  test('a list that takes more than half of the startup time is waited for', async () => {
    const slow = server('slow-list', { startupTimeout: 6000 }) as { args: string[] }
    slow.args.push('--ms', '3200')
    using own = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: { slow } } })
    const { code, stdout, stderr } = await own.run(['test', 'slow'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('2 tools')
  })

  test.each([
    ['~/.xcsh/mcp.json', 'timeout'],
    ['~/.config/plugboard/mcp.json', 'startupTimeout'],
  ])('%s: of a server that is late, the field to raise is the one of that file', async (file, field) => {
    const hangs = server('never-answers', { [field]: 300 })
    using own = openMachine({ [file]: { mcpServers: { hangs } } })
    const { stderr } = await own.run(['test', 'hangs'])
    expect(stderr).toContain(
      `hint: if it is only slow to start, raise \`${field}\` (milliseconds) in its entry`,
    )
  })

  test('--json has the shape that scripts rely on', async () => {
    const good = (await machine.json(['test', 'good'])) as {
      stages: { name: string; ok: boolean; ms: number }[]
    }
    expect({ ...good, stages: good.stages.map(({ name, ok }) => [name, ok]) }).toEqual({
      server: 'good',
      state: 'ready',
      era: 'legacy',
      version: '2025-11-25',
      stages: [
        ['resolve', true],
        ['start', true],
        ['negotiate', true],
        ['list', true],
      ],
      tools: 2,
      resources: 0,
      prompts: 0,
      quarantined: [],
      warnings: [],
    })
    const dies = (await machine.json(['test', 'dies'])) as { state: string; problem: { code: string } }
    expect([dies.state, dies.problem.code]).toEqual(['failed', 'connect/exit'])
  })
})

describe('tools', () => {
  test('of one server, with those in quarantine and the reason', async () => {
    const { code, stdout } = await run('tools', 'bad')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^SERVER {2}TOOL {12}DESCRIPTION\nbad {5}echo/)
    expect(stdout).toContain('9 tools in quarantine:')
    expect(stdout).toContain('bad no_schema: it has no `inputSchema`')
  })

  test('have the names a model sees, in JSON, with nothing else on stdout', async () => {
    const { tools } = (await machine.json(['tools', 'good'])) as { tools: object[] }
    expect(tools.map((tool) => ({ ...tool, inputSchema: null, description: null }))).toEqual([
      {
        name: 'mcp__good__echo',
        annotations: { readOnlyHint: true },
        server: 'good',
        tool: 'echo',
        inputSchema: null,
        description: null,
      },
      { name: 'mcp__good__slow', server: 'good', tool: 'slow', inputSchema: null, description: null },
    ])
  })

  test('with --wait fails when a server is not ready, and --deadline ends the wait', async () => {
    const ran = await machine.run(['tools', '--wait', '--deadline', '3000', '--json'])
    expect(ran.code).toBe(1)
    const { readiness } = JSON.parse(ran.stdout) as {
      readiness: { ok: boolean; servers: { name: string; state: string }[] }
    }
    const states = Object.fromEntries(readiness.servers.map(({ name, state }) => [name, state]))
    expect(states).toMatchObject({ good: 'ready', everything: 'ready', missing: 'failed' })
    expect(states['dies']).toMatch(/^(?:waiting|failed|connecting)$/)
  })

  test('tell of a server that is still starting, and of which nothing is known', async () => {
    using slow = openMachine({
      '~/.config/plugboard/mcp.json': {
        mcpServers: { good: server('well-behaved'), hangs: server('never-answers') },
      },
    })
    const ran = await slow.run(['tools', '--deadline', '1500'])
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/^SERVER +TOOL/)
    expect(ran.stderr).toMatch(
      /^warning: `hangs` is not ready after \d+ ms, and what it offers is not here\n\nhint: /,
    )
    expect(await slow.json(['tools', '--deadline', '1500'])).toMatchObject({
      problems: [{ code: 'connect/not-ready' }],
      readiness: {
        ok: true,
        servers: [{ name: 'good' }, { name: 'hangs', state: 'connecting', absence: 'slow' }],
      },
    })
  })

  test('wait in full again for one whose values nobody gave in time', async () => {
    using locked = openMachine({
      '~/.config/plugboard/mcp.json': {
        mcpServers: { vault: server('well-behaved', { env: { TOKEN: '!sleep 60' }, startupTimeout: 1500 }) },
      },
    })
    for (const _ of ['the first time', 'the second'])
      expect(await locked.json(['tools'])).toMatchObject({
        problems: [{ code: 'connect/timeout' }],
        readiness: { servers: [{ name: 'vault', absence: 'failed' }] },
      })
  })

  test('--schema shows what they take, and --provider who is kept back', async () => {
    const { code, stdout } = await run('tools', 'odd', '--schema', '--provider', 'gemini')
    expect(code).toBe(0)
    expect(stdout).toBe(
      [
        'odd echo   mcp__odd__echo',
        'Returns the text unchanged.',
        'ARGUMENT  TYPE              DESCRIPTION',
        'text      string, required',
        '',
        'odd slow   mcp__odd__slow',
        'Answers `done` after `ms` milliseconds, unless it is cancelled.',
        'ARGUMENT  TYPE     DESCRIPTION',
        'ms        integer',
        '',
        'odd plain   mcp__odd__plain',
        'Takes plain.',
        'ARGUMENT  TYPE                DESCRIPTION',
        'query     string, required    what to look for',
        'state     "open" or "closed"',
        'filters   list of object',
        '  key     string, required',
        '  value   string or number',
        '',
        'odd forms   mcp__odd__forms',
        'Takes forms.',
        'ARGUMENT  TYPE     DESCRIPTION',
        'id        integer',
        'name      string',
        '',
        'odd angles   mcp__odd__angles',
        'Takes angles.',
        'ARGUMENT  TYPE    DESCRIPTION',
        'from<     string',
        '',
        'odd nothing   mcp__odd__nothing',
        'Takes nothing.',
        'takes no arguments',
        '',
        '1 tool in quarantine:',
        '  odd tree: its schema refers to itself (`#/$defs/node`) where that cannot be said',
        '',
      ].join('\n'),
    )
  })

  test('--schema without a provider shows them as they came, with what they refer to', async () => {
    const { stdout } = await run('tools', 'odd', '--schema')
    expect(stdout).toContain('query     string (uri), required  what to look for')
    expect(stdout).toContain('root        node\nnode:       object\n  children  list of node\n')
    expect(stdout).not.toContain('quarantine')
  })

  test('--provider gives schemas that fit, in JSON, and the reason for those that do not', async () => {
    const { tools } = (await machine.json(['tools', 'odd', '--provider', 'anthropic'])) as {
      tools: { name: string; inputSchema: unknown; quarantined?: string }[]
    }
    const find = (name: string): unknown => tools.find((tool) => tool.name === name)
    expect(find('mcp__odd__forms')).toMatchObject({
      inputSchema: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } },
    })
    expect(find('mcp__odd__nothing')).toMatchObject({ inputSchema: { type: 'object', properties: {} } })
    expect(find('mcp__odd__angles')).toEqual({
      name: 'mcp__odd__angles',
      server: 'odd',
      tool: 'angles',
      inputSchema: null,
      quarantined:
        'anthropic does not take its argument `from<`: a name has 1 to 64 letters, digits, `_`, `.` or `-`',
    })
  })

  test('a provider that nobody knows is a usage error with a guess, and nothing is started', async () => {
    const { code, stdout, stderr } = await run('tools', '--provider', 'gemni')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toBe('error: there is no provider `gemni`\n\nhint: did you mean `gemini`?\n')
    expect((await run('tools', '--provider', 'acme')).stderr).toContain(
      'hint: one of: anthropic, openai, openai-strict, gemini, moonshot, none',
    )
  })

  test('a deadline that is no number is a usage error', async () => {
    const { code, stderr } = await run('tools', '--deadline', 'soon')
    expect(code).toBe(2)
    expect(stderr).toContain('`--deadline` must be a number of milliseconds, but is `soon`')
  })
})

describe('resources and prompts', () => {
  test('are listed, read and filled in', async () => {
    const { stdout: resources } = await run('resources', 'everything')
    expect(resources).toContain('demo://resource/static/document/features.md')
    expect(resources).toContain('demo://resource/dynamic/text/{resourceId}')
    const { stdout: text } = await run('read', 'everything', 'demo://resource/static/document/features.md')
    expect(text).toMatch(/^# Everything Server - Features\n/)
    const { stdout: prompts } = await run('prompts', 'everything')
    expect(prompts).toMatch(/args-prompt +city \[state\]/)
    const { stdout: prompt } = await run('prompt', 'everything', 'args-prompt', 'city=Bern')
    expect(prompt).toBe("user: What's weather in Bern?\n")
  })

  test('a template is filled in, from values that are encoded', async () => {
    const template = 'demo://resource/dynamic/text/{resourceId}'
    const { stdout } = await run('read', 'everything', template, 'resourceId=7')
    expect(stdout).toMatch(/^Resource 7: This is a plaintext resource/)
    expect(await machine.json(['read', 'everything', template, 'resourceId=7'])).toMatchObject({
      uri: 'demo://resource/dynamic/text/7',
    })
  })

  test.each([
    [
      'a template without a value',
      ['read', 'everything', 'demo://resource/dynamic/text/{resourceId}'],
      2,
      [
        '`demo://resource/dynamic/text/{resourceId}` is a template, and `resourceId` is not filled in',
        'hint: add `resourceId=…` to the command',
      ],
    ],
    [
      'a variable that a template does not have',
      ['read', 'everything', 'demo://resource/dynamic/text/{resourceId}', 'resourceID=7', 'resuorceId=8'],
      2,
      ['has no variable `resourceID`', 'hint: did you mean `resourceId`?'],
    ],
    [
      'values for what is no template',
      ['read', 'everything', 'demo://resource', 'a=7'],
      2,
      ['`demo://resource` has no variables to fill in'],
    ],
    [
      'a wrong URI',
      ['read', 'everything', 'demo://resource/static/document/feature.md'],
      1,
      [
        '`everything` refused `resources/read`',
        'hint: did you mean `demo://resource/static/document/features.md`?',
        'hint: to see what it has to read, run `plugboard resources everything`',
      ],
    ],
    [
      'a wrong prompt',
      ['prompt', 'everything', 'arg-prompt'],
      1,
      ['hint: did you mean `args-prompt`?', 'run `plugboard prompts everything`'],
    ],
    [
      'a wrong argument of a prompt',
      ['prompt', 'everything', 'args-prompt', 'cty=Bern'],
      1,
      ['hint: did you mean `city`?', 'hint: add `city=…`, which it needs'],
    ],
  ])('%s is told with what to do', async (_, args, code, words) => {
    const ran = await run(...args)
    expect(ran.code).toBe(code)
    for (const one of words) expect(ran.stderr).toContain(one)
  })

  test.each([
    [{ rules: [{ tool: 'mcp__everything', action: 'deny' }] }, 'policy'],
    [{ rules: [{ tool: '{readMcpResource,getMcpPrompt}', action: 'deny' }] }, 'policy'],
    [{ mode: 'plan' }, 'plan mode'],
  ])('what is denied to a model is denied to a person: %j', async (permissions, who) => {
    using other = openMachine({
      '~/.config/plugboard/settings.json': `{\n"permissions":\n${JSON.stringify(permissions)}}`,
      '~/.config/plugboard/mcp.json': { mcpServers: { everything: server('never-answers') } },
    })
    for (const [args, what] of [
      [['read', 'everything', 'demo://a'], 'resources'],
      [['prompt', 'everything', 'simple-prompt'], 'prompts'],
    ] as const) {
      const ran = await other.run([...args])
      expect(ran.code).toBe(5)
      expect(ran.stderr).toContain(`error: ${who} does not allow ${what} of \`everything\``)
      expect(ran.stderr).toContain('settings.json:3:')
    }
  })

  test.each([
    ['read', ['read', 'everything', 'demo://nothing'], 1, '`everything` refused `resources/read`'],
    ['prompt', ['prompt', 'everything', 'args-prompt', 'city'], 2, '`city` is not of the form name=value'],
    ['prompt', ['prompt', 'everything', 'nothing'], 1, '`everything` refused `prompts/get`: error -32602'],
  ])('%s: what the server refuses is told', async (_, args, code, words) => {
    const ran = await run(...args)
    expect(ran.code).toBe(code)
    expect(ran.stderr).toContain(words)
  })
})

describe('list', () => {
  test('--check tells of each server as soon as it is known, and sums up', async () => {
    const { code, stdout, stderr } = await run('list', '--check')
    expect(code).toBe(1)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.at(-1)).toBe('5 of 8 servers ready')
    expect(lines.slice(0, 8).toSorted()).toEqual([
      'failed      dies <time>',
      'failed      hangs <time>',
      'failed      missing <time>',
      'ready       bad         5 tools, <time>',
      'ready       everything  12 tools, <time>',
      'ready       good        2 tools, <time>',
      'ready       leaky       3 tools, <time>',
      'ready       odd         7 tools, <time>',
    ])
    expect(stderr.match(/^error: /gm)).toHaveLength(3)
  })

  test('shows afterwards how each was last seen, and starts nothing', async () => {
    const { stdout } = await run('list')
    expect(stdout).toMatch(/^NAME .* FATE +LAST SEEN +FILE$/m)
    expect(stdout).toMatch(/^good .* chosen +2 tools, <time> ago/m)
    expect(stdout).toMatch(/^dies .* chosen +failed, <time> ago/m)
    expect(stdout).toMatch(/^shop .* untrusted +\.\/\.mcp\.json/m)
    const { servers } = (await machine.json(['list'])) as {
      servers: { name: string; state?: string; tools?: number }[]
    }
    expect(servers.find(({ name }) => name === 'good')).toMatchObject({ state: 'ready', tools: 2 })
  })

  test('takes one line for each in a terminal of 80 columns', async () => {
    using other = openMachine({
      '~/.config/Claude/claude_desktop_config.json': {
        mcpServers: { 'Brave Search': server('well-behaved'), github: server('echoes-env') },
      },
      '~/.config/plugboard/mcp.json': {
        mcpServers: { warehouse: server('well-behaved', { env: { LEVEL: '${NOT_SET_ANYWHERE}' } }) },
      },
      './.mcp.json': { mcpServers: { shop: { command: 'shop' } } },
    })
    const rowsOf = async (): Promise<readonly (readonly string[])[]> => {
      const { text } = await runInTerminal(other, 'plugboard list 2>/dev/null', { columns: 80 })
      const rows = text.split('\n\n')[0]!.trimEnd().split('\n')
      expect(rows.filter((row) => row.length > 80)).toEqual([])
      // How much of a file there is room for depends on how long ago it was.
      return rows.map((row) =>
        row
          .replace(/ \d+ s(?= ago)/, ' 0 s')
          .replace(/….*(?=.{11}$)/, '…')
          .split(/ {2,}/),
      )
    }
    // Nothing is remembered yet, and there is room for all columns.
    expect((await rowsOf())[0]).toEqual(['NAME', 'TRANSPORT', 'SCOPE', 'SOURCE', 'FATE', 'FILE'])
    await other.run(['list', '--check'])
    expect(await rowsOf()).toEqual([
      ['NAME', 'FATE', 'LAST SEEN', 'FILE'],
      ['Brave Search', 'chosen', '2 tools, 0 s ago', '…nfig.json:1'],
      ['github', 'chosen', '3 tools, 0 s ago', '…nfig.json:1'],
      ['shop', 'untrusted', './.mcp.json:1'],
      ['warehouse', 'chosen', '2 tools, 0 s ago, 1 value missing', '…/mcp.json:1'],
    ])
  })

  test('--check on a terminal ends with a clean last line', async () => {
    const { text } = await runInTerminal(machine, 'plugboard list --check 2>/dev/null', { columns: 80 })
    expect(text).toContain('ready       good')
    expect(text).toContain('5 of 8 servers ready')
  })
})

describe('secrets', () => {
  test('a token from the environment is nowhere in what a server writes', async () => {
    const env = { MY_TOKEN: 'tok-4f9a8b7c6d5e' }
    await machine.run(['test', 'leaky'], { env })
    const { stdout } = await machine.run(['logs', 'leaky'], { env })
    expect(stdout).toContain('‹secret›')
    expect(stdout).not.toContain('tok-4f9a8b7c6d5e')
  })
})

describe('logs', () => {
  test('has what the server wrote and how it came and went', async () => {
    const { code, stdout } = await run('logs', 'dies')
    expect(code).toBe(0)
    expect(stdout).toContain('<date> stderr fatal: no licence')
    expect(stdout).toContain('<date> event connecting')
  })

  test('of a server that never ran says how to run it', async () => {
    const { code, stderr } = await run('logs', 'shop')
    expect(code).toBe(2)
    expect(stderr).toContain('`shop` has written nothing yet')
  })

  test('-f goes on with what is added', async () => {
    const file = ((await machine.json(['logs', 'good'])) as { file: string }).file
    mkdirSync(file.replace(/\/[^/]*$/, ''), { recursive: true })
    const answers = [{ when: 'waiting for more', keys: '\u0003' }]
    writeFileSync(file, 'first line\n')
    const script = `(sleep 0.5; echo 'waiting for more' >> '${file}') & plugboard logs good -f`
    const { text } = await runInTerminal(machine, script, { columns: 80, answers })
    expect(text).toContain('first line')
    expect(text).toContain('waiting for more')
  })

  test('-f --json goes on as well, an object a line', async () => {
    const { file } = (await machine.json(['logs', 'good'])) as { readonly file: string }
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '2026-01-01T00:00:00.000Z stderr {"first"}\n')
    const child = spawn(join(machine.bin, 'plugboard'), ['logs', 'good', '-f', '--json'], {
      cwd: machine.project,
      env: { PATH: process.env['PATH'], HOME: machine.home },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const closed = once(child, 'close')
    // Whatever becomes of the test, it would go on for ever.
    onTestFinished(async () => {
      child.kill()
      await closed
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value as string)
    expect(await next()).toEqual({
      server: 'good',
      at: '2026-01-01T00:00:00.000Z',
      kind: 'stderr',
      text: '{"first"}',
    })
    appendFileSync(file, '2026-01-01T00:00:01.000Z event ready\nof unknown make \u001b[2J\n')
    expect(await next()).toEqual({
      server: 'good',
      at: '2026-01-01T00:00:01.000Z',
      kind: 'event',
      text: 'ready',
    })
    expect(await next()).toEqual({ server: 'good', text: 'of unknown make \u001b[2J' })
  })
})
