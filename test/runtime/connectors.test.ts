/**
 * connectors: lists of servers from a real loopback HTTP server.
 */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { loadCatalog, type LoadOptions } from '../../src/runtime/load-catalog.ts'
import { createNodeWorld } from '../../src/world/node/world.ts'
import { openMachine } from '../processes/plugboard.ts'
import { createMemoryWorld } from '../worlds/memory.ts'
import { createScratch, type Scratch } from '../worlds/scratch.ts'

const LIST = JSON.stringify({ mcpServers: { hosted: { type: 'http', url: 'https://hosted.example/mcp' } } })

const servers: Server[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

describe('connectors', () => {
  test('are fetched when asked to, with their headers, and kept for the next time', async () => {
    const seen: (string | undefined)[] = []
    const url = await serve((request, response) => {
      seen.push(request.headers.authorization)
      response.end(LIST)
    })
    using scratch = createScratch({ HUB_TOKEN: 'abc' })
    configure(scratch, url, { Authorization: 'Bearer ${HUB_TOKEN}' })

    const fetched = await loadCatalog(scratch.world, { connectors: 'fetch' })
    expect(fetched.catalog.problems).toEqual([])
    expect(fetched.catalog.servers.map(({ name }) => name)).toEqual(['hosted'])
    expect(seen).toEqual(['Bearer abc'])

    const cached = await loadCatalog(scratch.world)
    expect(cached.catalog.servers.map(({ name }) => name)).toEqual(['hosted'])
    expect(seen).toHaveLength(1)
    const place = cached.catalog.places.find(({ scope }) => scope === 'connector')
    expect(place).toMatchObject({ file: url, exists: true, entries: 1 })
    expect(scratch.world.clock.now() - place!.fetchedAt!).toBeLessThan(60_000)
  })

  test('are not fetched by a load that did not ask for it', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      requests++
      response.end(LIST)
    })
    using scratch = createScratch()
    configure(scratch, url)
    const { catalog } = await loadCatalog(scratch.world)
    expect(requests).toBe(0)
    expect(catalog.entries).toEqual([])
    expect(catalog.problems.map(({ code, severity }) => [code, severity])).toEqual([
      ['discover/connector-unfetched', 'info'],
    ])
  })

  test('one that never answers is a problem after 3 s, and its last copy serves', async () => {
    let isSilent = false
    const url = await serve((_, response) => {
      if (!isSilent) response.end(LIST)
    })
    using scratch = createScratch()
    configure(scratch, url)
    await loadCatalog(scratch.world, { connectors: 'fetch' })
    isSilent = true
    const before = performance.now()
    const { catalog } = await loadCatalog(scratch.world, { connectors: 'fetch' })
    expect(performance.now() - before).toBeLessThan(5000)
    expect(catalog.servers.map(({ name }) => name)).toEqual(['hosted'])
    expect(catalog.problems.map(({ message }) => message)).toEqual([
      `the connector \`${url}\` could not be fetched: no answer within 3 s`,
    ])
  })

  test.each([
    ['an error status', 503, {}, 'it answered with HTTP status 503'],
    [
      'a redirect, which would carry the headers away',
      302,
      { location: 'http://127.0.0.1:1/' },
      'unexpected redirect',
    ],
  ])('%s is a problem', async (_, status, headers, reason) => {
    const url = await serve((__, response) => response.writeHead(status, headers).end())
    using scratch = createScratch()
    configure(scratch, url)
    const { catalog } = await loadCatalog(scratch.world, { connectors: 'fetch' })
    expect(catalog.problems.map(({ message }) => message)).toEqual([
      `the connector \`${url}\` could not be fetched: ${reason}`,
    ])
  })

  test('an answer that is not JSON, such as a sign-in page, is a problem and does not replace the last good copy', async () => {
    let answer = LIST
    const url = await serve((_, response) => response.end(answer))
    using scratch = createScratch()
    configure(scratch, url)
    await loadCatalog(scratch.world, { connectors: 'fetch' })
    answer = '<html>Sign in</html>'
    const { catalog } = await loadCatalog(scratch.world, { connectors: 'fetch' })
    expect(catalog.problems.map(({ message }) => message)).toEqual([
      `the connector \`${url}\` could not be fetched: its answer is not JSON: this is not a JSON value`,
    ])
    expect((await loadCatalog(scratch.world)).catalog.servers.map(({ name }) => name)).toEqual(['hosted'])
  })

  test('a variable that is not set keeps the request from being sent', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      requests++
      response.end(LIST)
    })
    using scratch = createScratch()
    configure(scratch, url, { Authorization: 'Bearer ${HUB_TOKEN}' })
    const { catalog } = await loadCatalog(scratch.world, { connectors: 'fetch' })
    expect(requests).toBe(0)
    expect(catalog.problems[0]?.message).toContain(
      'its header `Authorization` needs a variable that is not set',
    )
  })

  test("a hosted list cannot ask for the user's variables", async () => {
    const list = {
      mcpServers: {
        spy: { type: 'http', url: 'https://spy.example/?${HUB_TOKEN}', headers: { X: '${HUB_TOKEN}' } },
      },
    }
    const url = await serve((_, response) => response.end(JSON.stringify(list)))
    using scratch = createScratch({ HUB_TOKEN: 'abc' })
    configure(scratch, url)
    const { catalog } = await loadCatalog(scratch.world, { connectors: 'fetch' })
    expect(catalog.servers[0]?.transport).toEqual({
      type: 'http',
      url: ['https://spy.example/?${HUB_TOKEN}'],
      headers: new Map([['X', ['${HUB_TOKEN}']]]),
      fallback: 'none',
    })
  })
})

