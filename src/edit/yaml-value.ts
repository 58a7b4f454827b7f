/**
 * yaml-value: what a YAML text says, as a value. `<<` is a key like any other, as it is to discovery.
 */
import { isAlias, isMap, isScalar, isSeq, type Document, type Node } from 'yaml'
import type { Value } from './change.ts'
import { doesNotParse } from './problems.ts'

/** More than any file says; fewer than references to references can make of a few lines. */
const MAX_VALUES = 1_000_000

/** Nothing at all is an object without members. */
export function readYaml(document: Document.Parsed, text: string): Value {
  const { contents } = document
  if (contents === null || isBlank(contents)) return {}
  let left = MAX_VALUES
  const around = new Set<Node>()

  const toValue = (node: Node | null): Value => {
    if (left-- === 0)
      throw doesNotParse(
        text,
        { format: 'YAML', message: 'its references make too much of it' },
        { start: 0, end: 1 },
      )
    if (isAlias(node)) {
      const target = node.resolve(document)
      // One that names what is around it would have no end.
      return target === undefined || around.has(target) ? null : toValue(target)
    }
    if (node === null || isScalar(node)) return (node?.value ?? null) as Value
    around.add(node)
    const value = isSeq(node)
      ? node.items.map((item) => toValue(item as Node))
      : isMap(node)
        ? Object.fromEntries(
            node.items.map(({ key, value: one }) => [keyOf(key as Node | null), toValue(one as Node | null)]),
          )
        : null
    around.delete(node)
    return value
  }
  return toValue(contents)
}

/** Nothing is written there, but perhaps comments. */
export function isBlank(node: Node): boolean {
  return isScalar(node) && node.value === null && (node.source ?? '') === ''
}

/** As it is written: `1` and `true` are names here. */
export function keyOf(key: Node | null): string {
  if (key === null) return ''
  if (isScalar(key)) return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
  return isAlias(key) ? `*${key.source}` : String(key)
}
