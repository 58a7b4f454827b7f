/**
 * guarded-fetch: what an authorization server, or somebody who plays one, cannot make us do. Real HTTP on loopback; names
 * are what the test says, and a public address is played by a port of this machine.
 */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { STRICT_LIMITS } from '../../../src/model/leeway.ts'
import {
  ANSWER_MS,
  createGuardedFetch,
  GuardError,
  type Guard,
  type GuardedFetch,
} from '../../../src/pipeline/authorize/guarded-fetch.ts'
import { createNodeWorld } from '../../../src/world/node/world.ts'
import type { HttpRequest, World } from '../../../src/world/world.ts'

const open: { close(): void; closeAllConnections(): void }[] = []

afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** Its port. */
function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  open.push(server)
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

const json =
  (value: unknown, status = 200): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))

interface Stage {
  /** By host. */
  readonly names?: Readonly<Record<string, readonly string[]>>
  /** Where what goes to an address really goes. */
  readonly port?: number
  readonly env?: Readonly<Record<string, string>>
}

/** Everything goes to one port of this machine, whatever address it is for. */
function stage({ names = {}, port, env = {} }: Stage): { world: World; sent: HttpRequest[] } {
  const real = createNodeWorld({ env })
  const sent: HttpRequest[] = []
  const world: World = {
    ...real,
    resolver: {
      addressesOf: async (host) => {
        const found = names[host]
        if (found === undefined) throw Object.assign(new Error(`no ${host}`), { code: 'ENOTFOUND' })
        return found
      },
    },
    http: {
      request(request, listener) {
        sent.push(request)
        const { address: _, ...rest } = request
        return real.http.request(
          port === undefined ? request : { ...rest, origin: `http://127.0.0.1:${port}` },
          listener,
        )
      },
    },
  }
  return { world, sent }
}

function guarded(world: World, guard: Partial<Guard> = {}): GuardedFetch {
  return createGuardedFetch(world, { serverUrl: 'http://127.0.0.1:1/mcp', ...STRICT_LIMITS, ...guard })
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(GuardError)
  return `${(error as GuardError).refusal}: ${(error as GuardError).message}`
}

const PUBLIC = { 'mcp.test': ['93.184.216.34'], 'auth.test': ['93.184.216.35'] }
const FROM_PUBLIC = { serverUrl: 'https://mcp.test/mcp' }

describe('what is answered', () => {
  test('JSON comes through, with status and headers', async () => {
    const port = await serve((_, response) =>
      response
        .writeHead(400, { 'content-type': 'application/json; charset=utf-8', 'dpop-nonce': 'n' })
        .end('{"error":"x"}'),
    )
    const response = await guarded(stage({}).world)(`http://127.0.0.1:${port}/token`, { method: 'POST' })
    expect([response.status, response.headers.get('dpop-nonce'), await response.json()]).toEqual([
      400,
      'n',
      { error: 'x' },
    ])
  })

  test('a form is sent as one', async () => {
    const seen: string[] = []
    const port = await serve((request, response) => {
      request.on('data', (chunk: Buffer) => seen.push(chunk.toString()))
      request.on('end', () => {
        seen.unshift(request.headers['content-type'] ?? '')
        json({})(request, response)
      })
    })
    const body = new URLSearchParams({ a: 'b c' })
    await guarded(stage({}).world)(`http://127.0.0.1:${port}/`, { method: 'POST', body })
    expect(seen).toEqual(['application/x-www-form-urlencoded', 'a=b+c'])
  })

  test('of 10 MB from a token endpoint, and of an answer without an end, 16 KB are read', async () => {
    let onClosed = (): void => undefined
    const closed = new Promise<void>((resolve) => (onClosed = resolve))
    const port = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      if (request.url === '/large') return response.end(`"${'x'.repeat(10 * 1024 * 1024)}"`)
      const more = (): void => void response.write('x'.repeat(64 * 1024), () => response.destroyed || more())
      response.on('close', onClosed)
      more()
    })
    for (const path of ['large', 'endless']) {
      const answer = guarded(stage({}).world)(`http://127.0.0.1:${port}/${path}`, { method: 'POST' })
      expect(await refusalOf(answer)).toBe(`too-large: 127.0.0.1:${port} answered with more than 16 KB`)
    }
    await closed
  })

  test('a description may be longer than what brings a token', async () => {
    const port = await serve(json({ scopes_supported: Array.from({ length: 5000 }, (_, i) => `scope-${i}`) }))
    const response = await guarded(stage({}).world)(`http://127.0.0.1:${port}/.well-known/x`)
    expect(await response.json()).toMatchObject({ scopes_supported: { length: 5000 } })
  })

  test('a web page from a token endpoint is refused', async () => {
    const port = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    )
    const answer = guarded(stage({}).world)(`http://127.0.0.1:${port}/token?code=x`, { method: 'POST' })
    // Without the query, which may hold a code.
    expect(await refusalOf(answer)).toBe(`not-json: http://127.0.0.1:${port}/token did not answer with JSON`)
  })

  test('a web page where metadata may be means that there is none', async () => {
    const port = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    )
    expect((await guarded(stage({}).world)(`http://127.0.0.1:${port}/.well-known/x`)).status).toBe(404)
  })

  test('silence has a limit', async () => {
    const port = await serve(() => undefined)
    const { world } = stage({})
    const clock = {
      ...world.clock,
      after: (ms: number, step: () => void) => world.clock.after(ms === ANSWER_MS ? 50 : ms, step),
    }
    const answer = guarded({ ...world, clock })(`http://127.0.0.1:${port}/`)
    expect(await refusalOf(answer)).toMatch(/^too-slow: 127\.0\.0\.1:\d+ gave no answer within 30 s$/)
  })

  test('who waits can give up', async () => {
    const port = await serve(() => undefined)
    const controller = new AbortController()
    const answer = guarded(stage({}).world, { signal: controller.signal })(`http://127.0.0.1:${port}/`)
    queueMicrotask(() => controller.abort(new Error('enough')))
    await expect(answer).rejects.toThrow('enough')
  })

  test('nobody there is told in words', async () => {
    expect(await refusalOf(guarded(stage({}).world)('http://127.0.0.1:1/'))).toBe(
      'unreachable: nobody answers at `127.0.0.1:1` (connection refused)',
    )
  })
})

