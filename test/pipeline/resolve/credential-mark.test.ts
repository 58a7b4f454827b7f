/**
 * Marks of credentials: the same for the same account, whatever its token is by now; another for anyone else.
 */
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/base/secret.ts'
import type { CredentialSource } from '../../../src/model/launch.ts'
import { credentialMarkOf } from '../../../src/pipeline/resolve/credential-mark.ts'
import { resolve, type ResolveContext } from '../../../src/pipeline/resolve/resolve.ts'
import { createValueCache } from '../../../src/pipeline/resolve/value-cache.ts'
import type { World } from '../../../src/world/world.ts'
import { admittedIn, withShell, worldWith, type Agent } from './launching.ts'

type Entry = Readonly<Record<string, unknown>>
type Env = Readonly<Record<string, string>>

async function mark(world: World, more: Partial<ResolveContext> = {}): Promise<string> {
  const context: ResolveContext = { world, cache: createValueCache(), ...more }
  const server = await admittedIn(world)
  return credentialMarkOf(server, context, resolve(server, context))
}

const markIn = (agent: Agent, entry: Entry, env: Env = {}): Promise<string> =>
  mark(worldWith(agent, entry, { env }))

const REMOTE = { url: 'https://a.example/mcp' }

describe('the mark of what stands in files and variables', () => {
  test('is short, the same for the same secrets, and another for others', async () => {
    const entry = { command: 'npx', env: { API_KEY: '${K}' } }
    const one = await markIn('cursor', entry, { K: 'swordfish' })
    expect(one).toMatch(/^[0-9a-f]{16}$/)
    const elsewhere = { K: 'swordfish', PATH: '/other', SSH_AUTH_SOCK: '/run/x', TERM: 'y' }
    expect(await markIn('cursor', entry, elsewhere)).toBe(one)
    expect(await markIn('cursor', entry, { K: 'marlin' })).not.toBe(one)
  })

  test('depends on headers too short to be hidden', async () => {
    const entry = { ...REMOTE, headers: { 'X-Team': '${T}' } }
    expect(await markIn('cursor', entry, { T: '1' })).not.toBe(await markIn('cursor', entry, { T: '2' }))
  })

  test('depends on a token that was edited in its file', async () => {
    const marks = ['one', 'two'].map((token) =>
      mark(worldWith('ours', { command: 'npx', envFile: '/e' }, { files: { '/e': `TOKEN=${token}-4711` } })),
    )
    const [one, two] = await Promise.all(marks)
    expect(one).not.toBe(two)
  })
})

describe('the mark of what a command prints', () => {
  /** The marks of one entry while its command prints this and then that. */
  const marksOf = (
    entry: Entry,
    [one, two]: readonly [string, string],
    env: Env = {},
  ): Promise<readonly string[]> =>
    Promise.all(
      [one, two].map((stdout) =>
        mark(withShell(worldWith('ours', entry, { env }), () => ({ stdout, exitCode: 0 }))),
      ),
    )

  test.each<[string, Entry, readonly [string, string]]>([
    ['a header', { ...REMOTE, headers: { Authorization: '!token' } }, ['first-token', 'other-token']],
    ['a variable', { command: 'npx', env: { TOKEN: '!token' } }, ['first-token', 'other-token']],
    [
      'headersHelper',
      { ...REMOTE, headersHelper: 'token' },
      ['{"Authorization":"1234"}', '{"Authorization":"4321"}'],
    ],
  ])('is that of the command, in %s', async (_, entry, tokens) => {
    const [before, after] = await marksOf(entry, tokens)
    expect(after).toBe(before)
  })

  test.each<[string, Entry, Entry]>([
    ['another command', { A: '!token one' }, { A: '!token two' }],
    ['another place for it', { A: '!token' }, { B: '!token' }],
    ['no command', { A: '!token' }, {}],
  ])('is another for %s', async (_, one, two) => {
    const marks = [one, two].map((headers) => marksOf({ ...REMOTE, headers }, ['same-token', 'same-token']))
    expect(new Set((await Promise.all(marks)).flat()).size).toBe(2)
  })

  test('is another for a command that was told to speak for somebody else', async () => {
    const entry = { ...REMOTE, headers: { A: '!token ${WHO}' } }
    const marks = ['ada', 'grace'].map((WHO) => marksOf(entry, ['same-token', 'same-token'], { WHO }))
    expect(new Set((await Promise.all(marks)).flat()).size).toBe(2)
  })

  test('does not wait for the command', async () => {
    const never = withShell(
      worldWith('ours', { ...REMOTE, headers: { A: '!token' } }),
      () => new Promise(() => undefined),
    )
    expect(await mark(never)).toMatch(/^[0-9a-f]{16}$/)
  })
})

describe('the mark of a stored credential', () => {
  const world = worldWith('ours', { ...REMOTE, auth: { type: 'oauth', credentialId: 'work' } })

  /** A source that has this token, for this account where it knows it. */
  const source = (token: string | Promise<never>, account?: string): CredentialSource => ({
    find: async () => new Secret(await token),
    ...(account === undefined ? {} : { account: () => account }),
  })

  const markWith = (credentials: CredentialSource): Promise<string> => mark(world, { credentials })

  test('is that of its account, where the source knows it, and then needs no token', async () => {
    const ada = await markWith(source('first-token', 'ada'))
    expect(await markWith(source('other-token', 'ada'))).toBe(ada)
    expect(await markWith(source('first-token', 'grace'))).not.toBe(ada)
    expect(await markWith(source(new Promise<never>(() => undefined), 'ada'))).toBe(ada)
  })

  test('is that of the token itself, where nobody knows whose it is', async () => {
    const one = await markWith(source('first-token'))
    expect(await markWith(source('first-token'))).toBe(one)
    expect(await markWith(source('other-token'))).not.toBe(one)
  })

  test('is another one without any', async () => {
    const none: CredentialSource = { find: async () => undefined, account: () => undefined }
    expect(await markWith(none)).not.toBe(await markWith(source('first-token', 'ada')))
  })
})
