/**
 * unusable-folders: a folder of Plugboard's own that is a file, below a file, a link to nothing, or not to be written:
 * what only reads goes on and warns once, and what must write says why it cannot.
 */
import { chmodSync, cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serverEntry } from '../../boards/open.ts'
import { DIST, openMachine, runChild, type Machine, type Ran } from '../../processes/plugboard.ts'
import { openScreen } from '../../processes/screen.ts'
import { serve } from '../../servers/http/loopback.ts'
import { startAuthorizationServer } from '../../servers/authorization-server.ts'
import { startProtectedServer } from '../../servers/protected-server.ts'

let machine: Machine
beforeAll(() => {
  machine = openMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: { a: serverEntry('well-behaved') } },
    '~/.cursor/mcp.json': { mcpServers: { mine: serverEntry('well-behaved', '--modern') } },
    './.mcp.json': { mcpServers: { theirs: serverEntry('well-behaved') } },
    '~/file': '',
  })
})
afterAll(() => machine[Symbol.dispose]())

const STATE = 'approvals, permissions, sign-ins and logs'

/** `HOME` aside, by which the machine finds everything. */
function run(line: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  return machine.run(line.split(' '), { env })
}

describe('a state folder that is a file', () => {
  const broken = (): Readonly<Record<string, string>> => ({ XDG_STATE_HOME: machine.at('~/file') })

  test.each([
    'list',
    'list --all',
    'list --check',
    'get a',
    'explain a',
    'test a',
    'tools',
    'tools a',
    'call a echo text=x',
    'resources',
    'prompts',
    'doctor',
    'sources',
    'sources --json',
    'trust list',
    'permissions list',
    'permissions explain mcp__a__echo',
    'pins list',
    'auth status',
    'import cursor',
    'disable a',
    'enable a',
  ])('does not keep `%s` from its answer, and is warned of once', async (line) => {
    const usual = await run(line, {})
    const ran = await run(line, broken())
    expect(ran.code).toBe(usual.code)
    const said = machine.shorten(ran.stdout + ran.stderr)
    const warning = [
      `warning: ${STATE} cannot be kept: this is not a folder`,
      '  --> ~/file',
      '  the folder would be ~/file/plugboard',
      '',
      'hint: set `XDG_STATE_HOME` to a folder that you may write in, or remove it',
    ].join('\n')
    expect(said.split(warning)).toHaveLength(2)
    expect(said.split(STATE)).toHaveLength(2)
  })

  test.each(['call a echo text=x', 'get a --json', 'call a echo text=x --json'])(
    'leaves the answer of `%s` as it is',
    async (line) => {
      const [usual, ran] = [await run(line, {}), await run(line, broken())]
      const timeless = (text: string): string => text.replace(/"durationMs":\d+/, '')
      expect(timeless(ran.stdout)).toBe(timeless(usual.stdout))
    },
  )

  test('is a problem in the JSON of a list, and nothing is said beside it', async () => {
    const { stdout, stderr } = await run('tools --json', broken())
    const { problems } = JSON.parse(stdout) as { readonly problems: readonly object[] }
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'folders/unusable', file: machine.at('~/file') }),
    )
    expect(stderr).toBe('')
  })

  test('does not keep a client of `serve --stdio` from its tools', async () => {
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
    const ask = (id: number, method: string, params: object): string =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
    const { code, stdout, stderr } = await machine.run(['serve', '--stdio'], {
      env: broken(),
      input: ask(1, 'initialize', hello) + ask(2, 'tools/list', {}),
    })
    expect([code, stdout]).toEqual([0, expect.stringContaining('mcp__a__echo')])
    expect(stderr.split(`${STATE} cannot be kept`)).toHaveLength(2)
  })

  test('is told of by the shell, which opens all the same', async () => {
    await using screen = openScreen(machine, { env: broken() })
    await screen.until(`${STATE} cannot be kept`)
    await screen.until('2 ready')
  })

  test('is a problem of a board, which opens all the same', async () => {
    machine.write({
      './board.mjs': `const { openPlugboard } = await import(${JSON.stringify(pathToFileURL(join(DIST, 'index.js')).href)})
const board = await openPlugboard({ cwd: ${JSON.stringify(machine.project)} })
await board.waitFor('a')
const { text } = await board.call('mcp__a__echo', { text: 'x' })
console.log(JSON.stringify({ text, codes: board.snapshot().problems.map(({ code }) => code) }))
await board.close()`,
    })
    const env = { PATH: process.env['PATH'] ?? '', HOME: machine.home, ...broken() }
    const ran = await runChild([process.execPath, machine.at('./board.mjs')], { cwd: machine.project, env })
    expect(ran.stderr).toBe('')
    expect(JSON.parse(ran.stdout)).toMatchObject({ codes: ['folders/unusable'] })
  })

  test.each([
    ['trust approve theirs --yes', 'your decision could not be written down'],
    ['trust decline theirs', 'your decision could not be written down'],
    ['token add laptop', 'the tokens of the gateway could not be written down'],
    ['serve --http 0', 'the token that clients show could not be written down'],
    ['serve --daemon', 'the gateway cannot run in the background: its log cannot be written'],
    ['serve --daemon --foreground', 'a gateway cannot be reached here'],
    ['connect cursor', 'this file could not be written: a part of its path is not a folder'],
  ])('fails `%s` with the path that is in the way', async (line, message) => {
    const { code, stderr } = await run(line, broken())
    expect(code).toBe(1)
    const said = machine.shorten(stderr)
    expect(said).toContain(`error: ${message}`)
    expect(said).toContain('  --> ~/file/plugboard/')
    expect(said).toMatch(/`~\/file` is not a folder|look at `~\/file`/)
    expect(said).not.toContain('ENOTDIR')
  })

  test('does not keep `add` from writing into another folder', async () => {
    machine.write({ './server.json': serverEntry('well-behaved') })
    const ran = await machine.run(['add-json', 'b', JSON.stringify(serverEntry('well-behaved'))], {
      env: broken(),
    })
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('added `b`') as string })
    expect(await run('remove b --yes', broken())).toMatchObject({ code: 0 })
  })

  test('ends a login before its browser is opened and before a client is registered', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    machine.write({ './more.json': { mcpServers: { guarded: { type: 'http', url: server.url } } } })
    const { code, stderr } = await run('login guarded --no-browser --mcp-config more.json', broken())
    expect(code).toBe(1)
    expect(machine.shorten(stderr)).toContain(
      [
        'error: your sign-in could not be kept',
        '  --> ~/file/plugboard/sign-ins/sign-ins.json',
        '  `~/file` is not a folder',
      ].join('\n'),
    )
    expect(authorization.requests).toEqual([])
  })

  test('does not keep a server from use whose entry signs in without a person', async () => {
    const client = { client_id: 'robot', client_secret: 'a-secret-of-the-robot' }
    await using authorization = await startAuthorizationServer({
      clients: [{ ...client, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    })
    await using server = await startProtectedServer({ authorization })
    const oauth = {
      grantType: 'client_credentials',
      clientId: client.client_id,
      clientSecret: client.client_secret,
      issuer: authorization.issuer,
    }
    machine.write({ './more.json': { mcpServers: { guarded: { type: 'http', url: server.url, oauth } } } })
    expect(await run('call guarded echo text=x --mcp-config more.json', broken())).toMatchObject({
      code: 0,
      stdout: 'x\n',
    })
    expect(authorization.count('token')).toBe(1)
  })
})

