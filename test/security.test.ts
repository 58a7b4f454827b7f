/**
 * security: what a cloned repository cannot do, what an approval is worth, and where secrets never appear. All of it
 * with the real command.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { declareAt, PROJECT_PLACES, USER_PLACES, type Entry } from './processes/places.ts'
import { openMachine, putPrograms, type Files, type Machine } from './processes/plugboard.ts'

interface EntryJson {
  readonly name: string
  readonly scope: string
  readonly fate: { readonly kind: string; readonly reason?: string; readonly changed?: readonly object[] }
}

interface ListJson {
  readonly servers: readonly EntryJson[]
  readonly problems: readonly { readonly message: string }[]
}

async function list(machine: Machine, options: Parameters<Machine['run']>[1] = {}): Promise<ListJson> {
  return (await machine.json(['list', '--all'], options)) as ListJson
}

/** Fates by name, of the servers in one scope. */
function fatesIn({ servers }: ListJson, scope: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    servers.filter((one) => one.scope === scope).map(({ name, fate }) => [name, fate.kind]),
  )
}

describe('a cloned repository leaves the servers of its user alone', () => {
  const own = Object.fromEntries(USER_PLACES.map(({ source }) => [source, { command: `own-${source}` }]))
  const names = Object.keys(own)
  const home: Files = Object.assign(
    {},
    ...USER_PLACES.map((place) => declareAt(place, { [place.source]: own[place.source]! })),
  )
  const allChosen = Object.fromEntries(names.map((name) => [name, 'chosen']))

  function fatesOfUser(listed: ListJson): Readonly<Record<string, string>> {
    return { ...fatesIn(listed, 'user'), ...fatesIn(listed, 'plugin') }
  }

  test('which all run when there is nothing in the way', async () => {
    using machine = openMachine(home)
    expect(fatesOfUser(await list(machine))).toEqual(allChosen)
  })

  const impostors: Readonly<Record<string, Entry>> = {
    'the same name': { command: 'evil' },
    'the same server': { command: 'own-cursor' },
    'a broken entry': { command: 5 },
    'a disabled entry': { command: 'evil', enabled: false, disabled: true },
    'an address': { url: 'https://evil.test/mcp' },
  }
  for (const [what, impostor] of Object.entries(impostors)) {
    test.each(PROJECT_PLACES)(`whatever $file says: ${what}`, async (place) => {
      using machine = openMachine({
        ...home,
        ...declareAt(place, Object.fromEntries(names.map((name) => [name, impostor]))),
      })
      const listed = await list(machine)
      expect(fatesOfUser(listed)).toEqual(allChosen)
      const theirs = fatesIn(listed, 'project')
      expect(Object.keys(theirs).toSorted()).toEqual(names.toSorted())
      expect(new Set(Object.values(theirs))).toEqual(new Set([theirs[names[0]!]]))
      expect(['untrusted', 'unsupported']).toContain(theirs[names[0]!])
    })
  }

  const everything = [...names, '*']
  const off = Object.fromEntries(names.map((name) => [name, { enabled: false }]))
  const toml = (lines: readonly string[]): string => `${lines.join('\n')}\n`
  const lists: readonly (readonly [file: string, content: string | object])[] = [
    ['./.plugboard/settings.json', { enabled: false }],
    ['./.plugboard/settings.json', { sources: Object.fromEntries(names.map((name) => [name, false])) }],
    ['./.plugboard/settings.json', { deniedMcpServers: everything }],
    ['./.plugboard/settings.json', { deniedMcpServers: 5 }],
    ['./.plugboard/settings.json', { deniedMcpServers: [{ serverCommand: '*' }, { serverUrl: '*' }] }],
    ['./.plugboard/settings.json', { allowedMcpServers: ['nothing'] }],
    ['./.plugboard/settings.json', { connectors: [{ url: 'https://evil.test/' }] }],
    ['./.plugboard/settings.json', { plugins: { kit: false } }],
    ['./.plugboard/settings.json', { pluginServersOnly: true }],
    ['./.plugboard/settings.json', { disabledServers: everything, enabledServers: [] }],
    [
      './.plugboard/settings.json',
      { security: { mcp_server_allowlist: ['nothing'], mcp_server_denylist: everything } },
    ],
    ['./.plugboard/settings.json', '{ "deniedMcpServers": ['],
    ['./.plugboard/settings.toml', 'enabled = false\ndisabledServers = ["*"]\npluginServersOnly = true\n'],
    [
      './.plugboard/settings.toml',
      toml(['[security]', `mcp_server_denylist = ${JSON.stringify(everything)}`]),
    ],
    ['./.plugboard/settings.toml', 'deniedMcpServers = ['],
    ['./.plugboard/managed-mcp.json', { mcpServers: { theirs: { command: 'evil' } } }],
    ['./managed-mcp.json', { mcpServers: { theirs: { command: 'evil' } } }],
    ['./.xcsh/mcp.json', { mcpServers: {}, disabledServers: everything }],
    ['./.omp/mcp.json', { mcpServers: {}, disabledServers: everything }],
    ['./.agent/settings.toml', toml(['[security]', `mcp_server_denylist = ${JSON.stringify(everything)}`])],
    ['./.agent/settings.toml', toml(['[security]', 'mcp_server_allowlist = ["nothing"]'])],
    [
      './.agent/settings.local.toml',
      toml(['[security]', `mcp_server_denylist = ${JSON.stringify(everything)}`]),
    ],
    ['./.agent/settings.local.toml', toml(['[security]', 'mcp_server_allowlist = ["nothing"]'])],
    ...['./.claude/settings.json', './.claude/settings.local.json'].map(
      (file) =>
        [
          file,
          {
            disabledMcpjsonServers: everything,
            disabledMcpServers: everything,
            deniedMcpServers: names.map((serverName) => ({ serverName })),
            allowedMcpServers: [],
            enabledPlugins: { kit: false },
          },
        ] as const,
    ),
    ['./.gemini/settings.json', { mcp: { excluded: everything } }],
    ['./.gemini/settings.json', { mcp: { allowed: ['nothing'] } }],
    ['./.gemini/settings.json', { excludeMCPServers: everything, allowMCPServers: ['nothing'] }],
    ['./.gemini/settings.json', { admin: { mcp: { enabled: false } } }],
    ['./opencode.json', { mcp: off }],
    ['./.opencode/opencode.json', { mcp: off }],
    ['./.github/copilot/settings.json', { disabledMcpServers: everything }],
    ['./.github/copilot/settings.local.json', { disabledMcpServers: everything }],
    ['./.vscode/settings.json', { 'chat.mcp.access': 'none', mcp: { servers: {} } }],
  ]
  test.each(lists)('whatever %s turns off: %j', async (file, content) => {
    using machine = openMachine({ ...home, [file]: content })
    expect(fatesOfUser(await list(machine))).toEqual(allChosen)
  })

  test('and is told what of its settings is ignored, and why', async () => {
    const settings = {
      enabled: false,
      sources: { cursor: false },
      projectConfig: false,
      connectors: [],
      plugins: {},
      allowedMcpServers: ['x'],
      pluginServersOnly: true,
      disabledServers: ['x'],
      enabledServers: ['x'],
      security: { mcp_server_allowlist: ['x'] },
    }
    using machine = openMachine({ './.plugboard/settings.json': settings })
    const { problems } = await list(machine)
    const ignored = [...Object.keys(settings).filter((key) => key !== 'security'), 'mcp_server_allowlist']
    expect(problems.map(({ message }) => message)).toEqual(
      ignored.map((key) => `\`${key}\` is ignored here: settings in a repository can only tighten`),
    )
  })

  test('its own deny rules count once its user approved something of it, and name their author', async () => {
    using machine = openMachine({
      ...home,
      './.plugboard/settings.json': { deniedMcpServers: ['cursor'] },
      './.mcp.json': { mcpServers: { theirs: { command: 'theirs' } } },
    })
    await machine.run(['trust', 'approve', 'theirs', '--yes'])
    expect(await machine.json(['get', 'cursor'])).toMatchObject({
      fate: {
        kind: 'denied',
        by: { file: machine.at('./.plugboard/settings.json'), line: 1, column: 22, rule: 'cursor' },
        reason: 'a rule in project settings names it',
      },
    })
  })
})

