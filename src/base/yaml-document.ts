/**
 * yaml-document: parses YAML, after a check of how deep the text is nested.
 *
 * The composer of `yaml` recurses and uses regular expressions. V8 ends the whole process when it must compile one
 * while the stack is nearly full, so catching an overflow comes too late. The parser of `yaml` does not recurse, and
 * neither does this module.
 */
import { parseDocument, Parser, type CST, type Document } from 'yaml'
import { MAX_DEPTH } from './depth.ts'

export type ParsedYaml =
  | { readonly kind: 'document'; readonly document: Document.Parsed }
  | { readonly kind: 'too-deep'; readonly at: number }

/** For reading and editing alike. Faults of the text are in `document.errors`. */
export function parseYamlDocument(text: string): ParsedYaml {
  const at = findTooDeep(text, MAX_DEPTH)
  if (at !== undefined) return { kind: 'too-deep', at }
  const document = parseDocument(text, {
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  })
  return { kind: 'document', document }
}

/** Where the first list or map at this depth begins. Undefined: there is none. */
function findTooDeep(text: string, limit: number): number | undefined {
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
