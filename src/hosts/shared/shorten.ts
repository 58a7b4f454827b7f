/**
 * shorten: cuts long foreign texts in their middle, so that the text around them stays visible.
 *
 * in     printable text
 * out    the same text, or its two ends with `[… 4808 more characters …]` between them
 */
import { toPrintable } from '../../base/printable.ts'

export type Form = 'short' | 'whole'

/** The important part of a text is usually at its ends. */
export function shortenText(text: string, form: Form, longest = LONGEST): string {
  if (form === 'whole' || text.length <= longest + MARK_LENGTH) return text
  const half = longest / 2
  // When the cut splits a character, the rest of it becomes an escape.
  const [head, tail] = [toPrintable(text.slice(0, half)), toPrintable(text.slice(-half))]
  return `${head} ${leftOut(text.length - longest)} ${tail}`
}

/** The host is kept even in the middle of a long address, because it shows where the address leads. */
export function shortenUrl(url: string, form: Form): string {
  const [authority = ''] = /^\w+:\/\/[^/?#\\]*/.exec(url) ?? []
  return shortenText(authority, form) + shortenText(url.slice(authority.length), form)
}

/** Shows every item, up to `MOST_ITEMS`. The longer the list is, the more each long item is shortened. */
export function shortenList(
  items: readonly string[],
  { form, between, what }: { readonly form: Form; readonly between: string; readonly what: string },
): string {
  const sizeAt = (longest: number): number =>
    items.reduce((sum, item) => sum + Math.min(item.length, longest), 0)
  const longest = LENGTHS.find((each) => sizeAt(each) <= LONGEST_LIST) ?? SHORTEST
  const shown = items.map((item) => shortenText(item, form, longest))
  return leaveOut(shown, form, what).join(between)
}

/** The first and the last items, and the number of items between them. */
export function leaveOut(items: readonly string[], form: Form, what: string): readonly string[] {
  if (form === 'whole' || items.length <= MOST_ITEMS) return items
  const half = MOST_ITEMS / 2
  return [...items.slice(0, half), leftOut(items.length - MOST_ITEMS, what), ...items.slice(-half)]
}

/** Shows two texts around the place where they differ. */
export function shortenDifference(was: string, is: string, form: Form): readonly [string, string] {
  if (form === 'whole' || Math.max(was.length, is.length) <= LONGEST) return [was, is]
  const [one, other] = [[...was], [...is]]
  const sameStart = commonLength(one, other)
  const sameEnd = commonLength(one.slice(sameStart).toReversed(), other.slice(sameStart).toReversed())
  const start = Math.max(0, sameStart - CONTEXT)
  const end = Math.max(0, sameEnd - CONTEXT)
  const around = (characters: readonly string[]): string => {
    const stop = characters.length - end
    const parts = [characters.slice(0, start), characters.slice(start, stop), characters.slice(stop)]
    const [before = '', middle = '', after = ''] = parts.map((part) => part.join(''))
    const head = before.length <= MARK_LENGTH ? before : `${leftOut(before.length)} `
    const tail = after.length <= MARK_LENGTH ? after : ` ${leftOut(after.length)}`
    return head + shortenText(middle, form) + tail
  }
  return [around(one), around(other)]
}

const LONGEST = 200
/** The marker takes about this much space, so a shorter gap is shown instead. */
const MARK_LENGTH = 30
/** Limit for all items of a list together. */
const LONGEST_LIST = 1200
const SHORTEST = 50
const LENGTHS: readonly number[] = [LONGEST, 100, SHORTEST]
const MOST_ITEMS = 100
/** This much text stays on both sides of a difference. */
const CONTEXT = 40

function leftOut(count: number, what = 'characters'): string {
  return `[… ${count} more ${what} …]`
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const first = one.findIndex((character, i) => character !== other[i])
  return first === -1 ? one.length : first
}
