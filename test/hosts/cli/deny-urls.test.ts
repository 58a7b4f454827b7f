/**
 * deny-urls: a rule about an address holds for every way to write it. The built command.
 */
import { expect, test } from 'vitest'
import { openMachine } from '../../processes/plugboard.ts'

test('a deny rule for an address denies a WebSocket there, and its spellings', async () => {
  const servers = {
    mapped: { type: 'http', url: 'http://[::ffff:127.0.0.1]:3000/mcp' },
    socket: { type: 'ws', url: 'ws://127.0.0.1:3000/mcp' },
    number: { type: 'http', url: 'http://2130706433:3000/mcp' },
    secure: { type: 'ws', url: 'wss://evil.test/mcp' },
    other: { type: 'http', url: 'https://good.test/mcp' },
  }
  using machine = openMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: servers },
    '~/.config/plugboard/settings.json': {
      deniedMcpServers: [{ serverUrl: 'http://127.0.0.1:*/*' }, { serverUrl: 'https://evil.test/*' }],
    },
  })
  const { servers: entries } = (await machine.json(['list', '--all'])) as {
    readonly servers: readonly { readonly name: string; readonly fate: { readonly kind: string } }[]
  }
  expect(Object.fromEntries(entries.map(({ name, fate }) => [name, fate.kind]))).toEqual({
    mapped: 'denied',
    socket: 'denied',
    number: 'denied',
    secure: 'denied',
    other: 'chosen',
  })
})
