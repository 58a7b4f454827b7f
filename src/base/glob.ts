/**
 * glob: patterns in which `*` stands for any run of characters, `?` for one, and `{a,b}` for one of several.
 *
 * `/` and `.` are ordinary characters, and so is a line break.
 *
 * never  builds a regular expression: patterns come from files, some of them from repositories, and matching must stay
 *        fast; treats unknown syntax (`[a-z]`, `!x`, `\`) as plain characters: a rule would silently fail to match
 */
import { matchesWildcard } from './wildcard.ts'

/** Expands a glob into patterns, with `*` and `?` left in them. Undefined when its syntax is unknown. */
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

/** Otherwise a hundred characters could expand into a million patterns. */
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

/** For one of the patterns from `parseGlob`. Takes at most the product of the lengths in steps. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (!pattern.includes('?')) return matchesWildcard(pattern, text)
  const [wanted, given] = [[...pattern], [...text]]
  let [at, from] = [0, 0]
  /** The last `*`, and how far it reaches: the shortest match is tried first, then longer ones. */
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