describe('redirects', () => {
  test('of a token endpoint to another origin are refused, and nothing is sent there', async () => {
    const other: string[] = []
    const away = await serve((request, response) => {
      other.push(request.url ?? '')
      json({})(request, response)
    })
    const port = await serve((_, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${away}/token` }).end(),
    )
    const answer = guarded(stage({}).world)(`http://127.0.0.1:${port}/token`, { method: 'POST' })
    expect(await refusalOf(answer)).toBe(
      `redirect: 127.0.0.1:${port} redirects to 127.0.0.1:${away}, which is not followed`,
    )
    expect(other).toEqual([])
  })

  test('of metadata to another origin mean that there is none', async () => {
    const port = await serve((_, response) =>
      response.writeHead(302, { location: 'https://login.test/' }).end(),
    )
    expect((await guarded(stage({}).world)(`http://127.0.0.1:${port}/.well-known/x`)).status).toBe(404)
  })

  test('within the origin are left to whoever asked', async () => {
    const port = await serve((_, response) => response.writeHead(302, { location: '/there' }).end())
    const response = await guarded(stage({}).world)(`http://127.0.0.1:${port}/here`)
    expect([response.status, response.headers.get('location')]).toEqual([302, '/there'])
  })
})

describe('https', () => {
  test.each(['http://auth.test/token', 'http://93.184.216.34/token', 'ftp://auth.test/'])(
    '%s is refused, before anything is sent',
    async (url) => {
      const { world, sent } = stage({ names: PUBLIC })
      expect(await refusalOf(guarded(world, FROM_PUBLIC)(url, { method: 'POST' }))).toMatch(
        /^not-https: .* is not https, .* \(asked for by mcp\.test\)$/,
      )
      expect(sent).toEqual([])
    },
  )

  test('an entry may allow it, in so many words', async () => {
    const port = await serve(json({ ok: true }))
    const { world } = stage({ names: PUBLIC, port })
    const fetch = guarded(world, { ...FROM_PUBLIC, allowsHttp: true })
    expect(await (await fetch('http://auth.test/token', { method: 'POST' })).json()).toEqual({ ok: true })
  })

  test.each(['http://localhost:PORT/', 'http://app.localhost:PORT/', 'http://127.0.0.1:PORT/'])(
    '%s needs none',
    async (url) => {
      const port = await serve(json({}))
      expect((await guarded(stage({}).world)(url.replace('PORT', String(port)))).status).toBe(200)
    },
  )
})

describe('addresses of this network', () => {
  test('are told of before plain HTTP, which no entry could allow there', async () => {
    const { world, sent } = stage({ names: PUBLIC })
    const refusal = await refusalOf(
      guarded(world, FROM_PUBLIC)('http://169.254.169.254/token', { method: 'POST' }),
    )
    expect(refusal).toMatch(/^private-address: /)
    expect(sent).toEqual([])
  })

  test.each([
    ['a name', 'https://intern.test/', { 'intern.test': ['10.0.0.5'] }, '10.0.0.5'],
    [
      'one name among several addresses',
      'https://mixed.test/',
      { 'mixed.test': ['93.184.216.34', '192.168.0.1'] },
      '192.168.0.1',
    ],
    ['a literal', 'https://169.254.169.254/latest', {}, '169.254.169.254'],
    ['IPv6', 'https://[fd00::1]/', {}, 'fd00::1'],
    ['IPv4 in IPv6', 'https://[::ffff:127.0.0.1]/', {}, '::ffff:7f00:1'],
    ['this machine', 'http://localhost:3000/', {}, '127.0.0.1'],
    ['this machine, by a public name', 'https://sneaky.test/', { 'sneaky.test': ['127.0.0.1'] }, '127.0.0.1'],
  ] as const)('%s is refused on behalf of a public server', async (_, url, names, address) => {
    const { world, sent } = stage({ names: { ...PUBLIC, ...names } })
    const refusal = await refusalOf(guarded(world, FROM_PUBLIC)(url))
    expect(refusal).toBe(
      `private-address: ${new URL(url).host} is at ${address}, in the network of this machine, where a server of the internet has no business`,
    )
    expect(sent).toEqual([])
  })

  test('are for servers of this network to name', async () => {
    const port = await serve(json({}))
    const { world, sent } = stage({
      names: { 'mcp.corp': ['10.0.0.1'], 'auth.corp': ['10.0.0.2'] },
      port,
    })
    const fetch = guarded(world, { serverUrl: 'https://mcp.corp/mcp' })
    expect((await fetch('https://auth.corp/')).status).toBe(200)
    expect(sent.map(({ address }) => address)).toEqual(['10.0.0.2'])
  })

  test('where clouds keep keys is for nobody to name', async () => {
    const { world } = stage({ names: { 'mcp.corp': ['10.0.0.1'] } })
    const fetch = guarded(world, { serverUrl: 'https://mcp.corp/mcp' })
    expect(await refusalOf(fetch('https://169.254.169.254/'))).toMatch(/^private-address/)
  })

  test('a public one is connected to as it was looked up: the name cannot mean another a moment later', async () => {
    const port = await serve(json({}))
    const { world, sent } = stage({ names: PUBLIC, port })
    await guarded(world, FROM_PUBLIC)('https://auth.test/x?y')
    expect(sent).toMatchObject([{ origin: 'https://auth.test', path: '/x?y', address: '93.184.216.35' }])
  })

  test('the real HTTP goes to the address it is told, and not to where the name leads', async () => {
    const port = await serve((request, response) => json({ host: request.headers.host })(request, response))
    const text = await new Promise<string>((resolve, reject) => {
      let body = ''
      createNodeWorld({ env: {} }).http.request(
        {
          method: 'GET',
          origin: `http://nowhere.invalid:${port}`,
          path: '/',
          headers: [],
          address: '127.0.0.1',
          isUrgent: true,
        },
        {
          onHead: () => 'whole',
          onText: (whole) => (body = whole),
          onEnd: () => resolve(body),
          onFailed: (error) => reject(new Error(error.message)),
        },
      )
    })
    expect(text).toBe(`{"host":"nowhere.invalid:${port}"}`)
  })

  test('a name that nobody has is told in words', async () => {
    const { world } = stage({ names: PUBLIC })
    expect(await refusalOf(guarded(world, FROM_PUBLIC)('https://typo.test/'))).toBe(
      'unreachable: `typo.test` is not found: there is no host of that name',
    )
  })

  test('behind a proxy names are not looked up here, and servers count as public', async () => {
    const { world, sent } = stage({
      env: { https_proxy: 'http://proxy.test:3128' },
      port: await serve(json({})),
    })
    const fetch = guarded(world, FROM_PUBLIC)
    expect((await fetch('https://auth.test/')).status).toBe(200)
    expect(sent[0]!.address).toBeUndefined()
    expect(await refusalOf(fetch('https://10.0.0.1/'))).toMatch(/^private-address/)
  })
})