describe('other folders, and other things in their way', () => {
  test.each([
    [
      'XDG_STATE_HOME',
      '/dev/null',
      [`${STATE} cannot be kept: this is not a folder`, '--> /dev/null', 'would be /dev/null/plugboard'],
    ],
    [
      'XDG_STATE_HOME',
      '~/file/below',
      [`${STATE} cannot be kept: this is not a folder`, '--> ~/file\n', 'would be ~/file/below/plugboard'],
    ],
    ['XDG_STATE_HOME', '~/dangling', [`${STATE} cannot be kept: this is not a folder`, '--> ~/dangling\n']],
    ['XDG_CACHE_HOME', '~/file', ['tool lists and large results cannot be kept: this is not a folder']],
    ['XDG_CONFIG_HOME', '~/file', ['your settings and servers cannot be read or kept: this is not a folder']],
    [
      'PLUGBOARD_HOME',
      '~/file',
      [
        "nothing of Plugboard's own can be read or kept: this is not a folder",
        '--> ~/file\n',
        'hint: set `PLUGBOARD_HOME` to a folder that you may write in, or remove it',
      ],
    ],
  ])('%s=%s', async (variable, path, expected) => {
    const dangling = machine.at('~/dangling')
    if (path === '~/dangling') symlinkSync(machine.at('~/nowhere'), dangling)
    const env = { [variable]: path.startsWith('~') ? machine.at(path) : path }
    for (const line of ['list', 'call mine echo text=x']) {
      const { code, stdout, stderr } = await run(line, env)
      const said = machine.shorten(stderr)
      expect([code, said.match(/warning:/g)]).toEqual([0, ['warning:']])
      for (const one of expected) expect(said).toContain(one)
      if (line !== 'list') expect(stdout).toBe('x\n')
    }
  })

  test('a list of servers that is fetched serves, although its copy cannot be kept', async () => {
    const list = { mcpServers: { hosted: { type: 'http', url: 'http://127.0.0.1:1/mcp' } } }
    await using connector = await serve(({ response }) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list)),
    )
    using other = openMachine({
      '~/.config/plugboard/settings.json': { connectors: [{ url: connector.url }] },
      '~/file': '',
    })
    const env = { XDG_CACHE_HOME: other.at('~/file') }
    expect(await other.json(['list', '--check'], { env })).toMatchObject({
      servers: [{ name: 'hosted', state: 'failed' }],
      problems: [{ code: 'folders/unusable' }, { code: 'connect/network' }],
    })
  })

  test('HOME=/dev/null', async () => {
    const { code, stderr } = await run('list', { HOME: '/dev/null' })
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        "warning: nothing of Plugboard's own can be read or kept: this is not a folder",
      ),
    ])
    expect(stderr).toContain('hint: set `HOME` to your own folder')
  })

  test.each(['gateway', 'logs', 'sign-ins', 'edits', 'connected'])(
    'a file in the place of `%s` in the state folder breaks no command that only reads',
    async (name) => {
      using other = openMachine({
        '~/.config/plugboard/mcp.json': { mcpServers: { a: serverEntry('well-behaved') } },
        [`~/.local/state/plugboard/${name}`]: '',
      })
      for (const line of ['list --check', 'tools', 'call a echo text=x', 'auth status', 'status', 'doctor'])
        expect(await other.run(line.split(' '))).toMatchObject({
          code: 0,
          stderr: expect.not.stringMatching(/ENOTDIR|bug/),
        })
    },
  )

  test.each([
    ['XDG_CONFIG_HOME', 'add-json b {"command":"x"}', 'mcp.json'],
    ['PLUGBOARD_HOME', 'permissions allow mcp__mine__echo', 'settings.json'],
  ])('%s that is a file fails `%s` with its path', async (variable, line, file) => {
    const { code, stderr } = await run(line, { [variable]: machine.at('~/file') })
    expect(code).toBe(1)
    const said = machine.shorten(stderr)
    expect(said).toContain(
      'error: this file could not be written: a part of its path is not a folder\n  --> ~/file',
    )
    expect(said).toContain(`/${file}\n`)
    expect(said).toContain('hint: look at `~/file`')
  })
})

