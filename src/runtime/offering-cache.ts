/**
 * offering-cache: what each server last offered, so that the next start can show it at once.
 *
 * in     what this process learnt about a server, under the key of its launch
 * out    a small index of all servers, and one file with the offering of each, in the user's own cache folder
 * never  throws: a cache that cannot be read or written is a warning; holds a credential, only a hash of it; overwrites
 *        what other processes wrote meanwhile
 */
import { isObject } from '../base/is-object.ts'
import { sha256 } from '../base/sha256.ts'
import type { Offering } from '../model/offering.ts'
import type { Problem } from '../model/problem.ts'
import type { Era } from '../model/session.ts'
import type { OurDirs } from '../pipeline/discover/project.ts'
import type { World } from '../world/world.ts'
import {
  createOfferingStore,
  isWithin,
  KEPT_MS,
  newestOf,
  type Counts,
  type Failure,
  type Index,
  type LastKnown,
  type Shown,
  type StoredOffering,
} from './offering-store.ts'
import { publicPart } from './public-part.ts'

/**
 * Computes the key of a cache entry. The key is a hash, so it is made on demand: not while servers start of which
 * nothing is cached.
 */
export type CacheKey = () => string

export interface OfferingCache {
  /** By key. The index is read from disk once, when it is first needed. What this process puts is in it at once. */
  index(): Index
  /**
   * Undefined when there is none, or when it is older than 30 days. For another credential than the one it was listed
   * with, the result holds only the parts that the server calls public.
   */
  find(key: CacheKey, credentialMark: string): CachedOffering | undefined
  /** The era that was detected last, for 7 days. */
  era(key: CacheKey): Era | undefined
  /** Whether the last try ran out of its startup time, for an hour. A try of another process counts, too. */
  wasLate(who: () => Pick<Named, 'name' | 'fingerprint'>): boolean
  /** Stores what a ready server offers. Takes effect here at once, and on disk a moment later. */
  put(who: () => Named, shown: Shown): void
  /** Stores why a server is not ready. What it offered before stays known. */
  putFailure(who: () => Named, failure: Failure): void
  /** For a failed handshake: the next start detects the era again. */
  forgetEra(key: CacheKey): void
  /** Resolves when everything put before is on disk, or has become a problem. Never rejects. */
  flush(): Promise<void>
  /** Problems with the files, at most one for each file and fault. */
  problems(): readonly Problem[]
}

/** Identifies a server. Made on demand, as a key is. */
export interface Named {
  readonly key: string
  /** Its name in the configuration. */
  readonly name: string
  readonly fingerprint: string
  readonly unresolved?: readonly string[]
}

export interface CachedOffering {
  readonly offering: Offering
  readonly at: number
}

/**
 * The key includes the capabilities that we declare, as they change what a server lists. The order of their keys does
 * not matter.
 */
export function cacheKeyOf(fingerprint: string, capabilities: object): string {
  return sha256(`${fingerprint}\n${JSON.stringify(capabilities, sortKeys)}`)
}

