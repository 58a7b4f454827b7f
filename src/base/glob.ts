/**
 * glob: patterns in which `*` stands for any run of characters, `?` for one, and `{a,b}` for one of several.
 *
 * `/` and `.` are characters like any other, and so is a line break.
 *
 * never  builds a regular expression: patterns come from files, some of them from repositories, and matching must stay
 *        fast; takes what it does not know (`[a-z]`, `!x`, `\`) for a plain character: a rule would silently miss
 */
import { matchesWildcard } from './wildcard.ts'

/** The patterns that a glob stands for, with `*` and `?` left in them. Undefined when it is no glob that we know. */
export function parseGlob(glob: string): readonly string[] | undefined {
  if (glob.trim() === '' || /[[\]\\]|^!/.test(glob)) return undefined
  let patterns = ['']
  for (const [part, alternatives] of splitBraces(glob)) {
    if (/[{}]/.test(alternatives ?? part)) return undefined
    const choices = alternatives?.split(',') ?? [part]
    if (patterns.length * choices.length > MOST_PATTERNS) return undefined
    patterns = patterns.flatMap((before) => choices.map((choice) => before + choice))
  }
  return patterns
}

/** A hundred characters could otherwise stand for a million patterns. */
const MOST_PATTERNS = 256

/** `a{b,c}d` → `a`, `{b,c}` with its inside, `d`. */
function splitBraces(glob: string): readonly (readonly [part: string, alternatives?: string])[] {
  return [...glob.matchAll(/\{([^{}]*)\}|\{|\}|[^{}]+/g)].map(([part, inside]) =>
    inside === undefined ? [part] : [part, inside],
  )
}

export function hasWildcard(pattern: string): boolean {
  return /[*?]/.test(pattern)
}

/** One of the patterns that `parseGlob` gives. Takes no more steps than the lengths multiplied. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (!pattern.includes('?')) return matchesWildcard(pattern, text)
  const [wanted, given] = [[...pattern], [...text]]
  let [at, from] = [0, 0]
  /** Where the last `*` is, and how far it reaches; the first that fits is tried, then the next. */
  let [star, reach] = [-1, 0]
  while (from < given.length) {
    if (wanted[at] === '*') [star, reach, at] = [at, from, at + 1]
    else if (wanted[at] === '?' || wanted[at] === given[from]) [at, from] = [at + 1, from + 1]
    else if (star !== -1) [reach, at, from] = [reach + 1, star + 1, reach + 1]
    else return false
  }
  while (wanted[at] === '*') at++
  return at === wanted.length
}