describe('an approval', () => {
  const server: Entry = {
    command: 'tool',
    args: ['--port', '1'],
    env: { LEVEL: 'low', '${X}': '${HOME}' },
  }
  const remote: Entry = {
    type: 'http',
    url: 'https://a.test/mcp',
    headers: { Authorization: 'Bearer ${TOKEN}' },
  }

  function withServers(servers: Readonly<Record<string, Entry>>): Files {
    return { './.mcp.json': { mcpServers: servers } }
  }

  /** An environment in which `tool` is a program. */
  function withTool(machine: Machine): { readonly PATH: string } {
    return { PATH: `${putPrograms(machine, '~/bin', ['tool'])}:${process.env['PATH']}` }
  }

  test('lets a server run, in its project, and nowhere else', async () => {
    using machine = openMachine(withServers({ server }))
    const env = withTool(machine)
    const elsewhere = join(dirname(machine.project), 'elsewhere')
    mkdirSync(join(elsewhere, '.git'), { recursive: true })
    machine.write({ [join(elsewhere, '.mcp.json')]: { mcpServers: { server } } })
    expect(fatesIn(await list(machine, { env }), 'project')).toEqual({ server: 'untrusted' })
    await machine.run(['trust', 'approve', 'server', '--yes'], { env })
    expect(fatesIn(await list(machine, { env }), 'project')).toEqual({ server: 'chosen' })
    expect(fatesIn(await list(machine, { env, cwd: elsewhere }), 'project')).toEqual({ server: 'untrusted' })
  })

  test('belongs to the folder itself, not to a link that led there', async () => {
    using machine = openMachine(withServers({ server }))
    const [link, other] = [join(dirname(machine.project), 'link'), join(dirname(machine.project), 'other')]
    symlinkSync(machine.project, link)
    // A shell keeps the name of the link in PWD.
    await machine.run(['trust', 'approve', 'server', '--yes'], { cwd: link, env: { PWD: link } })
    expect(fatesIn(await list(machine), 'project')).toEqual({ server: 'chosen' })
    mkdirSync(join(other, '.git'), { recursive: true })
    machine.write({ [join(other, '.mcp.json')]: { mcpServers: { server } } })
    rmSync(link)
    symlinkSync(other, link)
    const there = await list(machine, { cwd: link, env: { PWD: link } })
    expect(fatesIn(there, 'project')).toEqual({ server: 'untrusted' })
  })

  test('is not shared with a server of another name, or with one of that name in another file', async () => {
    using machine = openMachine(withServers({ server }))
    await machine.run(['trust', 'approve', 'server', '--yes'])
    machine.write({
      ...withServers({ server, twin: server }),
      './.cursor/mcp.json': { mcpServers: { server: { ...server, command: 'evil' } } },
    })
    const { servers } = await list(machine)
    expect(servers.map(({ name, fate }) => `${name}: ${fate.kind}`)).toEqual([
      'server: untrusted',
      'server: chosen',
      'twin: untrusted',
    ])
  })

  const changes: readonly (readonly [what: string, before: Entry, after: Entry, shown: readonly string[]])[] =
    [
      [
        'the command',
        server,
        { ...server, command: 'other' },
        ['- command: tool', '+ command: other', '- executable: ~/bin/tool', '+ executable: not found'],
      ],
      [
        'an argument',
        server,
        { ...server, args: ['--port', '2'] },
        ['- args: ["--port","1"]', '+ args: ["--port","2"]'],
      ],
      [
        'the value of a variable',
        server,
        { ...server, env: { ...(server['env'] as object), LEVEL: 'high' } },
        ['~ env.LEVEL: another value, which is not shown'],
      ],
      [
        'a new variable',
        server,
        { ...server, env: { ...(server['env'] as object), LD_PRELOAD: 'x' } },
        ['+ env.LD_PRELOAD: a value that is not shown'],
      ],
      ['the folder it runs in', server, { ...server, cwd: '/' }, ['+ cwd: /']],
      ['a file of variables', server, { ...server, envFile: '.env' }, ['+ envFile: .env']],
      [
        'the URL',
        remote,
        { ...remote, url: 'https://b.test/mcp' },
        ['- url: https://a.test/mcp', '+ url: https://b.test/mcp'],
      ],
      [
        'the value of a header',
        remote,
        { ...remote, headers: { Authorization: 'Bearer ${OTHER}' } },
        [
          '~ header.Authorization: another value, which is not shown',
          '- uses.header.Authorization: ${TOKEN}',
          '+ uses.header.Authorization: ${OTHER}',
        ],
      ],
      [
        'a header that goes',
        remote,
        { type: 'http', url: 'https://a.test/mcp' },
        ['- header.Authorization: a value that is not shown', '- uses.header.Authorization: ${TOKEN}'],
      ],
      [
        'a command for headers',
        remote,
        { ...remote, headersHelper: 'print-headers' },
        ['+ headersHelper: print-headers'],
      ],
      ['its kind', remote, { ...remote, type: 'sse' }, ['- type: http', '+ type: sse']],
    ]
  test.each(changes)('ends when %s changes, and the question shows it', async (_, before, after, shown) => {
    using machine = openMachine({ './.plugboard/mcp.json': { mcpServers: { server: before } } })
    const env = withTool(machine)
    await machine.run(['trust', 'approve', 'server', '--yes'], { env })
    machine.write({ './.plugboard/mcp.json': { mcpServers: { server: after } } })
    const [entry] = (await list(machine, { env })).servers
    expect(entry!.fate).toMatchObject({ kind: 'untrusted', reason: 'it changed since you approved it' })
    expect(entry!.fate.changed!.length).toBeGreaterThan(0)
    const { stdout } = await machine.run(['trust', 'approve', 'server', '--yes'], { env })
    const lines = machine.shorten(stdout).split('\n')
    const from = lines.indexOf('  changed since you decided:')
    expect(lines.slice(from + 1, lines.indexOf('', from)).map((line) => line.trim())).toEqual(shown)
    expect(fatesIn(await list(machine, { env }), 'project')).toEqual({ server: 'chosen' })
  })

  test('ends when another program of that name comes first on PATH', async () => {
    using machine = openMachine(withServers({ server }))
    const env = withTool(machine)
    await machine.run(['trust', 'approve', 'server', '--yes'], { env })
    const inFront = { PATH: `${putPrograms(machine, './node_modules/.bin', ['tool'])}:${env.PATH}` }
    const [entry] = (await list(machine, { env: inFront })).servers
    expect(entry!.fate.kind).toBe('untrusted')
    expect(entry!.fate.changed).toEqual([
      { field: 'executable', was: machine.at('~/bin/tool'), is: machine.at('./node_modules/.bin/tool') },
    ])
    expect(fatesIn(await list(machine, { env }), 'project')).toEqual({ server: 'chosen' })
  })

  test('that was declined stays declined, until the server changes or the user resets it', async () => {
    using machine = openMachine(withServers({ server }))
    await machine.run(['trust', 'decline', 'server'])
    expect(fatesIn(await list(machine), 'project')).toEqual({ server: 'declined' })
    const { stdout } = await machine.run(['trust', 'approve', '--all', '--yes'])
    expect(stdout).toBe('nothing waits for your approval in this project\n')
    machine.write(withServers({ server: { ...server, args: [] } }))
    const [entry] = (await list(machine)).servers
    expect(entry!.fate).toMatchObject({ kind: 'untrusted', reason: 'it changed since you declined it' })
    machine.write(withServers({ server }))
    await machine.run(['trust', 'reset', 'server'])
    expect(fatesIn(await list(machine), 'project')).toEqual({ server: 'untrusted' })
  })

  test('is not given by files of the repository, nor by what was clicked in other agents', async () => {
    using machine = openMachine({
      ...withServers({ server }),
      '~/.claude/settings.json': { enableAllProjectMcpServers: true, enabledMcpjsonServers: ['server'] },
      './.claude/settings.json': { enableAllProjectMcpServers: true, enabledMcpjsonServers: ['server'] },
      './.plugboard/settings.json': { enabledServers: ['server'], allowedMcpServers: ['server'] },
    })
    machine.write({
      './.plugboard/trust.json': approvalFor(machine, server),
      './.local/state/plugboard/trust.json': approvalFor(machine, server),
      '~/.x-code/trusted-projects.json': { projects: [machine.project] },
    })
    expect(fatesIn(await list(machine), 'project')).toEqual({ server: 'untrusted' })
    const { stdout } = await machine.run(['trust', 'approve', 'server', '--yes'])
    expect(machine.shorten(stdout)).toContain(
      '  note       enabled in Claude Code (~/.claude/settings.json:1:',
    )
  })
})

