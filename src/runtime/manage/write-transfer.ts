/**
 * write-transfer: planned servers and a file → the written file, or the change as a diff; with a second file when the
 * agent keeps the names that are off elsewhere.
 *
 * never  overwrites an entry that was added after the plan; shows a secret, not even of a neighbour
 */
import {
  isListValue,
  isObjectValue,
  valueAt,
  type Change,
  type ObjectValue,
  type Value,
} from '../../edit/change.ts'
import { editFormatOf, loadEdit } from '../../edit/edit.ts'
import { unifiedDiff, type ShownLines } from '../../base/unified-diff.ts'
import { unreadableFile } from '../../pipeline/discover/problems.ts'
import { maskSecrets } from '../../problem/mask.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import { editFile, previewEdit, type FileToEdit } from '../edit-file.ts'
import type { Target } from './target.ts'
import { nameIsTaken } from './transfer-problems.ts'
import type { Planned } from './transfer.ts'

/**
 * `onEdit`: for the file of the servers. Throws `manage/exists`, and what `editFile` throws. Then nothing is written.
 */
export async function writeTransfer(
  world: World,
  target: Target,
  planned: readonly Planned[],
  onEdit?: FileToEdit['onEdit'],
): Promise<void> {
  const [servers, ...beside] = partsOf(world, target, planned)
  // The second file is tried first: a server that is written but cannot be turned off would be on.
  for (const part of beside) await previewEdit(world, part, (value) => part.changes(planned, value))
  for (const part of [servers!, ...beside])
    await editFile(world, { ...part, onEdit: part === servers ? onEdit : undefined }, (value) =>
      part.changes(planned, value),
    )
}

export interface FileDiff {
  readonly file: string
  /** Hunks, as `diff -u` would show them. */
  readonly lines: readonly string[]
}

/** One diff for each file that would change. Throws as `writeTransfer`. */
export async function previewTransfer(
  world: World,
  target: Target,
  planned: readonly Planned[],
): Promise<readonly FileDiff[]> {
  const diffs: FileDiff[] = []
  for (const part of partsOf(world, target, planned))
    diffs.push({ file: part.file, lines: await previewPart(world, target, { part, planned }) })
  return diffs.filter(({ lines }) => lines.length > 0)
}

async function previewPart(
  world: World,
  { readAs, scope }: Target,
  { part, planned }: { readonly part: Part; readonly planned: readonly Planned[] },
): Promise<readonly string[]> {
  const { file } = part
  const edit = await loadEdit(editFormatOf(file))
  const read = world.files.read(file)
  if (read.kind === 'unreadable')
    throw new ProblemError(unreadableFile(file, read.why, { source: readAs, scope }))
  const text = read.kind === 'text' ? read.text : undefined
  const render = (entryOf: (one: Planned) => ObjectValue): readonly string[] => {
    const entries = planned.map((one) => ({ ...one, entry: entryOf(one) }))
    return toLines(edit({ file, text }, (value) => part.changes(entries, value)))
  }
  const before = toLines(text ?? '')
  const after = render(({ entry }) => entry)
  const shown = render(({ shownEntry }) => shownEntry)
  const marked = render(({ entry }) => markTexts(entry) as ObjectValue)
  return unifiedDiff(
    { lines: before, show: (at) => maskSecrets(before[at]!) },
    toShownLines(after, { shown, marked }),
  )
}

/** One file that changes. */
interface Part {
  readonly file: string
  readonly within: string | undefined
  readonly mode: number
  readonly changes: (entries: readonly NewEntry[], value: ObjectValue) => readonly Change[]
}

type NewEntry = Pick<Planned, 'name' | 'entry' | 'inputs' | 'isOffByList'>

/** The file of the servers, and the file of the names that are off when it is another one. */
function partsOf(world: World, target: Target, planned: readonly Planned[]): readonly Part[] {
  const { file, within, mode, offList } = target
  const isBeside = offList !== undefined && offList.file !== file
  const servers: Part = {
    file,
    within,
    mode,
    changes: (entries, value) => {
      requireFree(world, { target, entries }, value)
      return [...addServers(target, entries, value), ...(isBeside ? [] : turnOff(target, entries, value))]
    },
  }
  if (!isBeside || !planned.some(({ isOffByList }) => isOffByList)) return [servers]
  return [
    servers,
    { file: offList.file, within, mode, changes: (entries, value) => turnOff(target, entries, value) },
  ]
}

/**
 * New lines come from the text in which secrets are hidden. All other lines belong to the user or the agent, and are
 * masked. A line is new when it differs in the text that has a mark for each value.
 */
function toShownLines(
  lines: readonly string[],
  { shown, marked }: { readonly shown: readonly string[]; readonly marked: readonly string[] },
): ShownLines {
  const isAligned = shown.length === lines.length && marked.length === lines.length
  const isOurs = (at: number): boolean => isAligned && marked[at] !== lines[at]
  return { lines, show: (at) => (isOurs(at) ? shown[at]! : maskSecrets(lines[at]!)) }
}

const MARK = '\u{1F50C}'

function markTexts(value: Value): Value {
  if (typeof value === 'string') return MARK
  if (isListValue(value)) return value.map(markTexts)
  if (!isObjectValue(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, markTexts(inner)]))
}

function toLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function addServers(target: Target, entries: readonly NewEntry[], value: ObjectValue): readonly Change[] {
  const path = target.pathIn(value)
  return [
    ...askFor(value, [...new Set(entries.flatMap(({ inputs }) => inputs))]),
    ...entries.map(({ name, entry }): Change => ({ kind: 'set', path: [...path, name], value: entry })),
  ]
}

function turnOff({ offList }: Target, entries: readonly NewEntry[], value: ObjectValue): readonly Change[] {
  if (offList === undefined) return []
  const names = entries.filter(({ isOffByList }) => isOffByList).map(({ name }) => name)
  return append(value, offList.pathIn(value), names, (item, name) => item === name)
}

/** Adds the missing inputs to the list of those that VS Code asks for. */
function askFor(value: ObjectValue, ids: readonly string[]): readonly Change[] {
  const inputs = ids.map((id) => ({ type: 'promptString', id, description: id, password: true }))
  return append(value, ['inputs'], inputs, (item, { id }) => valueAt(item, ['id']) === id)
}

/** Appends to a list what it does not have yet. Makes the list when there is none. */
function append<T extends Value>(
  value: ObjectValue,
  path: readonly string[],
  items: readonly T[],
  isSame: (there: Value, item: T) => boolean,
): readonly Change[] {
  const list = valueAt(value, path)
  const there = isListValue(list) ? list : []
  const added = items.filter((item) => !there.some((one) => isSame(one, item)))
  if (!isListValue(list)) return added.length === 0 ? [] : [{ kind: 'set', path, value: added }]
  return added.map((item, i) => ({ kind: 'set', path: [...path, there.length + i], value: item }))
}

/** Checked under the lock: another process may have added it since it was planned. */
function requireFree(
  { platform }: World,
  { target, entries }: { readonly target: Target; readonly entries: readonly NewEntry[] },
  value: ObjectValue,
): void {
  const path = target.pathIn(value)
  const taken = entries.find(({ name }) => valueAt(value, [...path, name]) !== undefined)
  if (taken === undefined) return
  const there = JSON.stringify(valueAt(value, [...path, taken.name]), undefined, 2)
  const shown = there.split('\n').map((line) => maskSecrets(line))
  throw new ProblemError(nameIsTaken({ name: taken.name, file: target.file, shown }, { target, platform }))
}
