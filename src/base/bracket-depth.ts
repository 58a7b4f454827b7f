/**
 * bracket-depth: where a text is nested too deep. It is approximate: brackets and dots in strings count too.
 *
 * The TOML parser uses regular expressions. V8 ends the whole process when it must compile one while the stack is
 * nearly full, without a RangeError to catch. So this module checks first.
 */
export function findTooDeep(text: string, maxDepth: number): number | undefined {
  let depth = 0
  for (const { 0: found, index } of text.matchAll(/[[{\]}]/g)) {
    if (found === ']' || found === '}') depth = Math.max(0, depth - 1)
    else if (++depth > maxDepth) return index
  }
  return undefined
}

/** Where a key such as `a.b.c` has too many parts: each part costs the parser nearly a kilobyte of memory. */
export function findTooManyDots(text: string, maxDots: number): number | undefined {
  let dots = 0
  for (const { 0: found, index } of text.matchAll(/[.=,\n]/g)) {
    if (found !== '.') dots = 0
    else if (++dots > maxDots) return index
  }
  return undefined
}
