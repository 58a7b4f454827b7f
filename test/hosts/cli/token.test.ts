/**
 * token: tokens with a name, for clients of a gateway that runs.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { modeOf, openDaemonMachine, server, type DaemonMachine } from '../gateway/daemon.ts'
import { connectClient, httpTransport, textOf, type TestClient } from '../gateway/open.ts'
import type { Machine } from '../../processes/plugboard.ts'
import { startGateway } from './start-gateway.ts'

const FILES = {
  '~/.config/plugboard/settings.json': { permissions: { rules: [{ tool: 'mcp__*', action: 'allow' }] } },
  './.mcp.json': { mcpServers: { shop: server('tells-who', { env: { VALUE: 'shop' } }) } },
}

const WAYS = {
  'in the foreground': async ({ machine }: DaemonMachine) => {
    const { url, child, exit } = await startGateway(machine.home, machine.home)
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await exit
    })
    return url
  },
  'in the background': async ({ machine, status }: DaemonMachine) => {
    await machine.run(['serve', '--daemon', '--http', '0'])
    return new URL((await status()).gateway.address!)
  },
}

async function addToken(machine: Machine, ...words: readonly string[]): Promise<string> {
  const { token } = (await machine.json(['token', 'add', ...words])) as {
    readonly token: { readonly token: string }
  }
  return token.token
}

const open = (url: URL, token: string): Promise<TestClient> =>
  connectClient(httpTransport(url, token), { era: 'modern' })

const namesOf = async ({ client }: TestClient): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name).filter((name) => name.endsWith('__who'))

const pidOf = async ({ client }: TestClient, name: string): Promise<number> =>
  (JSON.parse(textOf(await client.callTool({ name, arguments: {} }))) as { readonly pid: number }).pid

/** 405 for whoever is let in: there is nothing to get. */
async function knock(url: URL, token: string): Promise<number> {
  return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status
}

describe.each(Object.entries(WAYS))('a gateway %s', (_, start) => {
  test('shows a project to who has a token for it, what is approved there, until it is taken back', async () => {
    await using daemon = openDaemonMachine({ mine: server('tells-who') }, FILES)
    const { machine } = daemon
    const url = await start(daemon)
    const own = readFileSync(machine.at('~/.local/state/plugboard/gateway-token'), 'utf8').trim()
    const bound = await addToken(machine, '--project', '.')
    const further = await addToken(machine, 'further')
    await using owner = await open(url, own)
    await using inProject = await open(url, bound)
    await using everywhere = await open(url, further)
    await expect.poll(() => namesOf(inProject)).toEqual(['mcp__mine__who'])
    await machine.run(['trust', 'approve', '--all', '--yes'])
    await expect.poll(() => namesOf(inProject)).toEqual(['mcp__mine__who', 'mcp__shop__who'])
    expect([await namesOf(owner), await namesOf(everywhere)]).toEqual([
      ['mcp__mine__who'],
      ['mcp__mine__who'],
    ])
    // It runs once, whoever asks.
    expect(await pidOf(inProject, 'mcp__mine__who')).toBe(await pidOf(owner, 'mcp__mine__who'))

    await using legacy = await connectClient(httpTransport(url, bound), { era: 'legacy' })
    expect(await pidOf(legacy, 'mcp__shop__who')).toBeGreaterThan(0)
    const stream = await inProject.client.listen({ toolsListChanged: true })
    await machine.run(['token', 'remove', machine.project.split('/').at(-1)!])
    await stream.closed
    await expect.poll(() => knock(url, bound)).toBe(401)
    await expect(legacy.client.listTools()).rejects.toThrow()
    expect([await knock(url, further), await knock(url, own)]).toEqual([405, 405])
    const metrics = new URL('/metrics', url)
    expect([await knock(metrics, further), await knock(metrics, own)]).toEqual([401, 200])
  }, 60_000)
})

test('what is kept is for nobody else to read, and no token', async () => {
  await using daemon = openDaemonMachine({})
  const { machine } = daemon
  const token = await addToken(machine, 'ci')
  const file = machine.at('~/.local/state/plugboard/gateway-tokens.json')
  expect(modeOf(file)).toBe(0o600)
  expect(readFileSync(file, 'utf8')).not.toContain(token)
  expect(await machine.json(['token', 'list'])).toMatchObject({ tokens: [{ name: 'ci' }], problems: [] })
})
