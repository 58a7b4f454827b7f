/**
 * slow-clients: clients of the built gateway that do not read what they asked for, over HTTP and over stdio.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { createParser } from 'eventsource-parser'
import { expect, test } from 'vitest'
import { Abort } from '../../../src/base/abort.ts'
import type { Caller } from '../../../src/hosts/gateway/caller.ts'
import { SuspendedCall } from '../../../src/hosts/gateway/suspended-call.ts'
import type { Result } from '../../../src/model/message.ts'
import { MODERN_VERSION } from '../../../src/model/session.ts'
import { serverEntry } from '../../boards/open.ts'
import { BIN, type Machine, openMachine } from '../../processes/plugboard.ts'
import { startServing, tokenOf, type ServingProcess } from '../../processes/serve.ts'
import { writeSettings } from './open.ts'

const MB = 1_000_000

const LONG = 180_000

/** On a busy machine. */
const SOON = { timeout: 120_000, interval: 250 }

const bulk = (id: number, more: object): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'bulk', arguments: more },
})

async function startBulky(machine: Machine): Promise<ServingProcess> {
  writeSettings(machine.home, { servers: { x: serverEntry('bulky') } })
  return startServing(machine, '--http', '0')
}

/** A request of 2026-07-28, on a connection of its own that reads nothing until it is resumed. */
function ask(
  { url }: ServingProcess,
  { token, accept, agent, args }: { token: string; accept: string; agent: string; args: object },
): Socket {
  const params = {
    name: 'bulk',
    arguments: args,
    _meta: {
      progressToken: 1,
      'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
      'io.modelcontextprotocol/clientInfo': { name: agent, version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const head = [
    'POST /mcp/x HTTP/1.1',
    `Host: ${url.host}`,
    `Authorization: Bearer ${token}`,
    `Accept: ${accept}`,
    `User-Agent: ${agent}`,
    'Content-Type: application/json',
    `MCP-Protocol-Version: ${MODERN_VERSION}`,
    'Mcp-Method: tools/call',
    'Mcp-Name: bulk',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  const socket = connect(Number(url.port), '127.0.0.1').setEncoding('latin1').pause()
  // It is hung up on.
  socket.on('error', () => undefined)
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  return socket
}

async function readAll(socket: Socket): Promise<string> {
  const pieces: string[] = []
  socket.on('data', (piece: string) => pieces.push(piece)).resume()
  await once(socket, 'close')
  return pieces.join('')
}

async function metric({ url }: ServingProcess, token: string, name: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  const text = await (await fetch(new URL('/metrics', url), { headers })).text()
  const line = text.split('\n').find((one) => one.startsWith(`${name} `) || one.startsWith(`${name}{`))
  return Number(line?.split(' ').at(-1) ?? 0)
}

/** The most memory that the process ever had. */
function peakOf(pid: number | undefined): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

test.runIf(process.platform === 'linux')(
  'a client that reads none of its large answers loses them, and the gateway does not keep them',
  async () => {
    using machine = openMachine()
    await using gateway = await startBulky(machine)
    const token = tokenOf(machine)
    const deaf = Array.from({ length: 10 }, () =>
      ask(gateway, { token, accept: 'application/json', agent: 'deaf', args: { bytes: 40 * MB } }),
    )
    try {
      const answered = 'plugboard_requests_total{method="tools/call",outcome="done"}'
      await expect.poll(() => metric(gateway, token, answered), SOON).toBe(10)
      expect(await metric(gateway, token, 'plugboard_slow_clients_total')).toBeGreaterThan(0)
      expect(peakOf(gateway.child.pid)).toBeLessThan(650 * MB)
      // Who reads is served meanwhile.
      const good = ask(gateway, {
        token,
        accept: 'application/json',
        agent: 'good',
        args: { bytes: 30 * MB },
      })
      expect((await readAll(good)).length).toBeGreaterThan(30 * MB)
    } finally {
      for (const socket of deaf) socket.destroy()
    }
  },
  LONG,
)

test(
  'a large answer comes whole where something was told before it',
  async () => {
    using machine = openMachine()
    await using gateway = await startBulky(machine)
    const args = { bytes: 30 * MB, tell: true }
    const response = await fetch(new URL('/mcp/x', gateway.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokenOf(machine)}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': MODERN_VERSION,
        'mcp-method': 'tools/call',
        'mcp-name': 'bulk',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'bulk',
          arguments: args,
          _meta: {
            progressToken: 1,
            'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
            'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const told: string[] = []
    const parser = createParser({ onEvent: ({ data }) => told.push(data) })
    parser.feed(await response.text())
    expect(told.map((one) => one.length > 30 * MB)).toEqual([false, true])
  },
  LONG,
)

test(
  'a stdio client that does not read ends the gateway that it started, which says why',
  async () => {
    using machine = openMachine()
    writeSettings(machine.home, { servers: { x: serverEntry('bulky') } })
    // One socket both ways: writing to it does not block.
    const front = createServer()
    await new Promise<void>((resolve) => void front.listen(machine.at('~/front'), resolve))
    const end = connect(machine.at('~/front'))
    const [client] = (await once(front, 'connection')) as [Socket]
    const child = spawn(process.execPath, [BIN, 'serve', '--stdio', '--alone'], {
      env: { HOME: machine.home, PATH: process.env['PATH'] ?? '' },
      cwd: machine.project,
      stdio: [end, end, 'pipe'],
    })
    let said = ''
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text))
    const closed = once(child, 'close')
    try {
      client.pause()
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      }
      const calls = Array.from({ length: 10 }, (_, i) => ({
        ...bulk(i + 1, { bytes: 40 * MB }),
        params: { name: 'mcp__x__bulk', arguments: { bytes: 40 * MB } },
      }))
      for (const message of [{ jsonrpc: '2.0', id: 0, method: 'initialize', params }, ...calls])
        client.write(`${JSON.stringify(message)}\n`)
      expect((await closed)[0]).toBe(1)
      expect(said).toContain('error: cannot write to standard output: the other side does not read')
    } finally {
      child.kill('SIGKILL')
      await closed
      end.destroy()
      client.destroy()
      front.close()
    }
  },
  LONG,
)

test('a long result that came while the client was away is not kept, and the client is told', async () => {
  const caller = {} as Caller
  let finish: (result: Result) => void = () => undefined
  const call = new SuspendedCall(
    (open) => {
      // Its server asks, and does not wait.
      open.ask?.('elicitation/create', {}, new Abort()).catch(() => undefined)
      return new Promise((resolve) => (finish = resolve))
    },
    { caller, more: {}, about: 'x', isPermitted: false },
  )
  expect((await call.next(caller, new Abort())).kind).toBe('questions')
  finish({ content: [{ type: 'text', text: 'x'.repeat(2 * MB) }] })
  await new Promise((resolve) => setImmediate(resolve))
  await expect(call.next(caller, new Abort())).rejects.toThrow('while the client was away')
})