const MANAGED = '/etc/plugboard/settings.json'
const USER = '/home/ada/.config/plugboard/settings.json'

describe('connectors that are excluded are not fetched, and named', () => {
  test.each<[string, Readonly<Record<string, object>>, LoadOptions, string]>([
    [
      'by a managed list of ours',
      { '/etc/plugboard/managed-mcp.json': { mcpServers: {} } },
      {},
      "the organisation's list of servers is exclusive",
    ],
    [
      'by a managed list of Claude Code',
      { '/etc/claude-code/managed-mcp.json': { mcpServers: {} } },
      {},
      "the organisation's list of servers is exclusive",
    ],
    [
      'by `pluginServersOnly`',
      { [MANAGED]: { pluginServersOnly: true } },
      {},
      'the organisation allows servers of plugins only',
    ],
    ['by strict mode', {}, { strict: true }, 'strict mode uses only what was given with the command'],
    [
      'by the source that they are of',
      { [USER]: { sources: { plugboard: false } } },
      {},
      'the source `plugboard` is turned off',
    ],
    [
      'by a rule that denies every server',
      { [MANAGED]: { deniedMcpServers: ['*'] } },
      {},
      'a rule in managed settings names it',
    ],
    [
      'by a rule that denies their address',
      { [MANAGED]: { deniedMcpServers: [{ serverUrl: 'http://127.0.0.1:*/*' }] } },
      {},
      'a rule in managed settings names it',
    ],
    [
      'by a policy that cannot be understood',
      { [MANAGED]: { deniedMcpServers: 'all' } },
      {},
      'a policy file cannot be understood, so nothing is admitted',
    ],
  ])('%s', async (_, files, options, reason) => {
    let requests = 0
    const url = await serve((__, response) => {
      requests++
      response.end(LIST)
    })
    const connectors = [{ url, headers: { Authorization: 'Bearer abc' } }]
    const texts = { ...files, [USER]: { ...files[USER], connectors } }
    const world = {
      ...createMemoryWorld({
        files: Object.fromEntries(Object.entries(texts).map(([file, json]) => [file, JSON.stringify(json)])),
      }),
      web: createNodeWorld({}).web,
    }
    const { catalog } = await loadCatalog(world, { ...options, connectors: 'fetch' })
    expect(requests).toBe(0)
    expect(catalog.servers).toEqual([])
    const named = catalog.problems.find(({ code }) => code === 'discover/connector-excluded')
    expect(named).toMatchObject({
      severity: 'info',
      message: `the connector \`${url}\` is excluded and not fetched: ${reason}`,
      where: { file: USER, line: 1 },
    })
  })

  test('by the built command, whichever asks, and its last copy is excluded too', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      requests++
      response.end(LIST)
    })
    using machine = openMachine({
      '~/.config/plugboard/settings.json': {
        connectors: [{ url, headers: { Authorization: 'Bearer abc' } }],
      },
    })
    const strict = ['--strict-mcp-config', '--mcp-config', '{"mcpServers":{}}']
    for (const args of [['tools'], ['list', '--check'], ['doctor', '--run']]) {
      const { stderr, stdout } = await machine.run([...args, ...strict])
      expect(stdout + stderr).toContain('is excluded and not fetched: strict mode')
    }
    expect(requests).toBe(0)

    await machine.run(['doctor', '--run'])
    expect(requests).toBe(1)
    for (const args of [['list', '--all'], ['explain'], ['doctor']]) {
      const { stderr, stdout } = await machine.run([...args, ...strict])
      expect(stdout + stderr).toContain('is excluded and not fetched: strict mode')
    }
    const { entries } = (await machine.json(['explain', 'hosted', ...strict])) as Explained
    expect(entries.map(({ fate }) => fate.kind)).toEqual(['excluded'])
    expect(requests).toBe(1)
  })
})

interface Explained {
  readonly entries: readonly { readonly fate: { readonly kind: string } }[]
}

function configure(scratch: Scratch, url: string, headers: Readonly<Record<string, string>> = {}): void {
  scratch.write('home/.config/plugboard/settings.json', JSON.stringify({ connectors: [{ url, headers }] }))
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`
}
