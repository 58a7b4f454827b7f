/**
 * pages: reads all pages of one list, from a server that may never stop.
 *
 * in     a session, and the list to read
 * out    its items in order, as they came or `TOO_DEEP`, and how long they may be kept
 * never  reads without end: pages, items, size and time are limited, and a server that repeats itself is stopped
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
/** Characters of JSON in all pages except the last: the wire limits the size of a single message. */
const MAX_SIZE = 64 * 1024 * 1024

export interface ListOptions {
  readonly signal?: AbortSignal | undefined
  /** For one list with all its pages. 0: no limit. Absent: the limit of the session. */
  readonly timeoutMs?: number | undefined
  readonly clock: Clock
}

export interface ListSource {
  readonly method: string
  /** The field of the answer that holds the items. */
  readonly field: string
  /** The name of the list in messages. */
  readonly what: string
}

export interface Pages extends CacheHints {
  readonly items: readonly unknown[]
}

/** Rejects with a SessionError when a page does not arrive, and with a ListError when the pages do not end. */
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

/** The shortest time and the stricter scope: the list is public only if every page says so. */
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
  /** Undefined on the last page. Any other value goes back unchanged. */
  readonly next?: unknown
}

/** What was read so far. */
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

/** Undefined: there is no such page, which is no failure. */
async function readPage(request: Request, cursor: unknown, walk: Walk): Promise<Page | undefined> {
  const { session, source, options } = request
  const { signal, clock, timeoutMs = 0 } = options
  const params = cursor === undefined ? undefined : { cursor }
  const startedAt = clock.now()
  try {
    // Progress reports of the server do not extend the limit.
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
 * Some real servers advertise resources and then refuse the method: they have none. An empty cursor is a cursor since
 * 2026-07-28. But many older servers use it for the end, and refuse it or begin again when it comes back.
 */
function isRefusal(error: unknown, cursor: unknown): boolean {
  if (!(error instanceof SessionError) || error.failure.kind !== 'rpc') return false
  return cursor === '' || (cursor === undefined && error.failure.error.code === RPC_CODES.methodNotFound)
}

function toPage({ method, field }: ListSource, result: Result): Page {
  // Servers in more than one language send `null` for an empty list.
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

/** Adds a page, and returns the limit that the list now exceeds. */
function takePage(walk: Walk, page: Page, timeoutMs = 0): string | undefined {
  const count = walk.pages.push(page)
  walk.items += page.items.length
  if (walk.items > MAX_ITEMS) return `there are more than ${show(MAX_ITEMS)} of them`
  if (page.next === undefined) return undefined
  const text = JSON.stringify(page.items)
  // Pages without items may follow each other: some servers filter that way.
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
