/**
 * faults: what clients get when a server dies under them, and what the gateway does about clients that misbehave.
 */
import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { MODERN_VERSION } from '../../../src/model/session.ts'
import { serverEntry } from '../../boards/open.ts'
import { openTestGateway, TOKEN, type TestGateway } from './open.ts'

const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
}

const HEADERS = {
  authorization: `Bearer ${TOKEN}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

interface Answer {
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] }
}

async function call(gateway: TestGateway, name: string, args: object): Promise<Answer> {
  const response = await fetch(gateway.url('/mcp/x'), {
    method: 'POST',
    headers: {
      ...HEADERS,
      'mcp-protocol-version': MODERN_VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args, _meta: META },
    }),
  })
  return (await response.json()) as Answer
}

describe('a server that is killed while 32 clients call it', () => {
  it('answers wrongly to nobody, and every call has an outcome', async () => {
    await using gateway = await openTestGateway({ x: serverEntry('well-behaved') })
    await call(gateway, 'echo', { text: 'first' })
    const { children } = gateway.scratch
    let calls = 0
    const oneClient = async (client: number): Promise<readonly string[]> => {
      const ends: string[] = []
      for (let i = 0; i < 15; i++) {
        const text = `${client}-${i}`
        if (++calls % 100 === 0) process.kill(children.at(-1)!.pid, 'SIGKILL')
        const { result } = await call(gateway, 'echo', { text })
        if (result?.isError === true) ends.push('said to have failed')
        else ends.push(result?.content[0]?.text === text ? 'right' : `wrong: ${JSON.stringify(result)}`)
      }
      return ends
    }
    const ends = (await Promise.all(Array.from({ length: 32 }, (_, i) => oneClient(i)))).flat()
    expect(ends).toHaveLength(480)
    // Whether one that may be repeated was under way is for chance to decide.
    expect(ends.filter((end) => end.startsWith('wrong'))).toEqual([])
    expect(ends.filter((end) => end === 'right').length).toBeGreaterThan(240)
    expect(children.length).toBeGreaterThan(1)
  })
})

describe('clients', () => {
  it('that come all at once are all served', async () => {
    await using gateway = await openTestGateway({ x: serverEntry('well-behaved') })
    const initialize = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    })
    const greet = async (): Promise<string | null> => {
      const response = await fetch(gateway.url(), { method: 'POST', headers: HEADERS, body: initialize })
      await response.text()
      return response.headers.get('mcp-session-id')
    }
    const ids = await Promise.all(Array.from({ length: 500 }, greet))
    expect(new Set(ids).size).toBe(500)
    expect(ids).not.toContain(null)
  })

  it('that never read, or hang up in the middle, are no burden for others', async () => {
    await using gateway = await openTestGateway({ x: serverEntry('well-behaved') })
    const { port } = new URL(gateway.origin)
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text: 'x'.repeat(4_000_000) }, _meta: META },
    })
    const head = [
      'POST /mcp/x HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${TOKEN}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `MCP-Protocol-Version: ${MODERN_VERSION}`,
      'Mcp-Method: tools/call',
      'Mcp-Name: echo',
      `Content-Length: ${body.length}`,
    ].join('\r\n')
    const deaf = Array.from({ length: 5 }, () => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.pause()
      socket.write(`${head}\r\n\r\n${body}`)
      return socket
    })
    const quitter = request(gateway.url('/mcp/x'), { method: 'POST', headers: HEADERS })
    quitter.on('error', () => undefined)
    quitter.write('{ "jsonrpc"')
    quitter.destroy()
    const { result } = await call(gateway, 'echo', { text: 'well' })
    expect(result?.content[0]?.text).toBe('well')
    for (const socket of deaf) socket.destroy()
  })
})
