/** yaml-value: the value of a YAML text. `<<` is a key like any other, as in discovery. */
import { isAlias, isMap, isScalar, isSeq, type Document, type Node } from 'yaml'
import type { Value } from './change.ts'
import { doesNotParse } from './problems.ts'

/** More than any real file has. A few lines with references to references can expand to more. */
const MAX_VALUES = 1_000_000

/** An empty document is an object without members. */
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
      // A reference to its own parent would have no end.
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

/** Whether nothing is written there, except perhaps comments. */
export function isBlank(node: Node): boolean {
  return isScalar(node) && node.value === null && (node.source ?? '') === ''
}

/** As written: `1` and `true` are names here. */
export function keyOf(key: Node | null): string {
  if (key === null) return ''
  if (isScalar(key)) return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
  return isAlias(key) ? `*${key.source}` : String(key)
}
