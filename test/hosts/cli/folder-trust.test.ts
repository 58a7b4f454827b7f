/**
 * folder-trust: what a cloned repository can do to the servers of its user before they trust the folder, and after.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { serverEntry } from '../../boards/open.ts'
import { DIST, openMachine, type Machine } from '../../processes/plugboard.ts'

/** Starting `npx` several times, on a busy machine. */
const SLOW = { timeout: 60_000 }

/** A program of the repository that says that it ran. */
const EVIL = '#!/bin/sh\necho "$SECRET" >> "$(dirname "$0")/../../ran"\n'

interface Listed {
  readonly servers: readonly { readonly name: string; readonly confinement?: { readonly start: string } }[]
  readonly folder: { readonly path: string; readonly trust: string }
}

interface Answer {
  readonly id?: number
  readonly result: { readonly structuredContent?: object }
}

interface Tested {
  readonly state: string
  readonly problem?: { readonly code: string; readonly message: string; readonly hints: readonly string[] }
}

/** A machine whose user has these servers, in a repository that they have just cloned. */
function openClone(servers: object, files: Readonly<Record<string, string | object>> = {}): Machine {
  return openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: servers }, ...files }, 'unknown')
}

function withProgram(machine: Machine, path: string, text: string): Machine {
  machine.write({ [path]: text })
  chmodSync(machine.at(path), 0o755)
  return machine
}

/** An address at which npm finds nothing, and what it was asked for. */
async function openEmptyRegistry(): Promise<
  AsyncDisposable & { readonly url: string; readonly asked: string[] }
> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(404).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** `command`: one of the user's that starts what is in `args`. */
const NPX = { command: 'npx', args: ['shop-server'], env: { SECRET: 'hunter2' }, startupTimeout: 20_000 }

