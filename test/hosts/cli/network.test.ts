/**
 * network: what a user reads who cannot reach a server, from the built command; certificates are given to it by the
 * environment, which Node reads when it starts.
 */
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openMachine, type Machine } from '../../processes/plugboard.ts'
import {
  createCertificates,
  type Certificates,
  type CertificateKind,
} from '../../servers/http/certificates.ts'
import { answerLegacy, serve } from '../../servers/http/loopback.ts'
import { startProxy } from '../../servers/http/proxy.ts'

let machine: Machine
let certificates: Certificates
beforeAll(() => {
  machine = openMachine()
  certificates = createCertificates()
})
afterAll(() => {
  machine[Symbol.dispose]()
  certificates[Symbol.dispose]()
})

/** What `plugboard test x` says, with the port as `<port>`. */
async function testServer(
  url: string,
  env: Readonly<Record<string, string>> = {},
  type = 'http',
): Promise<{ readonly code: number; readonly stderr: string }> {
  const config = JSON.stringify({ mcpServers: { x: { type, url } } })
  const { code, stderr } = await machine.run(['test', 'x', '--strict-mcp-config', '--mcp-config', config], {
    env,
  })
  return { code, stderr: stderr.replaceAll(`:${new URL(url).port}`, ':<port>') }
}

const serveWith = (kind: CertificateKind): ReturnType<typeof serve> =>
  serve(answerLegacy, { certificate: certificates.kinds[kind] })

const TRUSTING = (): { readonly NODE_EXTRA_CA_CERTS: string } => ({
  NODE_EXTRA_CA_CERTS: certificates.issuer,
})

describe('a certificate', () => {
  test('whose issuer is known is trusted', async () => {
    await using server = await serveWith('good')
    expect(await testServer(server.url, TRUSTING())).toEqual({ code: 0, stderr: '' })
  })

  test.each<[CertificateKind, string, string]>([
    ['self-signed', 'the certificate of `127.0.0.1:<port>` is self-signed', '`NODE_EXTRA_CA_CERTS`'],
    ['expired', 'the certificate of `127.0.0.1:<port>` has expired', 'check the clock of this machine'],
    ['other-host', 'the certificate of `127.0.0.1:<port>` is for another host', 'use the host in its `url`'],
  ])('that is %s: what, where, and what to do', async (kind, what, step) => {
    await using server = await serveWith(kind)
    const { code, stderr } = await testServer(server.url, TRUSTING())
    expect(code).toBe(1)
    expect(stderr.split('\n')[0]).toBe(`error: Failed to connect to "x": ${what}`)
    expect(stderr).toContain('  address: https://127.0.0.1:<port>/mcp\n')
    expect(stderr).toMatch(new RegExp(`^hint: .*${step}`, 'm'))
  })

  test('whose issuer nobody knows: what, where, and what to do', async () => {
    await using server = await serveWith('good')
    expect(await testServer(server.url)).toEqual({
      code: 1,
      stderr: [
        'error: Failed to connect to "x": the certificate of `127.0.0.1:<port>` comes from an issuer that this machine does not know',
        '  --> --mcp-config:1:16   (Plugboard, dynamic scope, server `x`)',
        '  address: https://127.0.0.1:<port>/mcp',
        '  reported as UNABLE_TO_VERIFY_LEAF_SIGNATURE: unable to verify the first certificate',
        '',
        'hint: if you trust it, save the certificate of its issuer as a PEM file and set `NODE_EXTRA_CA_CERTS` to that file before you start',
        '',
      ].join('\n'),
    })
  })

  test('of a WebSocket is looked at as well', async () => {
    await using server = await serveWith('self-signed')
    const { stderr } = await testServer(server.url.replace('https', 'wss'), {}, 'ws')
    expect(stderr).toContain('the certificate of `127.0.0.1:<port>` is self-signed')
  })
})

