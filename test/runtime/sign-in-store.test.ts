/**
 * sign-in-store: what is kept where, for whom, and what may be seen of it.
 */
import { chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/base/secret.ts'
import type { SignIn } from '../../src/model/sign-in.ts'
import { ProblemError } from '../../src/problem/problem.ts'
import { openSignInStore } from '../../src/runtime/sign-in-store.ts'
import { createMemoryKeychain, createMemoryWorld, NO_KEYCHAIN } from '../worlds/memory.ts'
import { createScratch } from '../worlds/scratch.ts'

const DIRS = { state: '/home/ada/.local/state/plugboard' }
const FILE = `${DIRS.state}/sign-ins/sign-ins.json`

function signInOf(more: Partial<SignIn> = {}): SignIn {
  return {
    key: { url: 'https://mcp.test/mcp', issuer: 'https://auth.test' },
    client: {
      id: 'c1',
      secret: new Secret('client-s3cret'),
      from: 'registered',
      method: 'none',
      redirectUris: [],
    },
    tokens: {
      access: new Secret('acc3ss'),
      refresh: new Secret('r3fresh'),
      type: 'bearer',
      scopes: ['read'],
      expiresAt: 7,
    },
    endpoints: { token: 'https://auth.test/token' },
    ...more,
  }
}

async function problemOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: unknown) => (error instanceof ProblemError ? error.problem.code : String(error)),
  )
}

describe('finding', () => {
  test('what was saved comes back, with its secrets', async () => {
    const store = openSignInStore(createMemoryWorld(), DIRS)
    const key = { algorithm: 'ES256', pem: new Secret('p3m') }
    const signIn = signInOf({
      resource: 'https://mcp.test/mcp',
      grant: 'client_credentials',
      wantedScopes: ['admin'],
      client: {
        id: 'c1',
        key,
        from: 'entry',
        method: 'private_key_jwt',
        redirectUris: ['http://127.0.0.1:1/cb'],
      },
      tokens: { access: new Secret('a'), type: 'dpop', dpopKey: new Secret('{}'), scopes: [] },
    })
    await store.save(signIn)
    const found = await store.find({ url: 'https://mcp.test/mcp#part' })
    expect(found).toEqual(signIn)
    expect(found?.client.key?.pem.reveal()).toBe('p3m')
  })

  test.each([
    ['another path', 'https://mcp.test/other'],
    ['another host', 'https://mcp.test.evil.test/mcp'],
    ['another port', 'https://mcp.test:444/mcp'],
    ['plain http', 'http://mcp.test/mcp'],
    ['another query', 'https://mcp.test/mcp?tenant=2'],
    ['no address', 'nonsense'],
  ])('a token is not for %s', async (_, url) => {
    const store = openSignInStore(createMemoryWorld(), DIRS)
    await store.save(signInOf())
    expect(await store.find({ url })).toBeUndefined()
    expect(store.look({ url })).toBeUndefined()
  })

  test('a name is looked for first, and never for another address', async () => {
    const store = openSignInStore(createMemoryWorld(), DIRS)
    await store.save(signInOf())
    const work = signInOf({
      key: { url: 'https://mcp.test/mcp', issuer: 'https://auth.test', credentialId: 'work' },
      client: { ...signInOf().client, id: 'c2' },
    })
    await store.save(work)
    const url = 'https://mcp.test/mcp'
    expect((await store.find({ url, credentialId: 'work' }))?.client.id).toBe('c2')
    expect((await store.find({ url, credentialId: 'home' }))?.client.id).toBe('c1')
    expect((await store.find({ url }))?.client.id).toBe('c1')
    expect(await store.find({ url: 'https://other.test/mcp', credentialId: 'work' })).toBeUndefined()
    expect(await store.find({ credentialId: 'work' })).toBeUndefined()
  })

  test('a credential by its name alone is for servers that are started, and for those only', async () => {
    const store = openSignInStore(createMemoryWorld(), DIRS)
    await store.save(signInOf({ key: { issuer: '', credentialId: 'deploy' } }))
    expect((await store.find({ credentialId: 'deploy' }))?.tokens.access.reveal()).toBe('acc3ss')
    expect(await store.find({ credentialId: 'other' })).toBeUndefined()
    expect(await store.find({ url: 'https://mcp.test/mcp', credentialId: 'deploy' })).toBeUndefined()
    expect(await store.find({})).toBeUndefined()
  })

  test('of two authorization servers the later sign-in counts', async () => {
    let now = 1
    const memory = createMemoryWorld()
    const world = { ...memory, clock: { ...memory.clock, now: () => now++ } }
    const store = openSignInStore(world, DIRS)
    await store.save(signInOf())
    await store.save(signInOf({ key: { url: 'https://mcp.test/mcp', issuer: 'https://moved.test' } }))
    expect((await store.find({ url: 'https://mcp.test/mcp' }))?.key.issuer).toBe('https://moved.test')
    await store.forget({ url: 'https://mcp.test/mcp', issuer: 'https://moved.test' })
    expect((await store.find({ url: 'https://mcp.test/mcp' }))?.key.issuer).toBe('https://auth.test')
  })
})

