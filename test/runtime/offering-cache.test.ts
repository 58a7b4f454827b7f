/**
 * offering-cache: what survives, for how long, and who may write at the same time. On real files.
 */
import { readdirSync, readFileSync, statSync, writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Offering } from '../../src/model/offering.ts'
import {
  cacheKeyOf,
  openOfferingCache,
  type Named,
  type OfferingCache,
} from '../../src/runtime/offering-cache.ts'
import { createMemoryWorld } from '../worlds/memory.ts'
import { createScratch, type Scratch } from '../worlds/scratch.ts'

const NOW = Date.UTC(2026, 10, 16)
const DAY = 24 * 60 * 60 * 1000
const KEY = cacheKeyOf('files', {})
const OTHER_KEY = cacheKeyOf('github', {})

function createOffering(more: Partial<Offering> = {}): Offering {
  return {
    hello: { era: 'legacy', version: '2025-11-25', capabilities: { tools: {} } },
    tools: [{ name: 'read', inputSchema: { type: 'object' } }],
    resources: [],
    resourceTemplates: [],
    prompts: [{ name: 'greet' }, { name: 'part' }],
    quarantined: [],
    problems: [],
    ...more,
  }
}

const OFFERING = createOffering()

/** A cache of the one folder, by a clock that stands still. */
function openAt(scratch: Scratch, now = NOW): OfferingCache {
  const { world } = scratch
  return openOfferingCache({ ...world, clock: { ...world.clock, now: () => now } }, dirsOf(scratch))
}

function dirsOf(scratch: Scratch): { readonly cache: string } {
  return { cache: join(scratch.home, 'cache') }
}

function indexFile(scratch: Scratch): string {
  return join(dirsOf(scratch).cache, 'servers.json')
}

function offeringFile(scratch: Scratch, key = KEY): string {
  return join(dirsOf(scratch).cache, 'offerings', `${key}.json`)
}

function offeringsOf(scratch: Scratch): readonly string[] {
  return readdirSync(join(dirsOf(scratch).cache, 'offerings')).sort()
}

/** One server, known and on disk. */
async function fill(scratch: Scratch, { at = NOW, offering = OFFERING } = {}): Promise<void> {
  const cache = openAt(scratch, at)
  put(cache, KEY, { name: 'files', fingerprint: 'f', offering, credentialMark: 'ada' })
  await cache.flush()
}

type Who = Pick<Named, 'name' | 'fingerprint'>

function put(
  cache: OfferingCache,
  key: string,
  { name, fingerprint, ...shown }: Who & Parameters<OfferingCache['put']>[1],
): void {
  cache.put(() => ({ key, name, fingerprint }), shown)
}

function putFailure(
  cache: OfferingCache,
  key: string,
  { name, fingerprint, ...failure }: Who & Parameters<OfferingCache['putFailure']>[1],
): void {
  cache.putFailure(() => ({ key, name, fingerprint }), failure)
}

function faultsOf(cache: OfferingCache): readonly (readonly [string, string, string | undefined])[] {
  return cache.problems().map(({ code, severity, where }) => [code, severity, where?.file])
}

const READY = {
  name: 'files',
  fingerprint: 'f',
  state: 'ready',
  at: NOW,
  listed: { tools: 1, resources: 0, prompts: 2, at: NOW },
  era: { verdict: 'legacy', at: NOW },
}