/** A record as Plugboard would write it for `.mcp.json`. */
function approvalFor(machine: Machine, server: Entry): object {
  const facts = {
    type: 'stdio',
    command: server['command'],
    executable: 'not found',
    args: JSON.stringify(server['args']),
  }
  return {
    version: 1,
    projects: { [machine.project]: { server: [{ decision: 'approved', at: '2026-11-16', facts }] } },
  }
}

describe('nothing of an unapproved project is run or read', () => {
  const COMMANDS = [
    ['list'],
    ['list', '--all'],
    ['get', 'env'],
    ['get', 'headers'],
    ['explain'],
    ['sources'],
    ['doctor'],
    ['doctor', '--run'],
    ['trust', 'list'],
  ]

  /** A project in which everything that could run leaves a mark, and everything that could be read hangs. */
  function openTrap(): Machine {
    const machine = openMachine()
    const mark = (name: string): string => `touch ${join(machine.project, `ran-${name}`)}`
    const [pipe, script] = [join(machine.project, 'pipe'), join(machine.project, 'run.sh')]
    execFileSync('mkfifo', [pipe])
    const url = 'https://127.0.0.1:1/mcp'
    const ours = {
      mcpServers: {
        env: { command: script, env: { A: `!${mark('env')}` }, envFile: pipe, cwd: machine.project },
        headers: { type: 'http', url, headers: { A: `!${mark('header')}` }, headersHelper: mark('helper') },
      },
    }
    const opencode = {
      mcp: {
        file: { type: 'local', command: [script], environment: { A: `{file:${pipe}}`, B: '{file:./pipe}' } },
      },
    }
    machine.write({
      './run.sh': `#!/bin/sh\n${mark('command')}\n`,
      './.plugboard/mcp.json': ours,
      './.omp/mcp.json': ours,
      './.xcsh/mcp.json': ours,
      './.mcp.json': { mcpServers: { helper: { type: 'http', url, headersHelper: mark('claude') } } },
      './opencode.json': opencode,
      './crush.json': {
        mcp: { crush: { type: 'stdio', command: `$(${mark('crush')})`, env: { A: `$(${mark('crush')})` } } },
      },
      './crushrc': `${mark('crushrc')}\n`,
      './.crushrc': `${mark('crushrc')}\n`,
      './.env': 'A=b\n',
      './.plugboard/settings.json': {
        connectors: [{ url: 'http://127.0.0.1:1/', headers: { A: `!${mark('connector')}` } }],
      },
    })
    chmodSync(script, 0o755)
    return machine
  }

  function marksIn(machine: Machine): readonly string[] {
    return readdirSync(machine.project).filter((name) => name.startsWith('ran-'))
  }

  test.each(COMMANDS.map((args) => [args.join(' '), args] as const))('by %s', async (_, args) => {
    using machine = openTrap()
    const [text, json] = [await machine.run(args), await machine.run([...args, '--json'])]
    expect(text.stdout + text.stderr + json.stderr).not.toContain('bug in Plugboard')
    expect(JSON.parse(json.stdout)).toBeTypeOf('object')
    expect(marksIn(machine)).toEqual([])
  })

  test('and approving runs nothing either; only the doctor, when told to, runs what is approved', async () => {
    using machine = openTrap()
    const { code, stdout } = await machine.run(['trust', 'approve', 'headers', '--yes'])
    expect({ code, marks: marksIn(machine) }).toEqual({ code: 0, marks: [] })
    expect(stdout).toMatch(
      /^  runs for headers +touch .*ran-helper\n  runs for header\.A +touch .*ran-header$/m,
    )
    await machine.run(['doctor'])
    expect(marksIn(machine)).toEqual([])
    // The traps work: this one was approved, and is a value that is a command.
    await machine.run(['doctor', '--run'])
    expect(marksIn(machine)).toEqual(['ran-header'])
  })
})

