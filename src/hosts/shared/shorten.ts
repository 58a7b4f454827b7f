/**
 * shorten: long texts of others, cut in their middle so that what stands beside them is still seen.
 *
 * in     printable text
 * out    the same text, or its ends with `[… 4808 more characters …]` between them
 */
import { toPrintable } from '../../base/printable.ts'

export type Form = 'short' | 'whole'

/** What a text is about stands mostly at its ends. */
export function shortenText(text: string, form: Form, longest = LONGEST): string {
  if (form === 'whole' || text.length <= longest + MARK_LENGTH) return text
  const half = longest / 2
  // A character that is cut in two is shown as what is left of it.
  const [head, tail] = [toPrintable(text.slice(0, half)), toPrintable(text.slice(-half))]
  return `${head} ${leftOut(text.length - longest)} ${tail}`
}

/** The host stands in the middle of a long address, and says where it leads. */
export function shortenUrl(url: string, form: Form): string {
  const [authority = ''] = /^\w+:\/\/[^/?#\\]*/.exec(url) ?? []
  return shortenText(authority, form) + shortenText(url.slice(authority.length), form)
}

/** Every item is seen, up to `MOST_ITEMS`: the longer they are together, the less is shown of a long one. */
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

/** The first and the last of them, and how many stand between. */
export function leaveOut(items: readonly string[], form: Form, what: string): readonly string[] {
  if (form === 'whole' || items.length <= MOST_ITEMS) return items
  const half = MOST_ITEMS / 2
  return [...items.slice(0, half), leftOut(items.length - MOST_ITEMS, what), ...items.slice(-half)]
}

/** Two texts around the place where they differ. */
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
/** What cannot be shown in less space than the mark takes is shown. */
const MARK_LENGTH = 30
/** Of all items of a list together. */
const LONGEST_LIST = 1200
const SHORTEST = 50
const LENGTHS: readonly number[] = [LONGEST, 100, SHORTEST]
const MOST_ITEMS = 100
/** What stays of the text on both sides of a difference. */
const CONTEXT = 40

function leftOut(count: number, what = 'characters'): string {
  return `[… ${count} more ${what} …]`
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const first = one.findIndex((character, i) => character !== other[i])
  return first === -1 ? one.length : first
}