describe('what is put', () => {
  test('is known at once, and to the next process once it is flushed', async () => {
    using scratch = createScratch()
    const cache = openAt(scratch)
    put(cache, KEY, { name: 'files', fingerprint: 'f', offering: OFFERING, credentialMark: 'ada' })
    for (const known of [cache, await cache.flush().then(() => openAt(scratch))]) {
      expect([...known.index()]).toEqual([[KEY, READY]])
      expect(known.find(() => KEY, 'ada')).toMatchObject({ offering: OFFERING, at: NOW })
      expect(known.era(() => KEY)).toBe('legacy')
      expect(known.problems()).toEqual([])
    }
  })

  test('reaches the disk by itself', async () => {
    using scratch = createScratch()
    const steps: (() => void)[] = []
    const clock = {
      ...scratch.world.clock,
      after: (_: number, step: () => void) => (steps.push(step), () => {}),
    }
    const cache = openOfferingCache({ ...scratch.world, clock }, dirsOf(scratch))
    put(cache, KEY, { name: 'files', fingerprint: 'f', offering: OFFERING, credentialMark: 'ada' })
    put(cache, OTHER_KEY, { name: 'github', fingerprint: 'f', offering: OFFERING, credentialMark: 'ada' })
    expect(steps).toHaveLength(1)
    steps[0]!()
    await cache.flush()
    expect([...openOfferingCache(scratch.world, dirsOf(scratch)).index().keys()].sort()).toEqual(
      [KEY, OTHER_KEY].sort(),
    )
  })

  test('many times is written to the index once', async () => {
    const updated: string[] = []
    const memory = createMemoryWorld()
    const files = {
      ...memory.files,
      update: (file: string, mode: number, change: (text: string | undefined) => string) => {
        updated.push(file)
        return memory.files.update(file, mode, change)
      },
      write: (file: string, mode: number, text: string) => {
        updated.push(file)
        return memory.files.write(file, mode, text)
      },
    }
    const cache = openOfferingCache({ ...memory, files }, { cache: '/cache' })
    for (let i = 0; i < 10; i++)
      put(cache, KEY, { name: 'files', fingerprint: 'f', offering: OFFERING, credentialMark: 'ada' })
    await Promise.all([cache.flush(), cache.flush()])
    expect(updated).toEqual(['/cache/servers.json', `/cache/offerings/${KEY}.json`])
  })

  test.runIf(process.platform !== 'win32')('is for the eyes of its user alone', async () => {
    using scratch = createScratch()
    await fill(scratch)
    const modes = [indexFile(scratch), offeringFile(scratch)].map((file) => statSync(file).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600])
  })

  test('is there with its failure and what was listed before it', async () => {
    using scratch = createScratch()
    await fill(scratch, { at: NOW - DAY })
    const cache = openAt(scratch)
    putFailure(cache, KEY, { name: 'files', fingerprint: 'f', state: 'failed', problem: 'it stopped' })
    await cache.flush()
    expect(openAt(scratch).index().get(KEY)).toEqual({
      name: 'files',
      fingerprint: 'f',
      state: 'failed',
      problem: 'it stopped',
      at: NOW,
      listed: { ...READY.listed, at: NOW - DAY },
      era: { verdict: 'legacy', at: NOW - DAY },
    })
    expect(openAt(scratch).find(() => KEY, 'ada')?.at).toBe(NOW - DAY)
  })

  test('after a failure does not keep its problem', async () => {
    using scratch = createScratch()
    const cache = openAt(scratch)
    putFailure(cache, KEY, { name: 'files', fingerprint: 'f', state: 'waiting', problem: 'it stopped' })
    put(cache, KEY, { name: 'files', fingerprint: 'f', offering: OFFERING, credentialMark: 'ada' })
    await cache.flush()
    expect(openAt(scratch).index().get(KEY)).toEqual(READY)
  })
})

describe('the index', () => {
  test('is read once, and not before someone asks', () => {
    const world = createMemoryWorld()
    const cache = openOfferingCache(world, { cache: '/cache' })
    expect(world.reads).toEqual([])
    cache.index()
    cache.index()
    cache.era(() => KEY)
    expect(world.reads).toEqual(['/cache/servers.json'])
  })

  test('holds the 500 servers seen last, and forgets after 30 days', async () => {
    const keys = Array.from({ length: 502 }, (_, i) => cacheKeyOf(String(i), {}))
    let now = NOW
    const memory = createMemoryWorld()
    const world = { ...memory, clock: { ...memory.clock, now: () => now } }
    const cache = openOfferingCache(world, { cache: '/cache' })
    putFailure(cache, OTHER_KEY, { name: 'old', fingerprint: 'f', state: 'failed', problem: 'it stopped' })
    now += 30 * DAY
    for (const key of keys) {
      now++
      putFailure(cache, key, { name: key, fingerprint: 'f', state: 'failed', problem: 'it stopped' })
    }
    await cache.flush()
    const again = openOfferingCache(world, { cache: '/cache' }).index()
    expect([...again.keys()].sort()).toEqual(keys.slice(2).sort())
    expect([...cache.index().keys()].sort()).toEqual([...again.keys()].sort())
  })
})