describe('the record of approvals', () => {
  const STORE = '~/.local/state/plugboard/trust.json'
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const project: Files = {
    './.mcp.json': { mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])) },
  }

  test('is readable by its user alone, and leaves the repository as it was', async () => {
    using machine = openMachine(project)
    const before = readdirSync(machine.project, { recursive: true })
    await machine.run(['trust', 'approve', 'a', '--yes'])
    expect(readdirSync(machine.project, { recursive: true })).toEqual(before)
    expect(statSync(machine.at(STORE)).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(machine.at(STORE))).mode & 0o777).toBe(0o700)
    expect(readdirSync(dirname(machine.at(STORE)))).toEqual(['trust.json'])
  })

  test('stays readable by its user alone when somebody opened it', async () => {
    using machine = openMachine(project)
    await machine.run(['trust', 'approve', 'a', '--yes'])
    chmodSync(machine.at(STORE), 0o644)
    const { stdout } = await machine.run(['doctor'])
    expect(stdout).toContain(`warning: others on this machine can read what only you should: its mode is 644
  --> ~/.local/state/plugboard/trust.json

hint: run \`chmod 600 ${machine.at(STORE)}\`
`)
    await machine.run(['trust', 'approve', 'b', '--yes'])
    expect(statSync(machine.at(STORE)).mode & 0o777).toBe(0o600)
  })

  test('keeps every decision of several that are made at once', async () => {
    using machine = openMachine(project)
    const ran = await Promise.all(names.map((name) => machine.run(['trust', 'approve', name, '--yes'])))
    expect(ran.map(({ code }) => code)).toEqual(names.map(() => 0))
    expect(fatesIn(await list(machine), 'project')).toEqual(
      Object.fromEntries(names.map((name) => [name, 'chosen'])),
    )
  })

  test.each(['{', '[]', '{"projects":[]}', ''])(
    'that is damaged, %j, trusts nothing and is not overwritten',
    async (text) => {
      using machine = openMachine({ ...project, [STORE]: text })
      const listed = await list(machine)
      expect(new Set(Object.values(fatesIn(listed, 'project')))).toEqual(new Set(['untrusted']))
      expect(listed.problems).toEqual([
        {
          code: 'trust/damaged',
          message: 'the record of your approvals cannot be read, so no project server is trusted',
          file: machine.at(STORE),
          hints: [`move it away and approve again: \`mv ${machine.at(STORE)} ${machine.at(STORE)}.broken\``],
        },
      ])
      const { code, stderr } = await machine.run(['trust', 'approve', 'a', '--yes'])
      expect(code).toBe(2)
      expect(stderr).toContain(
        'error: the record of your approvals cannot be read, so no project server is trusted\n',
      )
      expect(readFileSync(machine.at(STORE), 'utf8')).toBe(text)
    },
  )

  test('in which single decisions are damaged loses those alone', async () => {
    using machine = openMachine(project)
    await machine.run(['trust', 'approve', 'a', 'b', 'c', '--all', '--yes'])
    const store = JSON.parse(readFileSync(machine.at(STORE), 'utf8')) as Store
    const servers = store.projects[machine.project]!
    servers['a'] = [{ ...(servers['a'] as object[])[0], decision: 'yes' }]
    servers['b'] = 'approved'
    machine.write({ [STORE]: store })
    expect(fatesIn(await list(machine), 'project')).toMatchObject({
      a: 'untrusted',
      b: 'untrusted',
      c: 'chosen',
    })
  })
})

interface Store {
  readonly projects: Readonly<Record<string, Record<string, readonly object[] | string>>>
}