describe('renewing', () => {
  const url = 'https://mcp.test/mcp'
  const withAccess = (now: SignIn, text: string): SignIn => ({
    ...now,
    tokens: { ...now.tokens, access: new Secret(text) },
  })

  test('keeps the account, and changes the mark', async () => {
    const store = openSignInStore(createMemoryWorld(), DIRS)
    await store.save(signInOf())
    const [before, mark] = [store.look({ url }), store.markOf({ url })]
    const renewed = await store.renewing(signInOf().key, async (now) => withAccess(now!, 'n3w'))
    expect(renewed?.signIn.tokens.access.reveal()).toBe('n3w')
    expect(store.look({ url })?.account).toBe(before?.account)
    expect(store.markOf({ url })).not.toBe(mark)
    const other = { ...signInOf().tokens, scopes: ['read', 'write'], expiresAt: 8 }
    await store.renewing(signInOf().key, async (now) => ({ ...now!, tokens: other }))
    expect(store.look({ url })).toMatchObject({ scopes: ['read', 'write'], expiresAt: 8 })
    await store.save(signInOf())
    expect(store.look({ url })?.account).not.toBe(before?.account)
  })

  test('one at a time, and each sees what the one before left', async () => {
    const store = openSignInStore(createMemoryWorld(), DIRS)
    await store.save(signInOf())
    const seen: string[] = []
    const renew = (text: string): Promise<unknown> =>
      store.renewing(signInOf().key, async (now) => {
        seen.push(now!.tokens.access.reveal())
        await Promise.resolve()
        return withAccess(now!, text)
      })
    await Promise.all([renew('a'), renew('b'), renew('c')])
    expect(seen).toEqual(['acc3ss', 'a', 'b'])
  })

  test('who signed out or in meanwhile has the last word', async () => {
    const store = openSignInStore(createMemoryWorld(), DIRS)
    await store.save(signInOf())
    await store.renewing(signInOf().key, async (now) => {
      await store.forget(now!.key)
      return withAccess(now!, 'late')
    })
    expect(await store.find({ url })).toBeUndefined()
    await store.save(signInOf())
    await store.renewing(signInOf().key, async (now) => {
      await store.save(withAccess(now!, 'of the new login'))
      return withAccess(now!, 'late')
    })
    expect((await store.find({ url }))?.tokens.access.reveal()).toBe('of the new login')
  })
})