describe('an offering', () => {
  test.each([
    ['of 29 days', 29 * DAY, true],
    ['of 30 days', 30 * DAY, false],
    ['from a clock that was a year ahead', -365 * DAY, false],
  ])('%s is kept: %s', async (_, age, isKept) => {
    using scratch = createScratch()
    await fill(scratch, { at: NOW - age })
    expect(openAt(scratch).find(() => KEY, 'ada') !== undefined).toBe(isKept)
  })

  test('that was shown to another credential is not given out', async () => {
    using scratch = createScratch()
    await fill(scratch)
    expect(openAt(scratch).find(() => KEY, 'grace')).toBeUndefined()
    expect(openAt(scratch).find(() => OTHER_KEY, 'ada')).toBeUndefined()
    expect(openAt(scratch).problems()).toEqual([])
  })

  test('that its server calls public is for anyone, without the words of the greeting', async () => {
    using scratch = createScratch()
    const hello = { ...OFFERING.hello, instructions: 'Hello Ada' }
    const caching = { tool: { cacheScope: 'public' as const } }
    await fill(scratch, { offering: createOffering({ hello, caching }) })
    expect(openAt(scratch).find(() => KEY, 'ada')?.offering.hello).toEqual(hello)
    const { era, version, capabilities } = hello
    expect(openAt(scratch).find(() => KEY, 'grace')?.offering.hello).toEqual({ era, version, capabilities })
    expect(openAt(scratch, NOW + 30 * DAY).find(() => KEY, 'grace')).toBeUndefined()
  })

  test('comes back as the server sent it, unknown fields and odd names included', async () => {
    using scratch = createScratch()
    const odd = JSON.parse(
      '{ "name": "__proto__", "inputSchema": { "__proto__": { "x": 1 } }, "_meta": { "a": [null] } }',
    )
    const offering = createOffering({ tools: [odd], caching: { tool: { cacheScope: 'private' } } })
    await fill(scratch, { offering })
    expect(JSON.stringify(openAt(scratch).find(() => KEY, 'ada')?.offering)).toBe(JSON.stringify(offering))
  })

  test('larger than 8 MB is counted but not kept, nor is the one before it', async () => {
    using scratch = createScratch()
    await fill(scratch)
    // Each of these characters takes three bytes: the text is short enough, the file would not be.
    const description = '漢'.repeat(3 * 1024 * 1024)
    const tool = { name: 'read', description, inputSchema: {} }
    await fill(scratch, { offering: createOffering({ tools: [tool, tool] }), at: NOW + 1 })
    expect(offeringsOf(scratch)).toEqual([])
    const cache = openAt(scratch)
    expect(cache.find(() => KEY, 'ada')).toBeUndefined()
    expect(cache.index().get(KEY)?.listed?.tools).toBe(2)
    expect(cache.problems()).toEqual([])
  })

  test('that is no JSON, as an in-process server may have it, is not kept and breaks nothing', async () => {
    using scratch = createScratch()
    const tool = { name: 'count', inputSchema: { maximum: 1n } }
    await fill(scratch, { offering: createOffering({ tools: [tool] }) })
    expect(openAt(scratch).find(() => KEY, 'ada')).toBeUndefined()
    expect(openAt(scratch).index().get(KEY)?.listed?.tools).toBe(1)
  })

  test('that nobody used for 30 days is removed, with any that the index does not know', async () => {
    using scratch = createScratch()
    await fill(scratch, { at: NOW - 31 * DAY })
    writeFileSync(offeringFile(scratch, 'stray'), '{}')
    const cache = openAt(scratch)
    put(cache, OTHER_KEY, { name: 'github', fingerprint: 'f', offering: OFFERING, credentialMark: 'ada' })
    await cache.flush()
    expect(offeringsOf(scratch)).toEqual([`${OTHER_KEY}.json`])
  })

  test('beyond the 200 newest is removed at the next write', async () => {
    let now = NOW
    const memory = createMemoryWorld()
    const world = { ...memory, clock: { ...memory.clock, now: () => now } }
    const cache = openOfferingCache(world, { cache: '/cache' })
    const keys = Array.from({ length: 203 }, (_, i) => cacheKeyOf(String(i), {}))
    for (const key of keys) {
      now++
      put(cache, key, { name: key, fingerprint: 'f', offering: OFFERING, credentialMark: 'ada' })
    }
    await cache.flush()
    putFailure(cache, keys[0]!, { name: 'first', fingerprint: 'f', state: 'failed', problem: 'it stopped' })
    await cache.flush()
    expect(world.files.list('/cache/offerings')).toEqual(
      keys
        .slice(3)
        .map((key) => `${key}.json`)
        .sort(),
    )
  })
})