describe('an https server behind a proxy', () => {
  test('is reached through a tunnel, and its certificate is checked there', async () => {
    await using server = await serveWith('good')
    await using proxy = await startProxy()
    const env = { HTTPS_PROXY: proxy.url }
    expect(await testServer(server.url, { ...env, ...TRUSTING() })).toEqual({ code: 0, stderr: '' })
    expect(new Set(proxy.asked.map(({ line }) => line))).toEqual(
      new Set([`CONNECT 127.0.0.1:${server.port}`]),
    )
    const { stderr } = await testServer(server.url, env)
    expect(stderr).toContain('comes from an issuer that this machine does not know')
    expect(stderr).toContain(`asked through the proxy \`${proxy.url}\` (\`HTTPS_PROXY\`)`)
  })

  test('is not asked at all when the proxy is not there', async () => {
    await using server = await serveWith('good')
    const { code, stderr } = await testServer(server.url, { HTTPS_PROXY: 'http://ada:secret@127.0.0.1:1' })
    expect(code).toBe(1)
    expect(stderr).toContain('nobody answers at the proxy `http://127.0.0.1:1` (`HTTPS_PROXY`)')
    expect(stderr).not.toContain('secret')
    expect(server.received).toEqual([])
  })
})

describe('a server that', () => {
  test('is not running is told from one that does not exist', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    closed.close()
    await once(closed, 'close')
    expect((await testServer(`http://127.0.0.1:${port}/mcp`)).stderr).toMatch(
      /^error: Failed to connect to "x": nobody answers at `127.0.0.1:<port>` \(connection refused\)\n[^]*\nhint: start the server, or check the port in its `url`\n$/,
    )
    // Too long for a name: known without asking anyone on the network.
    const host = `${'a'.repeat(64)}.invalid`
    expect((await testServer(`http://${host}:8080/mcp`)).stderr).toMatch(
      /^error: Failed to connect to "x": `a+.invalid:<port>` is not found: there is no host of that name\n[^]*\nhint: check the host in its `url`, and that this machine is online\n$/,
    )
  })

  test.each([
    ['http', 'http', 'https'],
    ['ws', 'ws', 'wss'],
  ])('hangs up: what, where, and what to do (%s)', async (type, scheme, secure) => {
    const rude = createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.resetAndDestroy()),
    )
    rude.listen(0, '127.0.0.1')
    await once(rude, 'listening')
    const { stderr } = await testServer(
      `${scheme}://127.0.0.1:${(rude.address() as AddressInfo).port}/`,
      {},
      type,
    )
    rude.close()
    expect(stderr).toMatch(/^error: Failed to connect to "x": `127.0.0.1:<port>` broke off the connection\n/)
    expect(stderr).toContain(
      `hint: if it wants a secure connection, begin its \`url\` with \`${secure}://\`\n`,
    )
  })

  test('does not speak TLS is told so', async () => {
    await using server = await serve(answerLegacy)
    const { stderr } = await testServer(server.url.replace('http:', 'https:'))
    expect(stderr).toMatch(/^error: Failed to connect to "x": `127.0.0.1:<port>` does not speak TLS\n/)
    expect(stderr).toContain('hint: if it has no certificate, begin its `url` with `http://`\n')
  })

  test('wants TLS and is asked without: a step to take', async () => {
    await using server = await serveWith('good')
    const { stderr } = await testServer(server.url.replace('https:', 'http:'))
    expect(stderr).toContain('begin its `url` with `https://`')
  })

  test.each([
    ['http', 200, 'text/html', 'it answered with a web page'],
    ['sse', 200, 'text/html; charset=utf-8', 'it answered with a web page'],
    ['http', 404, 'text/html', 'the server answered with HTTP 404'],
    ['ws', 200, 'text/html', 'the server answered with HTTP 200'],
    ['ws', 503, 'text/html', 'the server answered with HTTP 503'],
  ])(
    'answers with a page says so, and quotes its title (%s, %i)',
    async (type, status, contentType, what) => {
      const page =
        '<!doctype html>\n<html><head><style>p {}</style><title>Sign in to Acme</title></head></html>'
      await using server = await serve(({ response }) =>
        response.writeHead(status, { 'content-type': contentType }).end(page),
      )
      const url = type === 'ws' ? server.url.replace('http', 'ws') : server.url
      const { stderr, code } = await testServer(url, {}, type)
      expect(code).toBe(1)
      expect(stderr.split('\n')[0]).toBe(`error: Failed to connect to "x": ${what}`)
      expect(stderr).toContain('  it said: "Sign in to Acme"\n')
      expect(stderr).toContain('hint: check the path of its `url`: many servers end in `/mcp` or `/sse`\n')
      expect(stderr).toContain('hint: if the page is one to sign in at, give its entry a token')
    },
  )
})
