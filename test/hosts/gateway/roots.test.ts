/**
 * roots: the folders of clients reach a real server behind the built gateway, and their changes do.
 */
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { officialEntry, serverEntry } from '../../boards/open.ts'
import { BIN, type Machine, openMachine } from '../../processes/plugboard.ts'
import { startServing, tokenOf, type ServingProcess } from '../../processes/serve.ts'
import { openDaemonMachine } from './daemon.ts'
import { connectClient, textOf, writeSettings, type TestClient } from './open.ts'

/** On a busy machine; a server reads roots again some time after it was told to. */
const SOON = { timeout: 20_000 }

let machine: Machine
beforeEach(() => (machine = openMachine()))
afterEach(() => machine[Symbol.dispose]())

/** Folders of the machine, made. */
function folders(home: string, ...names: readonly string[]): readonly string[] {
  const paths = names.map((name) => join(home, name))
  for (const path of paths) mkdirSync(path, { recursive: true })
  return paths
}

function serveStdio(home: string, cwd: string, ...flags: readonly string[]): Transport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'serve', '--stdio', ...flags],
    env: { PATH: process.env['PATH'] ?? '', HOME: home, PLUGBOARD_KEYCHAIN: 'off' },
    cwd,
  })
}

interface RootsClient extends TestClient {
  /** What it answers from now on. */
  setRoots(...paths: readonly string[]): void
  /** What `server-filesystem` says that it may open. */
  allowed(): Promise<readonly string[]>
}

async function connect(transport: Transport, ...roots: readonly string[]): Promise<RootsClient> {
  let now = roots
  const test = await connectClient(transport, {
    era: 'legacy',
    capabilities: { roots: { listChanged: true } },
    roots: () => now.map((path) => ({ uri: pathToFileURL(path).href })),
  })
  return {
    ...test,
    setRoots: (...paths) => void (now = paths),
    async allowed() {
      const { tools } = await test.client.listTools()
      const name = tools.find((tool) => tool.name.endsWith('list_allowed_directories'))?.name
      if (name === undefined) return []
      const text = textOf(await test.client.callTool({ name, arguments: {} }))
      return text.split('\n').slice(1).filter(Boolean).toSorted()
    },
  }
}

function configure(entry: object = {}): void {
  writeSettings(machine.home, {
    servers: { files: { ...officialEntry('filesystem'), ...entry } },
    gateway: { loopLimit: 0 },
  })
}

function overHttp(gateway: ServingProcess, token = tokenOf(machine)): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL('/mcp/files', gateway.url), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  })
}

describe('server-filesystem gets the roots of', () => {
  test('the client of `serve --stdio --alone`, and reads them again when they change', async () => {
    configure()
    const [one, two] = folders(machine.home, 'one', 'two') as [string, string]
    await using client = await connect(serveStdio(machine.home, machine.project, '--alone'), one)
    await expect.poll(() => client.allowed(), SOON).toEqual([one])
    client.setRoots(two)
    await client.client.sendRootsListChanged()
    await expect.poll(() => client.allowed(), SOON).toEqual([two])
  })

  test('the only client over HTTP, and reads them again when they change', async () => {
    configure()
    const [one, two] = folders(machine.home, 'one', 'two') as [string, string]
    await using gateway = await startServing(machine, '--http', '0')
    await using client = await connect(overHttp(gateway), one)
    await expect.poll(() => client.allowed(), SOON).toEqual([one])
    client.setRoots(one, two)
    await client.client.sendRootsListChanged()
    await expect.poll(() => client.allowed(), SOON).toEqual([one, two])
  })

  test('all clients that share it, for as long as they are there', async () => {
    configure()
    const [one, two] = folders(machine.home, 'one', 'two') as [string, string]
    await using gateway = await startServing(machine, '--http', '0')
    await using first = await connect(overHttp(gateway), one)
    await expect.poll(() => first.allowed(), SOON).toEqual([one])
    const transport = overHttp(gateway)
    await using second = await connect(transport, two)
    await expect.poll(() => first.allowed(), SOON).toEqual([one, two])
    expect(await second.allowed()).toEqual([one, two])
    await transport.terminateSession()
    await expect.poll(() => first.allowed(), SOON).toEqual([one])
  })

  test('clients in several projects, through the gateway in the background', async () => {
    await using daemon = openDaemonMachine({ files: officialEntry('filesystem') })
    daemon.machine.write({
      '~/.config/plugboard/settings.json': {
        permissions: { rules: [{ tool: 'mcp__*', action: 'allow' }] },
        gateway: { loopLimit: 0 },
      },
    })
    const { home } = daemon.machine
    const [one, two] = folders(home, 'one', 'two') as [string, string]
    await daemon.machine.run(['serve', '--daemon'])
    await using first = await connect(serveStdio(home, one), one)
    await using second = await connect(serveStdio(home, two), two)
    await expect.poll(() => first.allowed(), SOON).toEqual([one, two])
    expect(await second.allowed()).toEqual([one, two])
  })

  test('no client while a guest is connected, too', async () => {
    configure()
    const [one, two] = folders(machine.home, 'one', 'two') as [string, string]
    const { stdout } = await machine.run(['token', 'add', 'guest', '--json'])
    const { token } = (JSON.parse(stdout) as { token: { token: string } }).token
    await using gateway = await startServing(machine, '--http', '0')
    const transport = overHttp(gateway, token)
    await using guest = await connect(transport, two)
    await using owner = await connect(overHttp(gateway), one)
    expect(await guest.allowed()).toEqual([])
    expect(await owner.allowed()).toEqual([])
    await transport.terminateSession()
    await expect.poll(() => owner.allowed(), SOON).toEqual([one])
  })

  test('a client over HTTP without a stream of its own, while its request is under way', async () => {
    writeSettings(machine.home, { servers: { files: serverEntry('asks-back') } })
    const [one] = folders(machine.home, 'one') as [string]
    await using gateway = await startServing(machine, '--http', '0')
    const withoutStream = new StreamableHTTPClientTransport(new URL('/mcp/files', gateway.url), {
      requestInit: { headers: { Authorization: `Bearer ${tokenOf(machine)}` } },
      fetch: async (url, init) =>
        init?.method === 'GET' ? new Response(null, { status: 405 }) : fetch(url, init),
    })
    await using client = await connect(withoutStream, one)
    const answer = await client.client.callTool({ name: 'ask', arguments: { only: ['roots'] } })
    expect(JSON.parse(textOf(answer))).toEqual({ roots: { roots: [{ uri: pathToFileURL(one).href }] } })
  })

  test('each client alone, with `isolation: session`', async () => {
    configure({ isolation: 'session' })
    const [one, two, three] = folders(machine.home, 'one', 'two', 'three') as [string, string, string]
    await using gateway = await startServing(machine, '--http', '0')
    await using first = await connect(overHttp(gateway), one)
    await using second = await connect(overHttp(gateway), two)
    await expect.poll(() => first.allowed(), SOON).toEqual([one])
    await expect.poll(() => second.allowed(), SOON).toEqual([two])
    first.setRoots(three)
    await first.client.sendRootsListChanged()
    await expect.poll(() => first.allowed(), SOON).toEqual([three])
    expect(await second.allowed()).toEqual([two])
  })
})
