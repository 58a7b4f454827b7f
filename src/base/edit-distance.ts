/**
 * edit-distance: finds the known word that the user probably meant.
 *
 * in     a mistyped word and the known words
 * out    the nearest word, when it is near enough to be a likely typing error
 */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > LONGEST) return undefined
  const limit = Math.max(1, Math.floor(word.length / 3))
  let best: string | undefined
  let bestDistance = limit + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** No user types longer words, and the time to compare is the product of the lengths: names may come from a server. */
const LONGEST = 200

/** Insertions, deletions, substitutions and swaps of neighbours each count one. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      row[j] = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + change)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1)
    }
    ;[beforeLast, last] = [last, row]
  }
  return last[b.length]!
}
