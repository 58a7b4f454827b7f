/**
 * yaml-tree: the positions in a YAML text, and which parts other places refer to.
 *
 * never  returns a place whose change would be visible in another place: it throws `edit/shared` then
 */
import { isAlias, isMap, isSeq, visit, type Document, type Node } from 'yaml'
import { parseYamlDocument } from '../base/yaml-document.ts'
import { describeYamlFault } from '../base/yaml-fault.ts'
import type { Path } from './change.ts'
import { eolOf, lineStart, type Page, type Span } from './page.ts'
import { doesNotParse, isShared } from './problems.ts'
import { keyOf } from './yaml-value.ts'

export interface Sheet {
  readonly text: string
  readonly document: Document.Parsed
  readonly eol: string
  readonly unit: number
  /** Names of anchors with at least one reference. */
  readonly used: ReadonlySet<string>
}

export function readSheet(text: string): Sheet {
  const document = parse(text)
  const used = new Set<string>()
  visit(document, { Alias: (_, { source }) => void used.add(source) })
  return { text, document, eol: eolOf(text), unit: unitOf(text, document), used }
}

export function parse(text: string): Document.Parsed {
  const parsed = parseYamlDocument(text)
  if (parsed.kind === 'too-deep') throw fault(text, 'it is nested too deeply', [parsed.at, parsed.at + 1])
  const { document } = parsed
  const [error] = document.errors
  if (error === undefined) return document
  throw fault(text, describeYamlFault(error), error.pos)
}

function fault(text: string, message: string, [start, end]: readonly [number, number]): Error {
  return doesNotParse(text, { format: 'YAML', message }, { start, end: Math.max(end, start + 1) })
}

/** The indentation of the first block inside another one. */
function unitOf(text: string, document: Document.Parsed): number {
  let unit: number | undefined
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isMap(value) || value.flow === true || value.range == null || (key as Node).range == null) return
      const step = columnOf(text, value.range[0]) - columnOf(text, (key as Node).range![0])
      unit = step > 0 ? step : undefined
      return unit === undefined ? undefined : visit.BREAK
    },
  })
  return unit ?? 2
}

export function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset)
}

/** A key and its value, or an item. */
export interface Entry {
  readonly key: string | number
  readonly keyNode: Node | undefined
  /** Undefined where nothing is written, not even an empty value. */
  readonly node: Node | undefined
  readonly index: number
}

/** An entry with its object or list; the whole document has neither. */
export interface Location extends Omit<Entry, 'node'> {
  readonly node: Node | undefined
  readonly parent: Location | undefined
}

export function entriesOf(node: Node | undefined): readonly Entry[] {
  if (isSeq(node))
    return node.items.map((item, index) => ({ key: index, keyNode: undefined, node: item as Node, index }))
  if (!isMap(node)) return []
  return node.items.map(({ key, value }, index) => ({
    key: keyOf(key as Node | null),
    keyNode: (key ?? undefined) as Node | undefined,
    node: (value ?? undefined) as Node | undefined,
    index,
  }))
}

/** The places along a path, from the document down, as far as they exist. Of duplicate keys the last one counts. */
export function find({ document }: Sheet, path: Path): readonly Location[] {
  const root: Location = {
    key: '',
    keyNode: undefined,
    node: document.contents ?? undefined,
    index: 0,
    parent: undefined,
  }
  const places: Location[] = [root]
  for (const key of path) {
    const parent: Location = places.at(-1)!
    const entry = entriesOf(parent.node).findLast((one) => one.key === key)
    if (entry === undefined) return places
    places.push({ ...entry, parent })
  }
  return places
}

/** As `find`, before a change of the last place: throws `edit/shared` where other places would see the change. */
export function walk(sheet: Sheet, page: Page, path: Path): readonly Location[] {
  const places = find(sheet, path)
  places.slice(0, path.length).forEach(({ node }, depth) => {
    const at = path.slice(0, depth)
    if (isAlias(node))
      throw isShared(page, at, `is a reference, \`*${node.source}\`: what is in it is written elsewhere`)
    refuseShared(sheet, page, { path: at, node })
  })
  return places
}

function refuseShared(
  { used }: Sheet,
  page: Page,
  { path, node }: { readonly path: Path; readonly node: Node | undefined },
): void {
  const anchor = node === undefined || isAlias(node) ? undefined : (node as { anchor?: string }).anchor
  if (anchor !== undefined && used.has(anchor))
    throw isShared(page, path, `is also used elsewhere in this file, as \`*${anchor}\``)
}

export function refuseSharedInside(
  sheet: Sheet,
  page: Page,
  { path, node }: { readonly path: Path; readonly node: Node | undefined },
): void {
  refuseShared(sheet, page, { path, node })
  for (const entry of entriesOf(node))
    refuseSharedInside(sheet, page, { path: [...path, entry.key], node: entry.node })
}

export function countOf(place: Location | undefined): number {
  return entriesOf(place?.parent?.node).filter(({ key }) => key === place?.key).length
}

export function isFlow(node: Node | undefined): boolean {
  return (isMap(node) || isSeq(node)) && node.flow === true
}

export function spanOf(node: Node): Span {
  return { start: node.range![0], end: node.range![1] }
}

/** Where the content of a node ends: the library counts what follows a block as a part of it. */
export function contentEnd(node: Node): number {
  const last = isFlow(node) ? undefined : entriesOf(node).at(-1)
  if (last === undefined) return node.range![1]
  return entryEnd(last)
}

export function entryEnd({ node, keyNode }: Pick<Entry, 'node' | 'keyNode'>): number {
  const end = node === undefined ? undefined : contentEnd(node)
  return end ?? keyNode?.range?.[1] ?? 0
}
