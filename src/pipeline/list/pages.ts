/**
 * pages: all pages of one list, from a server that may never stop.
 *
 * in     a session, the list to read
 * out    its items in order, as they came or `TOO_DEEP`, and how long they may be kept
 * never  reads without end: pages, items, size and time are bounded, and a server that repeats itself is stopped
 */
import { isTooDeep } from '../../base/depth.ts'
import { RPC_CODES, type Result } from '../../model/message.ts'
import type { CacheHints } from '../../model/offering.ts'
import { SessionError, type Session } from '../../model/session.ts'
import type { Clock } from '../../world/world.ts'
import { TOO_DEEP } from './judge.ts'
import { endless } from './problems.ts'

const MAX_PAGES = 1_000
const MAX_ITEMS = 100_000
/** Characters of JSON, of all pages but the last: what a single message may hold is for the wire to say. */
const MAX_SIZE = 64 * 1024 * 1024

export interface ListOptions {
  readonly signal?: AbortSignal | undefined
  /** For one list, with all its pages. 0: no limit. Absent: as the session has it. */
  readonly timeoutMs?: number | undefined
  readonly clock: Clock
}

export interface ListSource {
  readonly method: string
  /** Where the items are in the answer. */
  readonly field: string
  /** In the words of a message. */
  readonly what: string
}

export interface Pages extends CacheHints {
  readonly items: readonly unknown[]
}

/** Rejects with a SessionError when a page does not come, with a ListError when they do not stop coming. */
export async function readPages(
  session: Pick<Session, 'request'>,
  source: ListSource,
  options: ListOptions,
): Promise<Pages> {
  const startedAt = options.clock.now()
  const walk: Walk = { pages: [], cursors: new Set(), text: '[]', items: 0, size: 0, ms: 0 }
  let cursor: unknown
  do {
    const page = await readPage({ session, source, options }, cursor, walk)
    if (page === undefined || (cursor === '' && JSON.stringify(page.items) === walk.text)) break
    walk.ms = options.clock.now() - startedAt
    const excess = takePage(walk, page, options.timeoutMs)
    if (excess !== undefined) throw endless(source.what, excess)
    cursor = page.next
  } while (cursor !== undefined)
  return { items: walk.pages.flatMap(({ items }) => items), ...mergeHints(walk.pages) }
}

/** The shortest time and the stricter scope; what not every page says is public is not. */
function mergeHints(all: readonly CacheHints[]): CacheHints {
  const times = all.flatMap(({ ttlMs }) => ttlMs ?? [])
  const scopes = new Set(all.map(({ cacheScope }) => cacheScope))
  const [scope] = scopes.has('private') ? ['private' as const] : scopes.size === 1 ? scopes : []
  return {
    ...(times.length === 0 ? {} : { ttlMs: Math.min(...times) }),
    ...(scope === undefined ? {} : { cacheScope: scope }),
  }
}

interface Page extends Pages {
  /** Undefined on the last page. Whatever it is, it goes back as it came. */
  readonly next?: unknown
}

/** What has been read so far. */
interface Walk {
  readonly pages: Page[]
  readonly cursors: Set<string>
  /** The items of the last page, as JSON. */
  text: string
  items: number
  size: number
  ms: number
}

interface Request {
  readonly session: Pick<Session, 'request'>
  readonly source: ListSource
  readonly options: ListOptions
}

/** Undefined: there is no such page, and that is no failure. */
async function readPage(request: Request, cursor: unknown, walk: Walk): Promise<Page | undefined> {
  const { session, source, options } = request
  const { signal, clock, timeoutMs = 0 } = options
  const params = cursor === undefined ? undefined : { cursor }
  const startedAt = clock.now()
  try {
    // No word of the server about the request gives it more time.
    const leftMs = Math.max(1, timeoutMs - walk.ms)
    const limits =
      timeoutMs === 0 ? { timeoutMs: options.timeoutMs } : { timeoutMs: leftMs, maxDurationMs: leftMs }
    return toPage(source, await session.request(source.method, params, { signal, ...limits }))
  } catch (error) {
    if (isRefusal(error, cursor)) return undefined
    if (isTimeout(error) && walk.pages.length > 0)
      throw endless(source.what, sayMore(walk.ms + clock.now() - startedAt, walk.pages.length))
    throw error
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof SessionError && error.failure.kind === 'timeout'
}

/**
 * Real servers advertise resources and then do not know the method: they have none. And an empty cursor is a cursor
 * since 2026-07-28, but many older servers mean the end by it, and refuse it or begin again when it comes back.
 */
function isRefusal(error: unknown, cursor: unknown): boolean {
  if (!(error instanceof SessionError) || error.failure.kind !== 'rpc') return false
  return cursor === '' || (cursor === undefined && error.failure.error.code === RPC_CODES.methodNotFound)
}

function toPage({ method, field }: ListSource, result: Result): Page {
  // A list without items is `null` in the servers of more than one language.
  const items = result[field] === null ? [] : result[field]
  const next = result['nextCursor'] ?? undefined
  if (!Array.isArray(items)) throw badAnswer(`the answer to \`${method}\` holds no list \`${field}\``)
  if (isTooDeep(next)) throw badAnswer(`the answer to \`${method}\` holds a cursor that is none`)
  const { ttlMs, cacheScope } = result
  return {
    items: items.map((item: unknown) => (isTooDeep(item) ? TOO_DEEP : item)),
    ...(next === undefined ? {} : { next }),
    ...(typeof ttlMs === 'number' && ttlMs >= 0 ? { ttlMs } : {}),
    ...(cacheScope === 'public' || cacheScope === 'private' ? { cacheScope } : {}),
  }
}

function badAnswer(message: string): SessionError {
  return new SessionError({ kind: 'bad-answer', message })
}

/** Adds a page, and says what is too much about the list by now. */
function takePage(walk: Walk, page: Page, timeoutMs = 0): string | undefined {
  const count = walk.pages.push(page)
  walk.items += page.items.length
  if (walk.items > MAX_ITEMS) return `there are more than ${show(MAX_ITEMS)} of them`
  if (page.next === undefined) return undefined
  const text = JSON.stringify(page.items)
  // Pages without items may follow each other; that is how some servers filter.
  if (text === walk.text && page.items.length > 0) return `page ${count} is the same as page ${count - 1}`
  const cursor = JSON.stringify(page.next)
  if (walk.cursors.has(cursor)) return `page ${count} leads back to a page before it`
  walk.cursors.add(cursor)
  walk.text = text
  walk.size += text.length + cursor.length
  if (walk.size > MAX_SIZE) return `they take more than ${MAX_SIZE / 1024 / 1024} MB`
  if (count >= MAX_PAGES) return `there are more than ${show(MAX_PAGES)} pages`
  return timeoutMs > 0 && walk.ms > timeoutMs ? sayMore(walk.ms, count) : undefined
}

function sayMore(ms: number, pages: number): string {
  return `after ${ms} ms and ${show(pages)} ${pages === 1 ? 'page' : 'pages'} there are more`
}

function show(count: number): string {
  return count.toLocaleString('en-US')
}