test('an offering is found although the index is damaged, or was written by another process meanwhile', async () => {
  using scratch = createScratch()
  const early = openAt(scratch)
  expect(early.find(() => KEY, 'ada')).toBeUndefined()
  await fill(scratch)
  expect(early.find(() => KEY, 'ada')).toMatchObject({ offering: OFFERING })
  writeFileSync(indexFile(scratch), '{')
  expect(openAt(scratch).find(() => KEY, 'ada')).toMatchObject({ offering: OFFERING })
})

test('no key is made while nothing is kept', () => {
  using scratch = createScratch()
  const cache = openAt(scratch)
  const never = (): string => expect.unreachable('a key was made')
  expect([cache.era(never), cache.find(never, 'ada'), cache.wasLate(never as () => never)]).toEqual([
    undefined,
    undefined,
    false,
  ])
})

describe('the era', () => {
  test.each([
    ['just under 7 days', 7 * DAY - 1, 'legacy'],
    ['7 days', 7 * DAY, undefined],
  ])('is remembered after %s: %s', async (_, age, era) => {
    using scratch = createScratch()
    await fill(scratch, { at: NOW - age })
    expect(openAt(scratch).era(() => KEY)).toBe(era)
  })

  test('that is only seen again keeps its date, so that the server is asked anew in the end', async () => {
    using scratch = createScratch()
    for (const days of [0, 3, 6]) await fill(scratch, { at: NOW + days * DAY })
    expect(
      openAt(scratch, NOW + 6 * DAY)
        .index()
        .get(KEY)?.era,
    ).toEqual({ verdict: 'legacy', at: NOW })
    await fill(scratch, { at: NOW + 8 * DAY })
    expect(
      openAt(scratch, NOW + 8 * DAY)
        .index()
        .get(KEY)?.era,
    ).toEqual({ verdict: 'legacy', at: NOW + 8 * DAY })
  })

  test('is another one from the moment that the server speaks another', async () => {
    using scratch = createScratch()
    await fill(scratch)
    const offering = createOffering({ hello: { era: 'modern', version: '2026-07-28', capabilities: {} } })
    await fill(scratch, { at: NOW + 1, offering })
    expect(openAt(scratch).era(() => KEY)).toBe('modern')
  })

  test('is forgotten after a handshake that failed, here and on disk, and nothing else is', async () => {
    using scratch = createScratch()
    await fill(scratch)
    const cache = openAt(scratch)
    cache.forgetEra(() => KEY)
    expect(cache.era(() => KEY)).toBeUndefined()
    await cache.flush()
    const { era: _, ...rest } = READY
    expect(openAt(scratch).index().get(KEY)).toEqual(rest)
  })

  test('that another process has learnt since is not forgotten', async () => {
    using scratch = createScratch()
    await fill(scratch)
    const cache = openAt(scratch)
    cache.forgetEra(() => KEY)
    await fill(scratch, { at: NOW + 8 * DAY })
    await cache.flush()
    expect(openAt(scratch, NOW + 8 * DAY).era(() => KEY)).toBe('legacy')
  })
})

