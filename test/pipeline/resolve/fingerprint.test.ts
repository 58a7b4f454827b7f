/**
 * Fingerprints: the same for what is launched alike, another for anything that is not.
 */
import { describe, expect, test } from 'vitest'
import { fingerprintOf } from '../../../src/pipeline/resolve/fingerprint.ts'
import { admittedIn, worldWith, type Agent } from './launching.ts'
import { createMemoryWorld } from '../../worlds/memory.ts'

async function fingerprint(entry: Readonly<Record<string, unknown>>, agent: Agent = 'ours'): Promise<string> {
  return fingerprintOf(await admittedIn(worldWith(agent, entry)))
}

const LOCAL = { command: 'npx', args: ['-y', 'x'], env: { A: '1', B: '${TOKEN}' } }
const REMOTE = { type: 'http', url: 'https://a.example/mcp', headers: { A: '1' } }

describe('a fingerprint', () => {
  test('is a hash that needs no value of any variable', async () => {
    const world = worldWith('ours', LOCAL, { env: { TOKEN: 'swordfish' } })
    expect(fingerprintOf(await admittedIn(world))).toBe(await fingerprint(LOCAL))
    expect(await fingerprint(LOCAL)).toMatch(/^[0-9a-f]{64}$/)
  })

  test.each([
    [
      'the order of fields and variables',
      { env: { B: '${TOKEN}', A: '1' }, args: ['-y', 'x'], command: 'npx' },
    ],
    ['the description', { ...LOCAL, description: 'words' }],
    ['the tool filters', { ...LOCAL, includeTools: ['a'] }],
  ])('does not depend on %s', async (_, entry) => {
    expect(await fingerprint(entry)).toBe(await fingerprint(LOCAL))
  })

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['the program', { ...LOCAL, command: 'uvx' }],
    ['the order of arguments', { ...LOCAL, args: ['x', '-y'] }],
    ['a variable', { ...LOCAL, env: { A: '2', B: '${TOKEN}' } }],
    ['a reference', { ...LOCAL, env: { A: '1', B: '${TOKEN:-x}' } }],
    ['the folder', { ...LOCAL, cwd: '/x' }],
    ['envFile', { ...LOCAL, envFile: '/x' }],
    ['inheritEnv', { ...LOCAL, inheritEnv: true }],
    ['the protocol', { ...LOCAL, protocol: 'legacy' }],
    ['the timeout', { ...LOCAL, timeout: 5 }],
    ['the credential', { ...LOCAL, auth: { type: 'oauth', credentialId: 'x' } }],
    ['the transport', REMOTE],
    ['the fallback', { url: 'https://a.example/mcp', headers: { A: '1' } }],
    ['a header', { ...REMOTE, headers: { A: '2' } }],
    ['OAuth', { ...REMOTE, oauth: { clientId: 'x' } }],
  ])('depends on %s', async (_, entry) => {
    const all = [LOCAL, REMOTE].filter((one) => one !== entry)
    for (const other of all) expect(await fingerprint(entry)).not.toBe(await fingerprint(other))
  })

  test('depends on the dialect where that decides what runs', async () => {
    expect(await fingerprint(LOCAL, 'cursor')).not.toBe(await fingerprint(LOCAL, 'ours'))
  })

  test.each<[string, 'same' | 'other', Readonly<Record<string, unknown>>]>([
    ['a bare command', 'same', { command: 'npx', args: ['./x'] }],
    ['absolute paths', 'same', { command: '/bin/x', cwd: '~/y', envFile: '/z' }],
    ['a relative command', 'other', { command: './x' }],
    ['a relative folder', 'other', { command: 'npx', cwd: 'x' }],
    ['a value that is a command', 'other', { command: 'npx', env: { A: '!x' } }],
    ['a helper', 'other', { url: 'https://a.example', headersHelper: 'x' }],
  ])('with %s is the %s in another folder: %o', async (_, expected, entry) => {
    const inFolder = async (cwd: string): Promise<string> => {
      const file = '/home/ada/.config/plugboard/mcp.json'
      const text = JSON.stringify({ mcpServers: { shop: entry } })
      return fingerprintOf(await admittedIn(createMemoryWorld({ cwd, files: { [file]: text } })))
    }
    expect((await inFolder('/one')) === (await inFolder('/two')) ? 'same' : 'other').toBe(expected)
  })
})
