/**
 * serve: the built command, as a person or an agent starts it.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { connectClient, httpTransport, writeSettings } from '../gateway/open.ts'
import { serverEntry } from '../../boards/open.ts'
import { leftOf } from '../../boards/watch.ts'
import { openMachine } from '../../processes/plugboard.ts'
import { startGateway } from './start-gateway.ts'

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 0],
] as const)('over HTTP it serves until %s, and ends its servers', async (signal, code) => {
  using machine = openMachine()
  writeSettings(machine.home, { servers: { x: serverEntry('echoes-env') } })
  const { child, url, exit } = await startGateway(machine.home, machine.project)
  const token = readFileSync(machine.at('~/.local/state/plugboard/gateway-token'), 'utf8').trim()
  await using one = await connectClient(httpTransport(new URL('/mcp/x', url), token), { era: 'modern' })
  const { client } = one
  const { content } = await client.callTool({ name: 'env', arguments: {} })
  expect(JSON.stringify(content)).toContain('HOME')
  const pids = childrenOf(child.pid!)
  expect(pids.length).toBeGreaterThan(0)
  child.kill(signal)
  expect(await exit).toBe(code)
  expect(await leftOf(pids, 5000)).toEqual([])
})

/** Linux: the processes that a process has started. */
function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

test.each([
  [[], 'cli/one-way-to-serve'],
  [['--stdio', '--http', '1'], 'cli/one-way-to-serve'],
  [['--http', 'x'], 'cli/bad-address'],
  [['--http', '0.0.0.0:7777'], 'serve/not-loopback'],
])('%j is refused with %s', async (flags, code) => {
  using machine = openMachine()
  const ran = await machine.run(['serve', ...flags, '--json'])
  expect({ code: ran.code, error: JSON.parse(ran.stdout).error.code }).toEqual({ code: 2, error: code })
})

test('a port that is taken is said to be', async () => {
  using machine = openMachine()
  const { child, url, exit } = await startGateway(machine.home, machine.project)
  const ran = await machine.run(['serve', '--http', url.port])
  expect(ran.stderr).toContain(`another program listens on \`127.0.0.1:${url.port}\` already`)
  expect(ran.code).toBe(1)
  child.kill('SIGINT')
  await exit
})
