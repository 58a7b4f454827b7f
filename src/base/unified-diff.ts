/**
 * unified-diff: the difference between two texts, as `diff -u` shows it.
 *
 * in     the lines of both, and how each is shown
 * out    hunks with three lines around every change; nothing when the texts are the same
 */
export interface ShownLines {
  readonly lines: readonly string[]
  /** The line at this index, in a form that is safe to show. */
  readonly show: (at: number) => string
}

const CONTEXT = 3

export function unifiedDiff(before: ShownLines, after: ShownLines): readonly string[] {
  const steps = findSteps(before.lines, after.lines)
  return groupIntoHunks(steps).flatMap((hunk) => showHunk(hunk, before, after))
}

/** One line of the comparison; `a` and `b` are its positions in the two texts. */
interface Step {
  readonly kind: ' ' | '-' | '+'
  readonly a: number
  readonly b: number
}

/** The shortest edit from one to the other (Myers, "An O(ND) Difference Algorithm"), after the common beginning. */
function findSteps(a: readonly string[], b: readonly string[]): readonly Step[] {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const middle = walk(a.slice(start, a.length - end), b.slice(start, b.length - end))
  const same = (from: number, shift: number, count: number): Step[] =>
    Array.from({ length: count }, (_, i) => ({ kind: ' ', a: from + i, b: from + shift + i }))
  return [
    ...same(0, 0, start),
    ...middle.map((step) => ({ ...step, a: step.a + start, b: step.b + start })),
    ...same(a.length - end, b.length - a.length, end),
  ]
}

function walk(a: readonly string[], b: readonly string[]): readonly Step[] {
  // Nearly always: lines were added in one place. The search below keeps every attempt in memory.
  if (a.length === 0) return b.map((_, i) => ({ kind: '+', a: 0, b: i }))
  const trail: Map<number, number>[] = []
  let reached = new Map<number, number>([[1, 0]])
  for (let cost = 0; ; cost++) {
    const now = new Map(reached)
    trail.push(reached)
    for (let k = -cost; k <= cost; k += 2) {
      let x = isDown(now, k, cost) ? now.get(k + 1)! : now.get(k - 1)! + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      now.set(k, x)
      if (x >= a.length && x - k >= b.length) return retrace(trail, a.length, b.length)
    }
    reached = now
  }
}

function isDown(reached: ReadonlyMap<number, number>, k: number, cost: number): boolean {
  return k === -cost || (k !== cost && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1))
}

function retrace(trail: readonly ReadonlyMap<number, number>[], aEnd: number, bEnd: number): readonly Step[] {
  const steps: Step[] = []
  let [x, y] = [aEnd, bEnd]
  for (let cost = trail.length - 1; cost >= 0; cost--) {
    const reached = trail[cost]!
    const k = x - y
    const from = isDown(reached, k, cost) ? k + 1 : k - 1
    const [fromX, fromY] = [reached.get(from)!, reached.get(from)! - from]
    while (x > fromX && y > fromY) steps.push({ kind: ' ', a: --x, b: --y })
    if (cost === 0) break
    if (x === fromX) steps.push({ kind: '+', a: x, b: --y })
    else steps.push({ kind: '-', a: --x, b: y })
  }
  return steps.toReversed()
}

function groupIntoHunks(steps: readonly Step[]): readonly (readonly Step[])[] {
  const changed = steps.flatMap(({ kind }, i) => (kind === ' ' ? [] : [i]))
  const spans: { from: number; to: number }[] = []
  for (const at of changed) {
    const last = spans.at(-1)
    if (last !== undefined && at - CONTEXT <= last.to) last.to = at + CONTEXT + 1
    else spans.push({ from: Math.max(0, at - CONTEXT), to: at + CONTEXT + 1 })
  }
  return spans.map(({ from, to }) => steps.slice(from, to))
}

function showHunk(hunk: readonly Step[], before: ShownLines, after: ShownLines): readonly string[] {
  const count = (kind: '-' | '+'): number =>
    hunk.filter((step) => step.kind === ' ' || step.kind === kind).length
  const range = (start: number, length: number): string => `${length === 0 ? start : start + 1},${length}`
  const [first] = hunk
  return [
    `@@ -${range(first!.a, count('-'))} +${range(first!.b, count('+'))} @@`,
    ...hunk.map(({ kind, a, b }) => kind + (kind === '+' ? after.show(b) : before.show(a))),
  ]
}
