/**
 * toml-tree: the positions in a TOML text, each with its whole path.
 *
 * never  returns a tree for a text that does not parse: it throws a fault with the position
 */
import { parseTOML, ParseError, type AST } from 'toml-eslint-parser'
import { findTooDeep } from '../base/bracket-depth.ts'
import { MAX_DEPTH } from '../base/depth.ts'
import type { Path } from './change.ts'
import type { Span } from './page.ts'
import { doesNotParse } from './problems.ts'

/** Sections and pairs in the order of the text, each with its whole path. */
export interface Tree {
  readonly text: string
  readonly program: AST.TOMLProgram
  readonly sections: readonly Placed<AST.TOMLTable>[]
  /** Includes those in inline tables. */
  readonly pairs: readonly Placed<AST.TOMLKeyValue>[]
  readonly values: readonly Placed<AST.TOMLContentNode>[]
  /** Every part of every key. */
  readonly keys: readonly Placed<AST.TOMLBare | AST.TOMLQuoted>[]
}

export interface Placed<T> {
  readonly node: T
  readonly path: Path
}

export function readTree(text: string): Tree {
  const tooDeep = findTooDeep(text, MAX_DEPTH)
  if (tooDeep !== undefined) throw fault(text, 'it is nested too deeply', tooDeep)
  try {
    // Without a line break at the end, the parser reports the end of a final number one digit too early.
    return collect(text, parseTOML(text.endsWith('\n') ? text : `${text}\n`))
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const message = error.message.charAt(0).toLowerCase() + error.message.slice(1).replace(/\.$/, '')
    throw fault(text, message, Math.min(error.index, text.length))
  }
}

function fault(text: string, message: string, start: number): Error {
  return doesNotParse(text, { format: 'TOML', message }, { start, end: start + 1 })
}

function collect(text: string, program: AST.TOMLProgram): Tree {
  const sections: Placed<AST.TOMLTable>[] = []
  const pairs: Placed<AST.TOMLKeyValue>[] = []
  const values: Placed<AST.TOMLContentNode>[] = []
  const keys: Placed<AST.TOMLBare | AST.TOMLQuoted>[] = []

  const visitValue = (node: AST.TOMLContentNode, path: Path): void => {
    values.push({ node, path })
    if (node.type === 'TOMLArray') node.elements.forEach((item, i) => visitValue(item, [...path, i]))
    if (node.type === 'TOMLInlineTable') for (const pair of node.body) visitPair(pair, path)
  }
  const visitPair = (node: AST.TOMLKeyValue, base: Path): void => {
    const names = node.key.keys.map(nameOf)
    node.key.keys.forEach((key, i) => keys.push({ node: key, path: [...base, ...names.slice(0, i + 1)] }))
    const path = [...base, ...names]
    pairs.push({ node, path })
    visitValue(node.value, path)
  }
  for (const node of program.body[0].body) {
    if (node.type === 'TOMLKeyValue') {
      visitPair(node, [])
      continue
    }
    const path = node.resolvedKey
    sections.push({ node, path })
    // Numbers in a path are indexes of lists, which the header does not contain.
    const ends = path.flatMap((key, i) => (typeof key === 'string' ? [i + 1] : []))
    node.key.keys.forEach((key, i) => keys.push({ node: key, path: path.slice(0, ends[i]) }))
    for (const pair of node.body) visitPair(pair, path)
  }
  return { text, program, sections, pairs, values, keys }
}

function nameOf(key: AST.TOMLBare | AST.TOMLQuoted): string {
  return key.type === 'TOMLBare' ? key.name : key.value
}

export function isSamePath(one: Path, other: Path): boolean {
  return one.length === other.length && startsWith(one, other)
}

export function startsWith(path: Path, start: Path): boolean {
  return start.length <= path.length && start.every((key, i) => key === path[i])
}

export type Piece = AST.TOMLTable | AST.TOMLKeyValue

/** Every piece at or below a path, once: without the pairs inside a section that is such a piece. */
export function piecesBelow({ sections, pairs }: Tree, path: Path): readonly Piece[] {
  const tables = sections.filter((one) => startsWith(one.path, path)).map(({ node }) => node)
  const isInside = (node: AST.TOMLNode | null): boolean =>
    node !== null && (tables.includes(node as AST.TOMLTable) || isInside(node.parent))
  const own = pairs.filter((one) => startsWith(one.path, path)).map(({ node }) => node)
  const isNested = (node: AST.TOMLNode | null): boolean =>
    node !== null && (own.includes(node as AST.TOMLKeyValue) || isNested(node.parent))
  const alone = own.filter((node) => !isInside(node.parent) && !isNested(node.parent))
  return [...tables, ...alone].sort((one, other) => one.range[0] - other.range[0])
}

export function spanOf({ range: [start, end] }: AST.TOMLNode): Span {
  return { start, end }
}
