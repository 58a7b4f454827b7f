/**
 * pin-diff: compares an approved tool with its present form, for the user to read.
 *
 * in     a tool as it was approved, and as it is
 * out    its description line by line, everything else path by path
 * never  takes long, whatever a server writes: a part that is too large to compare is shown as replaced
 */
import { toStableJson } from '../../base/stable-json.ts'
import type { ListedTool } from '../../model/offering.ts'
import type { DiffLine, PathDiff, PinDiff } from '../../model/permission.ts'

export function diffPin(was: ListedTool, is: ListedTool): PinDiff {
  const [before, after] = [toParts(was), toParts(is)]
  return {
    ...(was.name === is.name ? {} : { name: { was: was.name, is: is.name } }),
    description: diffText(before.text, after.text),
    schema: diffPaths(was.inputSchema, is.inputSchema),
    fields: diffPaths(before.fields, after.fields),
  }
}

/** A description that is no text is compared like the other fields. */
function toParts(tool: ListedTool): { readonly text: string; readonly fields: object } {
  const { name: _name, inputSchema: _schema, description, ...rest } = tool
  return typeof description === 'string'
    ? { text: description, fields: rest }
    : { text: '', fields: description === undefined ? rest : { ...rest, description } }
}

function diffText(was: string, is: string): readonly DiffLine[] {
  if (was === is) return []
  return diffLines(toLines(was), toLines(is))
}

/** An empty text has no lines. */
function toLines(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n')
}

function diffLines(was: readonly string[], is: readonly string[]): readonly DiffLine[] {
  const start = countEqual(was, is, 'start', 0)
  const end = countEqual(was, is, 'end', start)
  const as = (kind: DiffLine['kind'], lines: readonly string[]): readonly DiffLine[] =>
    lines.map((text) => ({ kind, text }))
  return [
    ...as('same', was.slice(0, start)),
    ...diffMiddle(was.slice(start, was.length - end), is.slice(start, is.length - end)),
    ...as('same', was.slice(was.length - end)),
  ]
}

function countEqual(
  was: readonly string[],
  is: readonly string[],
  side: 'start' | 'end',
  taken: number,
): number {
  const most = Math.min(was.length, is.length) - taken
  let count = 0
  while (count < most) {
    const isEqual = side === 'start' ? was[count] === is[count] : was.at(-1 - count) === is.at(-1 - count)
    if (!isEqual) break
    count++
  }
  return count
}

/** The number of lines of one text times that of the other. */
const MOST_STEPS = 1_000_000

/** Keeps the longest common subsequence; all other lines are removed or added. */
function diffMiddle(was: readonly string[], is: readonly string[]): readonly DiffLine[] {
  const gone = (text: string): DiffLine => ({ kind: 'gone', text })
  const added = (text: string): DiffLine => ({ kind: 'new', text })
  if (was.length * is.length > MOST_STEPS) return [...was.map(gone), ...is.map(added)]
  const common = commonLengths(was, is)
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < was.length && j < is.length) {
    if (was[i] === is[j]) {
      lines.push({ kind: 'same', text: was[i++]! })
      j++
    } else if (common[i + 1]![j]! >= common[i]![j + 1]!) lines.push(gone(was[i++]!))
    else lines.push(added(is[j++]!))
  }
  return [...lines, ...was.slice(i).map(gone), ...is.slice(j).map(added)]
}

/** How many lines the two texts have in common from i and j to their ends. */
function commonLengths(was: readonly string[], is: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: was.length + 1 }, () => new Uint32Array(is.length + 1))
  for (let i = was.length - 1; i >= 0; i--) {
    for (let j = is.length - 1; j >= 0; j--) {
      table[i]![j] =
        was[i] === is[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!)
    }
  }
  return table
}

function diffPaths(was: object, is: object): readonly PathDiff[] {
  const [before, after] = [toPaths(was), toPaths(is)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .sort()
    .map((path) => ({ path, ...withValue('was', before.get(path)), ...withValue('is', after.get(path)) }))
}

function withValue(key: 'was' | 'is', value: string | undefined): { readonly [K in typeof key]?: string } {
  return value === undefined ? {} : { [key]: value }
}

/** Deeper than users read: from this depth on, a value is shown as one text. */
const DEEPEST = 20

/** `properties.repo.type` → `"string"`. Empty objects and lists are values themselves. */
function toPaths(schema: unknown): ReadonlyMap<string, string> {
  const paths = new Map<string, string>()
  const walk = (value: unknown, path: string, depth: number): void => {
    const pairs = typeof value === 'object' && value !== null && depth < DEEPEST ? Object.entries(value) : []
    // An empty schema has no paths.
    if (pairs.length === 0 && path !== '')
      paths.set(path, depth < DEEPEST ? (JSON.stringify(value) ?? '') : toStableJson(value))
    for (const [key, inner] of pairs) {
      const step = Array.isArray(value) ? `[${key}]` : path === '' ? showKey(key) : `.${showKey(key)}`
      walk(inner, path + step, depth + 1)
    }
  }
  walk(schema, '', 0)
  return paths
}

/** Quotes a key with a dot in it, so that it does not look like a path. */
function showKey(key: string): string {
  return /^[^.[\]"\s]+$/.test(key) ? key : JSON.stringify(key)
}
