/**
 * page: as much of a list as goes into one answer.
 *
 * in     the list as it is now, and the cursor that came with the page before
 * out    the next page, and a cursor where there is more
 * never  remembers anything of a client; goes on at another place than it left off
 *
 * A cursor names the last item that was shown. What comes after that one is the rest, whatever came or went elsewhere in
 * the list, of which clients are told in another way.
 */
import type { Params } from '../../model/message.ts'
import type { ListKind } from '../../model/offering.ts'
import { invalid } from './fault.ts'

/** Some clients know no cursors, and none of them could do anything with more than this. */
export const PAGE_SIZE = 1000

export interface Page {
  readonly items: readonly Params[]
  readonly nextCursor?: string
}

/** Throws an RpcFaultError for a cursor that does not fit the list, or not any more. */
export function pageOf(kind: ListKind, items: readonly Params[], cursor: unknown): Page {
  const from = cursor === undefined ? 0 : findStart(kind, items, cursor)
  const end = from + PAGE_SIZE
  if (end >= items.length) return { items: from === 0 ? items : items.slice(from) }
  return {
    items: items.slice(from, end),
    nextCursor: toCursor(kind, end, items[end - 1]![KEYS[kind]]),
  }
}

/** What tells the items of a list apart. */
const KEYS = { tool: 'name', prompt: 'name', resource: 'uri', 'resource-template': 'uriTemplate' } as const

/** The place is where to look first, and what tells two items of the same name apart. */
function toCursor(kind: ListKind, place: number, last: unknown): string {
  return [kind, place, JSON.stringify(String(last))].join(' ')
}

function findStart(kind: ListKind, items: readonly Params[], cursor: unknown): number {
  const isLast = (item: Params | undefined, place: number): boolean =>
    item !== undefined && toCursor(kind, place, item[KEYS[kind]]) === cursor
  const place = typeof cursor === 'string' ? Number(cursor.split(' ')[1]) : Number.NaN
  if (isLast(items[place - 1], place)) return place
  const found = items.findLastIndex((item) => isLast(item, place))
  if (found === -1) throw invalid('this cursor does not fit the list, or not any more: begin anew')
  return found + 1
}