describe('that a server was late', () => {
  const FILES = { name: 'files', fingerprint: 'f' }
  const failed = { ...FILES, state: 'waiting', problem: 'no answer' } as const
  const late = { ...failed, isLate: true }
  const ready = { ...FILES, offering: OFFERING, credentialMark: 'ada' }
  const wasLate = (cache: OfferingCache, who = FILES): boolean => cache.wasLate(() => who)

  test.each([
    ['59 minutes', 59 * 60 * 1000, true],
    ['an hour', 60 * 60 * 1000, false],
  ])('is known after %s: %s', async (_, age, isKnown) => {
    using scratch = createScratch()
    const cache = openAt(scratch, NOW - age)
    putFailure(cache, KEY, late)
    await cache.flush()
    expect(wasLate(openAt(scratch))).toBe(isKnown)
  })

  test('is known of that server only', async () => {
    using scratch = createScratch()
    const cache = openAt(scratch)
    putFailure(cache, KEY, late)
    expect(wasLate(cache, { ...FILES, name: 'github' })).toBe(false)
    expect(wasLate(cache, { ...FILES, fingerprint: 'g' })).toBe(false)
    expect(wasLate(cache)).toBe(true)
    await cache.flush()
  })

  test.each([
    ['by the same host', KEY],
    ['by one with other capabilities', OTHER_KEY],
  ])('is over with whatever becomes of it next, %s', async (_, key) => {
    using scratch = createScratch()
    let now = NOW
    const { world } = scratch
    const clock = { ...world.clock, now: () => now++ }
    const cache = openOfferingCache({ ...world, clock }, dirsOf(scratch))
    for (const next of [
      () => putFailure(cache, key, failed),
      () => put(cache, key, ready),
      () => putFailure(cache, key, { ...failed, isLate: false }),
    ]) {
      putFailure(cache, KEY, late)
      expect(wasLate(cache)).toBe(true)
      next()
      expect(wasLate(cache)).toBe(false)
    }
    await cache.flush()
  })
})

describe('several at once', () => {
  test('both keep their entries', async () => {
    using scratch = createScratch()
    const [one, two] = [openAt(scratch), openAt(scratch)]
    // Both have read the empty index before either writes.
    expect([one.index().size, two.index().size]).toEqual([0, 0])
    put(one, KEY, { name: 'files', fingerprint: 'f', offering: OFFERING, credentialMark: 'ada' })
    put(two, OTHER_KEY, { name: 'github', fingerprint: 'f', offering: OFFERING, credentialMark: 'ada' })
    await one.flush()
    await two.flush()
    expect([...two.index().keys()].sort()).toEqual([KEY, OTHER_KEY].sort())
    expect(offeringsOf(scratch)).toEqual([`${KEY}.json`, `${OTHER_KEY}.json`].sort())
  })

  test('the later news of one server wins, whoever writes last', async () => {
    using scratch = createScratch()
    const early = openAt(scratch, NOW)
    putFailure(early, KEY, { name: 'files', fingerprint: 'f', state: 'failed', problem: 'it stopped' })
    await fill(scratch, { at: NOW + 1 })
    await early.flush()
    expect(openAt(scratch).index().get(KEY)).toMatchObject({ state: 'ready', at: NOW + 1 })
  })

  test('twenty that write at the same time lose nothing', async () => {
    using scratch = createScratch()
    const caches = Array.from({ length: 20 }, () => openAt(scratch))
    const keys = caches.map((_, i) => cacheKeyOf(String(i), {}))
    await Promise.all(
      caches.map(async (cache, i) => {
        put(cache, keys[i]!, { name: `s${i}`, fingerprint: 'f', offering: OFFERING, credentialMark: 'ada' })
        await cache.flush()
      }),
    )
    const after = openAt(scratch)
    expect([...after.index().keys()].sort()).toEqual([...keys].sort())
    expect(keys.every((key) => after.find(() => key, 'ada') !== undefined)).toBe(true)
    expect(caches.flatMap((cache) => cache.problems())).toEqual([])
  })

  test('what is put during a write is in view, and in the next write', async () => {
    using scratch = createScratch()
    const cache = openAt(scratch)
    put(cache, KEY, { name: 'files', fingerprint: 'f', offering: OFFERING, credentialMark: 'ada' })
    const first = cache.flush()
    put(cache, OTHER_KEY, { name: 'github', fingerprint: 'f', offering: OFFERING, credentialMark: 'ada' })
    await first
    expect([...cache.index().keys()].sort()).toEqual([KEY, OTHER_KEY].sort())
    await cache.flush()
    expect(openAt(scratch).find(() => OTHER_KEY, 'ada')).toMatchObject({ offering: OFFERING })
  })
})