function sortKeys(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const ERA_MS = 7 * 24 * 60 * 60 * 1000
const LATE_MS = 60 * 60 * 1000

/**
 * Servers of one start become ready within moments. One write is enough for them, and better after the start than
 * during it.
 */
const GATHER_MS = 1000

export function openOfferingCache(world: World, dirs: Pick<OurDirs, 'cache'>): OfferingCache {
  const { clock } = world
  const store = createOfferingStore(world, dirs)
  let known: Index | undefined
  /** Changes that are not part of the index yet. */
  let untold: (() => News)[] = []
  let news: News[] = []
  /** Offerings that were put here and are not on disk yet. */
  const unwritten = new Map<string, StoredOffering>()
  let cancelTimer: (() => void) | undefined
  let writing = Promise.resolve()

  const index = (): Index => {
    const fresh = untold.map((make) => make())
    untold = []
    news.push(...fresh)
    known = fresh.reduce(addNews, known ?? store.readIndex())
    return known
  }

  /** Checks the disk each time: another process may fill the cache. */
  const isBlank = (): boolean => untold.length === 0 && (known?.size ?? 0) === 0 && !store.exists()

  const tell = (make: () => News): void => {
    untold.push(make)
    cancelTimer ??= clock.after(GATHER_MS, () => void flush())
  }

  const flush = (): Promise<void> => {
    cancelTimer?.()
    cancelTimer = undefined
    writing = writing.then(write)
    return writing
  }

  const write = async (): Promise<void> => {
    if (untold.length > 0) index()
    if (news.length === 0) return
    const [told, offerings] = [news, new Map(unwritten)]
    news = []
    const merged = await store.write((index) => told.reduce(addNews, index), offerings)
    // Changes that came during the write are not on disk yet. They must stay visible in the index.
    if (merged !== undefined) known = news.reduce(addNews, merged)
    for (const [key, offering] of offerings) if (unwritten.get(key) === offering) unwritten.delete(key)
  }

  return {
    index,
    find(keyOf, credentialMark) {
      if (isBlank()) return undefined
      const key = keyOf()
      index()
      const stored = unwritten.get(key) ?? store.readOffering(key)
      if (stored === undefined || !isWithin(KEPT_MS, stored.at, clock.now())) return undefined
      const isOurs = stored.credentialMark === credentialMark
      const offering = isOurs ? stored.offering : publicPart(stored.offering)
      return offering === undefined ? undefined : { offering, at: stored.at }
    },
    era(key) {
      const era = isBlank() ? undefined : index().get(key())?.era
      return era !== undefined && isWithin(ERA_MS, era.at, clock.now()) ? era.verdict : undefined
    },
    wasLate(who) {
      const last = isBlank() ? undefined : newestOf(index().values(), who())
      if (last === undefined || last.state === 'ready') return false
      return last.isLate === true && isWithin(LATE_MS, last.at, clock.now())
    },
    put(who, { offering, credentialMark }) {
      const at = clock.now()
      tell(() => {
        const { key, ...named } = who()
        unwritten.set(key, { offering, credentialMark, at })
        const era = { verdict: offering.hello.era, at }
        const listed = countOf(offering, at)
        return { kind: 'learnt', key, known: { ...named, at, state: 'ready', listed, era } }
      })
    },
    putFailure(who, failure) {
      const at = clock.now()
      tell(() => {
        const { key, ...named } = who()
        return { kind: 'learnt', key, known: { ...named, ...failure, at } }
      })
    },
    forgetEra(key) {
      const at = clock.now()
      tell(() => ({ kind: 'era-forgotten', key: key(), at }))
    },
    flush,
    problems: () => store.problems(),
  }
}

/** A change to the index. It can be applied again on top of what other processes wrote. */
type News =
  | { readonly kind: 'learnt'; readonly key: string; readonly known: LastKnown }
  | { readonly kind: 'era-forgotten'; readonly key: string; readonly at: number }

function countOf({ tools, resources, prompts }: Offering, at: number): Counts {
  return { tools: tools.length, resources: resources.length, prompts: prompts.length, at }
}

function addNews(index: Index, news: News): Index {
  const before = index.get(news.key)
  const next = news.kind === 'learnt' ? merge(before, news.known) : forgetEra(before, news.at)
  return next === undefined ? index : new Map(index).set(news.key, next)
}

/** Takes the newer of each part: another process may know more of one part and less of another. */
function merge(before: LastKnown | undefined, news: LastKnown): LastKnown {
  if (before === undefined) return news
  const listed = newer(before.listed, news.listed)
  const era = isSameEra(before.era, news.era) ? before.era : newer(before.era, news.era)
  return {
    ...newer(before, news),
    ...(listed === undefined ? {} : { listed }),
    ...(era === undefined ? {} : { era }),
  }
}

/** Of two with the same date, returns the second. */
function newer<T extends Dated | undefined>(a: T, b: T): T {
  if (a === undefined || b === undefined) return a ?? b
  return a.at > b.at ? a : b
}

interface Dated {
  readonly at: number
}

/** An era that was only used again keeps its date. Otherwise a server in daily use would never be asked again. */
function isSameEra(before: LastKnown['era'], news: LastKnown['era']): boolean {
  if (before === undefined || news === undefined) return false
  return before.verdict === news.verdict && isWithin(ERA_MS, before.at, news.at)
}

function forgetEra(before: LastKnown | undefined, at: number): LastKnown | undefined {
  if (before?.era === undefined || before.era.at > at) return before
  const { era: _, ...rest } = before
  return rest
}
