/**
 * yaml-depth: how deep a YAML text is nested, before anything that recurses reads it.
 *
 * The composer of `yaml` recurses and works with regular expressions. V8 ends the whole process when it has to compile
 * one while the stack is nearly full, so a limit that is found by running out of stack comes too late. Its parser does
 * not recurse, and neither does this.
 */
import { Parser, type CST } from 'yaml'

/** Where the first list or map begins that is in as many others as this. Undefined: there is none. */
export function findTooDeep(text: string, limit: number): number | undefined {
  const open: { readonly token: CST.Token; readonly depth: number }[] = []
  for (const token of new Parser().parse(text)) open.push({ token, depth: 0 })
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next
    if (isList(token) && depth >= limit) return token.offset
    for (const inner of tokensIn(token)) open.push({ token: inner, depth: depth + (isList(token) ? 1 : 0) })
  }
  return undefined
}

function isList(token: CST.Token): boolean {
  return token.type === 'block-map' || token.type === 'block-seq' || token.type === 'flow-collection'
}

function tokensIn(token: CST.Token): readonly CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value]
  if (token.type !== 'block-map' && token.type !== 'block-seq' && token.type !== 'flow-collection') return []
  return token.items.flatMap(({ key, value }) =>
    [key, value].filter((one) => one !== undefined && one !== null),
  )
}