describe('a folder that is not trusted', () => {
  test.each([
    ['tools', ['tools']],
    ['list --check', ['list', '--check']],
    ['test', ['test', 'shop']],
    ['doctor --run', ['doctor', '--run']],
    ['call', ['call', 'shop', 'tool']],
  ])('%s does not run what lies in node_modules/.bin', SLOW, async (_, args) => {
    await using registry = await openEmptyRegistry()
    using machine = openClone({ shop: NPX }, { '~/.npmrc': `registry=${registry.url}\n` })
    withProgram(machine, './node_modules/.bin/shop-server', EVIL)
    await machine.run(args)
    expect(existsSync(machine.at('./ran'))).toBe(false)
  })

  test('neither do a gateway over stdio and the library', SLOW, async () => {
    await using registry = await openEmptyRegistry()
    using machine = openClone({ shop: NPX }, { '~/.npmrc': `registry=${registry.url}\n` })
    withProgram(machine, './node_modules/.bin/shop-server', EVIL)
    const hello = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    }
    await machine.run(['serve', '--stdio', '--alone'], { input: `${JSON.stringify(hello)}\n` })
    const library = pathToFileURL(join(DIST, 'index.js')).href
    const program = `import { openPlugboard } from ${JSON.stringify(library)}
      const board = await openPlugboard({ wait: 'all' })
      await board.close()`
    await machine.run([], { start: [process.execPath, '--input-type=module', '-e', program] })
    expect(existsSync(machine.at('./ran'))).toBe(false)
  })

  test('once it is trusted, they run it: the tests above can fail', SLOW, async () => {
    await using registry = await openEmptyRegistry()
    using machine = openClone({ shop: NPX }, { '~/.npmrc': `registry=${registry.url}\n` })
    withProgram(machine, './node_modules/.bin/shop-server', EVIL)
    expect((await machine.run(['trust', 'folder', '--yes'])).code).toBe(0)
    await machine.run(['test', 'shop'])
    expect(readFileSync(machine.at('./ran'), 'utf8')).toContain('hunter2')
  })

  test('its .npmrc decides about no registry, before it is trusted', SLOW, async () => {
    await using own = await openEmptyRegistry()
    await using evil = await openEmptyRegistry()
    using machine = openClone(
      { shop: { ...NPX, args: ['-y', 'shop-server'] } },
      { '~/.npmrc': `registry=${own.url}\n`, './.npmrc': `registry=${evil.url}\n`, './package.json': {} },
    )
    await machine.run(['test', 'shop'])
    expect(evil.asked).toEqual([])
    expect(own.asked.join()).toContain('shop-server')
    await machine.run(['trust', 'folder', '--yes'])
    await machine.run(['test', 'shop'])
    expect(evil.asked.join()).toContain('shop-server')
  })

  const hasPython = spawnSync('python3', ['--version']).status === 0
  test.skipIf(!hasPython)('`python -m` takes no module from it', SLOW, async () => {
    const entry = { command: 'python3', args: ['-m', 'shop_server'] }
    using machine = openClone({ shop: entry }, { './shop_server.py': 'open("ran", "w").close()\n' })
    await machine.run(['test', 'shop'])
    expect(existsSync(machine.at('./ran'))).toBe(false)
    await machine.run(['trust', 'folder', '--yes'])
    await machine.run(['test', 'shop'])
    expect(existsSync(machine.at('./ran'))).toBe(true)
  })

  test('`uvx` starts in an empty folder for this user alone, and finds no program of the repository', async () => {
    // Stands for the real one, which no registry in reach has.
    const uvx = '#!/bin/sh\n{ pwd; ls -A | wc -l; stat -c %a . ; echo "$PATH"; } > "$HOME/seen"\n'
    using machine = openClone({ shop: { command: 'uvx', args: ['shop-server'] } })
    withProgram(machine, '~/bin/uvx', uvx)
    const PATH = `${machine.at('./node_modules/.bin')}:${machine.at('~/bin')}:${process.env['PATH'] ?? ''}`
    await machine.run(['test', 'shop'], { env: { PATH } })
    const [cwd, files, mode, path] = readFileSync(machine.at('~/seen'), 'utf8').split('\n')
    expect(machine.shorten(cwd!)).toMatch(/^~\/\.local\/state\/plugboard\/folders\/shop-[0-9a-f]{8}$/)
    expect([files!.trim(), mode]).toEqual(['0', '700'])
    expect(path).not.toContain(machine.project)
  })

  test('a .git above it that belongs to another user makes no trusted folder', async () => {
    using machine = openClone({ shop: serverEntry('well-behaved') })
    execFileSync('chown', ['65534', machine.at('./.git')])
    const { stdout } = await machine.run(['trust', 'folder'])
    expect(stdout).toMatch(/note +\.\/\.git belongs to another user/)
  })

  test('the home folder needs no question, unless its .git belongs to another user', async () => {
    using machine = openClone({ shop: serverEntry('well-behaved') })
    const trust = async (): Promise<string> =>
      ((await machine.json(['list'], { cwd: machine.home })) as Listed).folder.trust
    expect(await trust()).toBe('trusted')
    machine.write({ '~/.git/HEAD': 'ref: refs/heads/main\n' })
    execFileSync('chown', ['65534', machine.at('~/.git')])
    expect(await trust()).toBe('unknown')
  })
})

