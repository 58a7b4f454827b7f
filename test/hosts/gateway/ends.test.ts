/**
 * ends: how the built gateway ends, as its clients and whoever stands before it see that.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createParser } from 'eventsource-parser'
import { describe, expect, test } from 'vitest'
import { LEGACY_VERSIONS, MODERN_VERSION, type Era } from '../../../src/model/session.ts'
import { serverEntry } from '../../boards/open.ts'
import { BIN, type Machine, openMachine } from '../../processes/plugboard.ts'
import { startServing, tokenOf, type ServingProcess } from '../../processes/serve.ts'
import { connectClient, httpTransport, writeSettings } from './open.ts'

/** On a busy machine. */
const SOON = { timeout: 20_000 }

const MESSAGE = 'the gateway ended before it had answered: what was asked for may have happened'

const ENDLESS = { name: 'work', arguments: { steps: 100_000, ms: 50 } }

async function start(machine: Machine, ...flags: readonly string[]): Promise<ServingProcess> {
  writeSettings(machine.home, { servers: { x: serverEntry('progress') } })
  return startServing(machine, '--http', '0', ...flags)
}

function isOpen({ url }: ServingProcess): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

async function isReady({ url }: ServingProcess): Promise<number> {
  return (await fetch(new URL('/readyz', url))).status
}

const META = {
  progressToken: 1,
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A call of 2026-07-28 by hand. */
function post(gateway: ServingProcess, token: string, accept: string): Promise<Response> {
  return fetch(new URL('/mcp/x', gateway.url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept,
      'mcp-protocol-version': MODERN_VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': 'work',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { ...ENDLESS, _meta: META },
    }),
  })
}

describe('a call that takes longer than the end of the gateway waits', () => {
  test.each<Era>(['legacy', 'modern'])('fails at once for a %s client of the SDK', async (era) => {
    using machine = openMachine()
    await using gateway = await start(machine, '--drain-timeout', '0.2', '--audit', 'audit.jsonl')
    const transport = httpTransport(new URL('/mcp/x', gateway.url), tokenOf(machine))
    const { client } = await connectClient(transport, { era })
    let begun: (() => void) | undefined
    const isBegun = new Promise<void>((resolve) => (begun = resolve))
    const call = client.callTool(ENDLESS, { onprogress: () => begun?.() })
    const failed = expect(call).rejects.toThrow(MESSAGE)
    await isBegun
    gateway.child.kill('SIGTERM')
    await failed
    expect(await gateway.exit).toBe(0)
    const lines = readFileSync(machine.at('./audit.jsonl'), 'utf8').trim().split('\n')
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ tool: 'work', outcome: 'aborted' }),
    ])
  })

  test('is the last event of its stream, and the whole answer where there is none', async () => {
    using machine = openMachine()
    await using gateway = await start(machine, '--drain-timeout', '0.2')
    const token = tokenOf(machine)
    const stream = await post(gateway, token, 'application/json, text/event-stream')
    const whole = post(gateway, token, 'application/json')
    const underWay = async (): Promise<string> => {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(new URL('/metrics', gateway.url), { headers })).text()
    }
    await expect.poll(underWay, SOON).toMatch(/under_way 2|in_flight 2/)
    gateway.child.kill('SIGTERM')
    const told: string[] = []
    createParser({ onEvent: ({ data }) => told.push(data) }).feed(await stream.text())
    const error = { jsonrpc: '2.0', id: 7, error: { code: -32603, message: MESSAGE } }
    expect(JSON.parse(told.at(-1)!)).toEqual(error)
    const answer = await whole
    expect([answer.status, await answer.json()]).toEqual([200, error])
    expect(await gateway.exit).toBe(0)
  })

  test('is answered over stdio, too', async () => {
    using machine = openMachine()
    writeSettings(machine.home, { servers: { x: serverEntry('progress') } })
    const child = spawn(process.execPath, [BIN, 'serve', '--stdio', '--alone', '--drain-timeout', '0.2'], {
      env: { HOME: machine.home, PATH: process.env['PATH'] ?? '' },
      cwd: machine.project,
    })
    const closed = once(child, 'close')
    try {
      let heard = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => (heard += text))
      const params = {
        protocolVersion: LEGACY_VERSIONS[0],
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      }
      const call = { ...ENDLESS, name: 'mcp__x__work', _meta: { progressToken: 1 } }
      for (const message of [
        { id: 1, method: 'initialize', params },
        { id: 2, method: 'tools/call', params: call },
      ])
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      await expect.poll(() => heard, SOON).toContain('notifications/progress')
      child.kill('SIGTERM')
      expect((await closed)[0]).toBe(0)
      const last = heard.trim().split('\n').at(-1)!
      expect(JSON.parse(last)).toEqual({ jsonrpc: '2.0', id: 2, error: { code: -32603, message: MESSAGE } })
    } finally {
      child.kill('SIGKILL')
      await closed
    }
  })
})

describe('a gateway that others send clients to', () => {
  test('says that it is not ready, and serves on until they had time to see it', async () => {
    using machine = openMachine()
    await using gateway = await start(machine, '--lame-duck', '3', '--drain-timeout', '0')
    const { client } = await connectClient(httpTransport(new URL('/mcp/x', gateway.url), tokenOf(machine)), {
      era: 'modern',
    })
    expect(await isReady(gateway)).toBe(200)
    gateway.child.kill('SIGTERM')
    await gateway.until('`/readyz` says no from now on, and for 3 s everything else goes on')
    expect(await isReady(gateway)).toBe(503)
    expect(await client.callTool({ name: 'work', arguments: { steps: 1, ms: 1 } })).toMatchObject({
      content: [{ text: 'worked 1 steps' }],
    })
    expect(await isOpen(gateway)).toBe(true)
    expect(await gateway.exit).toBe(0)
    await client.close().catch(() => undefined) // there is nobody to say goodbye to
  })

  test('ends at once at the second signal', async () => {
    using machine = openMachine()
    await using gateway = await start(machine, '--lame-duck', '3600')
    gateway.child.kill('SIGTERM')
    await gateway.until('says no from now on')
    gateway.child.kill('SIGTERM')
    expect(await gateway.exit).toBe('SIGTERM')
  })

  test('takes the time from the settings, and none on this machine alone unless it is told to', async () => {
    using machine = openMachine()
    const write = (gateway?: object): void =>
      writeSettings(machine.home, { servers: { x: serverEntry('progress') }, gateway })
    write({ lameDuckSeconds: 3600 })
    await using slow = await startServing(machine, '--http', '0')
    slow.child.kill('SIGTERM')
    await slow.until('for 3600 s')
    write()
    await using quick = await startServing(machine, '--http', '0')
    quick.child.kill('SIGTERM')
    expect(await quick.exit).toBe(0)
    await using open = await startServing(machine, '--http', '0.0.0.0:0', '--dangerously-serve-without-tls')
    open.child.kill('SIGTERM')
    await open.until('for 5 s')
  })
})