describe('the keychain', () => {
  test('holds the key, and the file no secret', async () => {
    const keychain = createMemoryKeychain()
    const world = createMemoryWorld({ keychain })
    await openSignInStore(world, DIRS).save(signInOf())
    const text = String(world.stored.get(FILE))
    for (const secret of ['acc3ss', 'r3fresh', 'client-s3cret']) expect(text).not.toContain(secret)
    const store = openSignInStore(world, DIRS)
    expect(store.all().signIns.map(({ kept }) => kept)).toEqual(['keychain'])
    expect((await store.find({ url: 'https://mcp.test/mcp' }))?.tokens.refresh?.reveal()).toBe('r3fresh')
  })

  test('is not asked for what may be shown', async () => {
    const keychain = createMemoryKeychain()
    const world = createMemoryWorld({ keychain })
    await openSignInStore(world, DIRS).save(signInOf())
    keychain.asked = 0
    const store = openSignInStore(world, DIRS)
    store.all()
    store.look({ url: 'https://mcp.test/mcp' })
    expect(keychain.asked).toBe(0)
  })

  test('one that does not work is asked once, and then not for a week', async () => {
    let [asked, now] = [0, Date.UTC(2026, 0, 1)]
    const get = (): Promise<never> => (asked++, Promise.reject(new Error('no such object path')))
    const memory = createMemoryWorld({ keychain: { ...NO_KEYCHAIN, mayWork: true, get } })
    const world = { ...memory, clock: { ...memory.clock, now: () => now } }
    await openSignInStore(world, DIRS).save(signInOf())
    await openSignInStore(world, DIRS).save(signInOf())
    expect(asked).toBe(1)
    expect(openSignInStore(world, DIRS).all().signIns[0]?.kept).toBe('file')
    now += 8 * 24 * 3600 * 1000
    await openSignInStore(world, DIRS).save(signInOf())
    expect(asked).toBe(2)
  })

  test('one that forgets does not work', async () => {
    const keychain = { ...createMemoryKeychain(), set: async () => undefined }
    const world = createMemoryWorld({ keychain })
    await openSignInStore(world, DIRS).save(signInOf())
    expect(openSignInStore(world, DIRS).all().signIns[0]?.kept).toBe('file')
  })

  test('one that cannot be reached any more is a problem, and the sign-in can be shown', async () => {
    const world = createMemoryWorld({ keychain: createMemoryKeychain() })
    await openSignInStore(world, DIRS).save(signInOf())
    const store = openSignInStore({ ...world, keychain: NO_KEYCHAIN }, DIRS)
    expect(await problemOf(store.find({ url: 'https://mcp.test/mcp' }))).toBe('authorize/keychain-locked')
    expect(store.all().signIns).toHaveLength(1)
    // Signing in again from there is kept in the file.
    await store.save(signInOf())
    expect((await store.find({ url: 'https://mcp.test/mcp' }))?.client.id).toBe('c1')
  })

  test.each([
    ['the address', '"https://mcp.test/mcp"', '"https://evil.test/mcp"', 'https://evil.test/mcp'],
    ['the endpoint', '"https://auth.test/token"', '"https://evil.test/token"', 'https://mcp.test/mcp'],
  ])('who changes %s in the file gets nothing', async (_, before, after, url) => {
    const world = createMemoryWorld({ keychain: createMemoryKeychain() })
    await openSignInStore(world, DIRS).save(signInOf())
    const text = String(world.stored.get(FILE)).replace(before, after)
    await world.files.update(FILE, 0o600, () => text)
    expect(await problemOf(openSignInStore(world, DIRS).find({ url }))).toBe('authorize/sealed')
  })
})

describe('the file', () => {
  test('is for its owner alone, and so is its folder', async () => {
    using scratch = createScratch()
    const dirs = { state: join(scratch.home, 'state') }
    await openSignInStore(scratch.world, dirs).save(signInOf())
    const folder = join(dirs.state, 'sign-ins')
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'sign-ins.json')).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['file', 0o644, 'sign-ins.json', 'chmod 600'],
    ['folder', 0o750, '.', 'chmod 700'],
  ])('a %s that others can read is refused, with the way to fix it', async (_, mode, path, fix) => {
    using scratch = createScratch()
    const dirs = { state: join(scratch.home, 'state') }
    const store = openSignInStore(scratch.world, dirs)
    await store.save(signInOf())
    const loose = join(dirs.state, 'sign-ins', path)
    chmodSync(loose, mode)
    expect(await problemOf(store.find({ url: 'https://mcp.test/mcp' }))).toBe('authorize/store-open')
    expect(await problemOf(store.save(signInOf()))).toBe('authorize/store-open')
    const { signIns, problem } = store.all()
    expect(signIns).toEqual([])
    expect(problem?.hints).toEqual([`run \`${fix} ${loose.replace(/\/\.$/, '')}\``])
    chmodSync(loose, mode & 0o700)
    expect(store.all().signIns).toHaveLength(1)
  })

  test('a damaged one is reported and left alone', async () => {
    const world = createMemoryWorld({ files: { [FILE]: '{"version":1,"signIns":[{"url":1}]}' } })
    const store = openSignInStore(world, DIRS)
    expect(await problemOf(store.find({ url: 'https://mcp.test/mcp' }))).toBe('authorize/store-damaged')
    expect(await problemOf(store.save(signInOf()))).toBe('authorize/store-damaged')
    expect(world.stored.get(FILE)).toContain('"url":1')
  })

  test('no secret is in what may be shown', async () => {
    using scratch = createScratch()
    const dirs = { state: join(scratch.home, 'state') }
    const store = openSignInStore(scratch.world, dirs)
    await store.save(signInOf())
    const shown = JSON.stringify(store.all())
    for (const secret of ['acc3ss', 'r3fresh', 'client-s3cret']) expect(shown).not.toContain(secret)
    expect(readFileSync(join(dirs.state, 'sign-ins', 'sign-ins.json'), 'utf8')).toContain('acc3ss')
  })
})
