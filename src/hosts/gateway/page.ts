/**
 * page: the part of a list that goes into one answer.
 *
 * in     the current list, and the cursor of the page before
 * out    the next page, and a cursor if there is more
 * never  keeps state for a client; continues at another place than the last page ended
 *
 * A cursor names the last item of a page. The next page is what follows that item. Other changes of the list reach
 * clients through notifications.
 */
import type { Params } from '../../model/message.ts'
import type { ListKind } from '../../model/offering.ts'
import { invalid } from './fault.ts'

/** Some clients ignore cursors, and no client could use more items than this. */
export const PAGE_SIZE = 1000

export interface Page {
  readonly items: readonly Params[]
  readonly nextCursor?: string
}

/** Throws an RpcFaultError for a cursor that does not match the list, or no longer matches it. */
export function pageOf(kind: ListKind, items: readonly Params[], cursor: unknown): Page {
  const from = cursor === undefined ? 0 : findStart(kind, items, cursor)
  const end = from + PAGE_SIZE
  if (end >= items.length) return { items: from === 0 ? items : items.slice(from) }
  return {
    items: items.slice(from, end),
    nextCursor: toCursor(kind, end, items[end - 1]![KEYS[kind]]),
  }
}

/** The field that identifies an item of each list. */
const KEYS = { tool: 'name', prompt: 'name', resource: 'uri', 'resource-template': 'uriTemplate' } as const

/** The place is where the search starts. It also distinguishes two items of the same name. */
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