describe('a file that cannot be used', () => {
  test.each([
    ['no JSON', '{ "version": 1, "servers": {', 'cache/damaged'],
    ['no object', '[]', 'cache/damaged'],
    ['of no version', '{ "servers": {} }', 'cache/damaged'],
    ['of a later version', '{ "version": 2, "servers": {} }', 'cache/newer'],
    ['no text', Buffer.from([0xff, 0xfe, 0x00]), 'cache/damaged'],
  ])('an index that is %s is one warning, and written anew', async (_, text, code) => {
    using scratch = createScratch()
    await fill(scratch)
    writeFileSync(indexFile(scratch), text)
    const cache = openAt(scratch)
    expect([...cache.index()]).toEqual([])
    expect(cache.era(() => KEY)).toBeUndefined()
    put(cache, OTHER_KEY, { name: 'github', fingerprint: 'f', offering: OFFERING, credentialMark: 'ada' })
    await cache.flush()
    expect(faultsOf(cache)).toEqual([[code, 'warning', indexFile(scratch)]])
    const after = openAt(scratch)
    expect([...after.index().keys()]).toEqual([OTHER_KEY])
    expect(after.problems()).toEqual([])
  })

  test.each([
    ['truncated', (text: string) => text.slice(0, text.length / 2), 'cache/damaged'],
    ['of a later version', (text: string) => text.replace('"version":1', '"version":2'), 'cache/newer'],
    ['without its lists', () => '{"version":1,"at":1,"credentialMark":"ada","offering":{}}', 'cache/damaged'],
    ['no text', () => Buffer.from([0xff, 0xfe, 0x00]), 'cache/damaged'],
  ])('an offering that is %s is one warning, and written anew', async (_, change, code) => {
    using scratch = createScratch()
    await fill(scratch)
    const file = offeringFile(scratch)
    writeFileSync(file, change(readFileSync(file, 'utf8')))
    const cache = openAt(scratch)
    expect([cache.find(() => KEY, 'ada'), cache.find(() => KEY, 'ada')]).toEqual([undefined, undefined])
    expect(faultsOf(cache)).toEqual([[code, 'warning', file]])
    await fill(scratch)
    expect(openAt(scratch).find(() => KEY, 'ada')).toMatchObject({ offering: OFFERING })
  })

  test('lines of the index that are none are left out, and their neighbours stay', async () => {
    using scratch = createScratch()
    await fill(scratch)
    const { servers } = JSON.parse(readFileSync(indexFile(scratch), 'utf8'))
    const bad = [7, null, {}, { ...READY, state: 'happy' }, { ...READY, listed: 3 }, { ...READY, era: 'old' }]
    const more = Object.fromEntries(bad.map((line, i) => [`bad${i}`, line]))
    writeFileSync(indexFile(scratch), JSON.stringify({ version: 1, servers: { ...more, ...servers } }))
    expect([...openAt(scratch).index()]).toEqual([[KEY, READY]])
  })

  test('a folder where the index should be is a warning, and what was put stays in view', async () => {
    using scratch = createScratch()
    mkdirSync(join(indexFile(scratch), 'full'), { recursive: true })
    const cache = openAt(scratch)
    put(cache, KEY, { name: 'files', fingerprint: 'f', offering: OFFERING, credentialMark: 'ada' })
    await cache.flush()
    await cache.flush()
    expect(faultsOf(cache)).toEqual([
      ['cache/damaged', 'warning', indexFile(scratch)],
      ['cache/unwritable', 'warning', indexFile(scratch)],
    ])
    expect([...cache.index()]).toEqual([[KEY, READY]])
  })
})

describe('a key', () => {
  test('is the same however the capabilities are ordered, and another for other ones', () => {
    const key = cacheKeyOf('f', { roots: { a: 1, b: [1, 2] }, sampling: {} })
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect(cacheKeyOf('f', { sampling: {}, roots: { b: [1, 2], a: 1 } })).toBe(key)
    const others = [
      cacheKeyOf('g', { roots: { a: 1, b: [1, 2] }, sampling: {} }),
      cacheKeyOf('f', { roots: { a: 1, b: [2, 1] }, sampling: {} }),
      cacheKeyOf('f', { roots: { a: 1, b: [1, 2] } }),
    ]
    expect(new Set([key, ...others]).size).toBe(4)
  })
})
