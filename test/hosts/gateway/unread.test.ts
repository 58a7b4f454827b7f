/**
 * unread: clients of the built gateway, while a server behind it does not read.
 */
import { expect, test } from 'vitest'
import { MODERN_VERSION } from '../../../src/model/session.ts'
import { serverEntry } from '../../boards/open.ts'
import { openMachine } from '../../processes/plugboard.ts'
import { startServing, tokenOf } from '../../processes/serve.ts'

/** Seven of them are more than may wait for a server. */
const TEXT = 'x'.repeat(10 * 1024 * 1024)

const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
}

test('a call to a server that does not read is refused, and other servers go on', async () => {
  using machine = openMachine({
    '~/.config/plugboard/mcp.json': {
      mcpServers: { x: serverEntry('stops-reading'), good: serverEntry('well-behaved') },
    },
    '~/.config/plugboard/settings.json': { permissions: { rules: [{ tool: 'mcp__*', action: 'allow' }] } },
  })
  await using serving = await startServing(machine, '--http', '127.0.0.1:0')
  const over = new AbortController()
  const call = async (name: string, args: object): Promise<unknown> => {
    const response = await fetch(serving.url, {
      method: 'POST',
      signal: over.signal,
      headers: {
        authorization: `Bearer ${tokenOf(machine)}`,
        'content-type': 'application/json',
        accept: 'application/json',
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
    const { result } = (await response.json()) as { result: { content: readonly { text: string }[] } }
    return result.content[0]?.text
  }
  expect(await call('mcp__x__stop', {})).toBe('not reading')
  const calls = Array.from({ length: 9 }, (_, i) => call('mcp__x__take', { text: `${i}${TEXT}` }))
  try {
    expect(await Promise.race(calls)).toContain('the server does not read what is sent to it: 7')
    expect(await call('mcp__good__echo', { text: 'well' })).toBe('well')
  } finally {
    over.abort()
    await Promise.allSettled(calls)
  }
})