describe('a server whose entry leads into it', () => {
  const testIt = async (machine: Machine, env = {}): Promise<Tested> =>
    (await machine.json(['test', 'shop'], { env })) as Tested
  const { command } = serverEntry('well-behaved') as { command: string }

  test.each([
    ['a relative argument', { command, args: ['./server.mjs'] }, 'args[0]'],
    ['the folder itself', { command, args: ['/srv/server.mjs', '.'] }, 'args[1]'],
    ['a relative argument behind a flag', { command, args: ['/srv/server.mjs', '--root=..'] }, 'args[1]'],
    ['a relative command', { command: './server' }, 'command'],
    ['a relative folder', { command, cwd: './sub' }, 'cwd'],
    ['a file of variables', { command, envFile: '.env' }, 'envFile'],
    ['a variable that holds it', { command, args: ['${PWD}/server.mjs'] }, 'args[0]'],
    ['a variable in a variable', { command, env: { NODE_PATH: '${PWD}/node_modules' } }, 'env.NODE_PATH'],
  ])('%s: it does not start, and says how to trust the folder', async (_, entry, field) => {
    using machine = openClone({ shop: entry })
    const { state, problem } = await testIt(machine, { PWD: machine.project })
    expect([state, problem?.code]).toEqual(['failed', 'trust/folder'])
    expect(problem?.message).toContain(`\`${field}\``)
    expect(problem?.hints.join()).toContain('`plugboard trust folder`')
  })

  test('words of an editor for the folder count, paths written out do not', async () => {
    using machine = openMachine({}, 'unknown')
    const write = (text: string): void =>
      machine.write({ '~/.cursor/mcp.json': { mcpServers: { shop: serverEntry('well-behaved', text) } } })
    write('${workspaceFolder}')
    expect((await testIt(machine)).problem?.code).toBe('trust/folder')
    write(machine.project)
    expect((await testIt(machine)).state).toBe('ready')
  })

  test('it starts once the folder is trusted, and the approval of one server does not do it', async () => {
    using machine = openClone({ shop: serverEntry('well-behaved', '.') })
    machine.write({ './.mcp.json': { mcpServers: { other: serverEntry('well-behaved') } } })
    await machine.run(['trust', 'approve', 'other', '--yes'])
    expect((await testIt(machine)).state).toBe('failed')
    await machine.run(['trust', 'folder', '--yes'])
    expect((await testIt(machine)).state).toBe('ready')
    await machine.run(['trust', 'folder', '--decline'])
    expect((await testIt(machine)).state).toBe('failed')
    await machine.run(['trust', 'reset', '--all'])
    expect(((await machine.json(['list'])) as Listed).folder.trust).toBe('unknown')
  })

  test('in a program, `trustFolder` says that its user was asked', async () => {
    using machine = openClone({ shop: serverEntry('well-behaved', '.') })
    const library = pathToFileURL(join(DIST, 'index.js')).href
    const program = `import { openPlugboard } from ${JSON.stringify(library)}
      for (const trustFolder of [false, true]) {
        const board = await openPlugboard({ wait: 'all', trustFolder })
        console.log(board.snapshot().servers[0].connection.state)
        await board.close()
      }`
    const { stdout } = await machine.run([], {
      start: [process.execPath, '--input-type=module', '-e', program],
    })
    expect(stdout).toBe('failed\nready\n')
  })
})