/** Nothing is read-only to root, so an unprivileged user runs the command then. */
const isRoot = process.geteuid?.() === 0
const UNPRIVILEGED = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']

describe.runIf(process.platform === 'linux')('folders that may not be written', () => {
  let locked: Machine
  let start: readonly string[]
  beforeAll(() => {
    locked = openMachine(
      {
        '~/.config/plugboard/mcp.json': { mcpServers: { a: serverEntry('well-behaved') } },
        './.mcp.json': { mcpServers: { theirs: serverEntry('well-behaved') } },
      },
      'unknown',
    )
    const root = dirname(locked.home)
    // The built files may be where other users cannot read.
    cpSync(DIST, join(root, 'dist'), { recursive: true })
    chmodSync(root, 0o755)
    mkdirSync(locked.at('~/.local'))
    for (const folder of ['~/.local', '~/.config/plugboard', '~']) chmodSync(locked.at(folder), 0o555)
    start = [...(isRoot ? UNPRIVILEGED : []), process.execPath, join(root, 'dist', 'bin.cjs')]
  })
  afterAll(() => {
    for (const folder of ['~', '~/.local', '~/.config/plugboard']) chmodSync(locked.at(folder), 0o755)
    locked[Symbol.dispose]()
  })

  test('are warned of, each for what it would hold; read-only settings are not', async () => {
    const { code, stdout, stderr } = await locked.run(['call', 'a', 'echo', 'text=x'], { start })
    expect([code, stdout]).toEqual([0, 'x\n'])
    const said = locked.shorten(stderr)
    expect(said.match(/warning: .*/g)).toEqual([
      `warning: ${STATE} cannot be kept: you may not write in this folder`,
      'warning: tool lists and large results cannot be kept: you may not write in this folder',
    ])
    expect(said).toContain(
      'hint: make sure that you may write in `~/.local`, or set `XDG_STATE_HOME` to another folder',
    )
  })

  test.each([
    [
      'trust approve theirs --yes',
      '  --> ~/.local/state/plugboard/trust.json\n  permission denied for `~/.local`',
    ],
    [
      'token add laptop',
      '  --> ~/.local/state/plugboard/gateway-tokens.json\n  permission denied for `~/.local`',
    ],
    [
      'serve --daemon',
      '  --> ~/.local/state/plugboard/gateway/gateway.log\n  permission denied for `~/.local`',
    ],
    ['permissions allow mcp__a__echo', 'hint: make sure that you may write in `~/.config/plugboard`'],
  ])('fail `%s` with the path that is in the way', async (line, expected) => {
    const { code, stderr } = await locked.run(line.split(' '), { start })
    expect([code, locked.shorten(stderr)]).toEqual([1, expect.stringContaining(expected)])
  })
})