describe('every way back into the folder', () => {
  /** Its programs stand first on the search path, as `npx plugboard` has it. */
  const poisoned = (machine: Machine): Readonly<Record<string, string>> => ({
    PATH: `${machine.at('./node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
    PWD: machine.project,
  })
  const WHOAMI = { command: 'shop-server' }

  test.each([
    ['an entry with a folder of its own', { ...WHOAMI, cwd: '~' }],
    ['an entry with a search path of its own', { ...WHOAMI, env: { PATH: '/usr/local/sbin:${PATH}' } }],
    ['a helper for headers', { type: 'http', url: 'http://127.0.0.1:9/mcp', headersHelper: 'shop-server' }],
  ])('%s finds no program of the folder', async (_, entry) => {
    using machine = openClone({ shop: entry })
    withProgram(machine, './node_modules/.bin/shop-server', EVIL)
    await machine.run(['test', 'shop'], { env: poisoned(machine) })
    expect(existsSync(machine.at('./ran'))).toBe(false)
    await machine.run(['trust', 'folder', '--yes'])
    await machine.run(['test', 'shop'], { env: poisoned(machine) })
    expect(existsSync(machine.at('./ran'))).toBe(true)
  })

  test('a search path that leads there by a link does not count, either', async () => {
    using machine = openClone({ shop: WHOAMI })
    withProgram(machine, './node_modules/.bin/shop-server', EVIL)
    symlinkSync(machine.project, machine.at('~/link'))
    const PATH = `${machine.at('~/link/node_modules/.bin')}:${process.env['PATH'] ?? ''}`
    await machine.run(['test', 'shop'], { env: { PATH } })
    expect(existsSync(machine.at('./ran'))).toBe(false)
  })

  test.each([
    ['${PWD} by a link', { command: 'node', cwd: '${PWD}' }, 'cwd'],
    [
      'a variable within a word',
      { command: 'node', env: { NODE_OPTIONS: '--require ${PWD}/x.js' } },
      'env.NODE_OPTIONS',
    ],
    ['a variable within a list', { command: 'node', env: { PYTHONPATH: '/x:${PWD}' } }, 'env.PYTHONPATH'],
    [
      'a variable within an address',
      { command: 'node', args: ['--import', 'file://${PWD}/x.js'] },
      'args[1]',
    ],
  ])('%s keeps a server from starting', async (_, entry, field) => {
    using machine = openClone({ shop: entry })
    symlinkSync(machine.project, machine.at('~/link'))
    for (const PWD of [machine.project, machine.at('~/link')]) {
      const { problem } = (await machine.json(['test', 'shop'], { env: { PWD } })) as Tested
      expect([problem?.code, problem?.message]).toEqual(['trust/folder', expect.stringContaining(field)])
    }
  })

  test('a gateway that is started there in the background takes nothing of it along', async () => {
    using machine = openClone({ shop: WHOAMI, there: { command: 'shop-server', cwd: '${PWD}' } })
    withProgram(machine, './node_modules/.bin/shop-server', EVIL)
    const env = poisoned(machine)
    expect((await machine.run(['serve', '--daemon'], { env })).code).toBe(0)
    try {
      await machine.run(['list', '--check'], { env })
      expect(existsSync(machine.at('./ran'))).toBe(false)
    } finally {
      await machine.run(['stop'])
    }
  })

  test('a folder for the state that lies in it is not used', async () => {
    using machine = openClone({ shop: { command: 'npx', args: ['shop-server'] } }, { './package.json': {} })
    await using registry = await openEmptyRegistry()
    machine.write({ '~/.npmrc': `registry=${registry.url}\n` })
    withProgram(machine, './node_modules/.bin/shop-server', EVIL)
    await machine.run(['add', 'shop', '--', 'npx', 'shop-server'], {
      env: { PLUGBOARD_HOME: machine.at('./.pb') },
    })
    await machine.run(['test', 'shop'], { env: { PLUGBOARD_HOME: machine.at('./.pb') } })
    expect(existsSync(machine.at('./ran'))).toBe(false)
  })
})

describe('a folder that holds the home of its user, such as `/`', () => {
  test('changes no search path, and variables that lead below it are no reason not to start', async () => {
    const file = (serverEntry('well-behaved') as { args: string[] }).args[0]!
    using machine = openClone({ shop: { command: 'node', args: [file, '${HOME}/x'] } })
    const { state } = (await machine.json(['test', 'shop'], { cwd: '/' })) as Tested
    expect(state).toBe('ready')
  })
})

describe('what is said about it', () => {
  test('list, list --check and test say where servers start', async () => {
    using machine = openClone({
      files: serverEntry('well-behaved', '.'),
      shop: serverEntry('well-behaved'),
    })
    const footer =
      '~/project is not trusted: 1 server starts in an empty folder, `files` does not start\n' +
      'hint: to see what trusting the folder means, run `plugboard trust folder`\n'
    expect(machine.shorten((await machine.run(['list'])).stdout)).toContain(footer)
    expect(machine.shorten((await machine.run(['list', '--check'])).stdout)).toContain(footer)
    expect((await machine.run(['test', 'shop'])).stdout).toContain('in an empty folder')
    const { servers, folder } = (await machine.json(['list'])) as Listed
    expect(servers.map(({ name, confinement }) => [name, confinement?.start])).toEqual([
      ['files', 'refused'],
      ['shop', 'empty-folder'],
    ])
    expect(folder).toEqual({ path: machine.project, trust: 'unknown' })
  })

  test('without a terminal nothing is decided, and the question is shown', async () => {
    using machine = openClone({ shop: serverEntry('well-behaved') })
    machine.write({ './.mcp.json': { mcpServers: { other: { command: 'curl', args: ['x'] } } } })
    const { code, stdout, stderr } = await machine.run(['trust', 'folder'])
    expect(code).toBe(2)
    expect(stdout).toContain('now in an empty folder  shop')
    expect(stdout).toContain('curl x')
    expect(stderr).toContain('needs `--yes` or `--decline`')
    expect(((await machine.json(['list'])) as Listed).folder.trust).toBe('unknown')
  })

  test('--yes trusts the folder alone, --yes --all what it declares as well', async () => {
    using machine = openClone({})
    machine.write({ './.mcp.json': { mcpServers: { other: serverEntry('well-behaved') } } })
    const fate = async (): Promise<unknown> =>
      (
        (await machine.json(['list'])) as {
          readonly servers: readonly { readonly fate: { readonly kind: string } }[]
        }
      ).servers[0]!.fate.kind
    await machine.run(['trust', 'folder', '--yes'])
    expect(await fate()).toBe('untrusted')
    expect(await machine.json(['trust', 'folder', '--yes', '--all'])).toEqual({
      folder: machine.project,
      decision: 'trusted',
      approved: ['other'],
    })
    expect(await fate()).toBe('chosen')
  })

  test('a gateway over stdio, which cannot ask, says it in its status; and `connect` does', async () => {
    using machine = openClone({ files: serverEntry('well-behaved', '.') })
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    const messages = [
      { id: 1, method: 'initialize', params },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'plugboard_status', arguments: {} } },
    ]
    const input = messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join('')
    const { stdout } = await machine.run(['serve', '--stdio', '--alone'], { input })
    const answers = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Answer)
    const { structuredContent } = answers.find(({ id }) => id === 2)!.result
    expect(structuredContent).toMatchObject({
      untrustedFolder: {
        path: machine.project,
        hint: expect.stringContaining('`plugboard trust folder`') as unknown,
      },
      servers: [{ name: 'files', problem: expect.stringContaining('does not start here') as unknown }],
    })
    const connected = await machine.run(['connect', 'cursor', '--yes'])
    expect(connected.stdout).toContain('plugboard trust folder')
  })

  test('a server that ends at once is told to have started in an empty folder', async () => {
    using machine = openClone({ shop: { command: process.execPath, args: ['server.mjs'] } })
    const { problem } = (await machine.json(['test', 'shop'])) as Tested
    expect(problem?.hints[0]).toContain('it started in an empty folder')
  })

  test('where no empty folder can be made, it starts in the home folder, and says so', async () => {
    using machine = openClone({ shop: serverEntry('well-behaved') })
    const { code, stderr } = await machine.run(['test', 'shop'], { env: { XDG_STATE_HOME: '/dev/null' } })
    expect(code).toBe(0)
    expect(stderr).toContain('`shop` starts in your home folder')
  })

  test('a server of the repository starts in the folder of its file', async () => {
    const seen = '#!/bin/sh\npwd > "$HOME/seen"\n'
    using machine = openMachine({ './sub/.mcp.json': { mcpServers: { shop: { command: 'shop-server' } } } })
    withProgram(machine, '~/bin/shop-server', seen)
    const run = { cwd: machine.at('./sub'), env: { PATH: `${machine.at('~/bin')}:/usr/bin:/bin` } }
    await machine.run(['trust', 'approve', 'shop', '--yes'], run)
    await machine.run(['test', 'shop'], run)
    expect(machine.shorten(readFileSync(machine.at('~/seen'), 'utf8'))).toBe('./sub\n')
    expect(readdirSync(machine.project)).not.toContain('folders')
  })
})
