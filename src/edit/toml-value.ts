/** toml-value: the value of a TOML text. Dates are their text. */
import type { AST } from 'toml-eslint-parser'
import type { Path, Value } from './change.ts'

type Table = { [key: string]: Value }

export function readToml(program: AST.TOMLProgram): Value {
  const root = createTable()
  for (const node of program.body[0].body) {
    if (node.type === 'TOMLKeyValue') putPair(root, node)
    else for (const pair of [undefined, ...node.body]) putIn(root, node.resolvedKey, pair)
  }
  return root
}

/** A key may be `__proto__`: an object without a prototype stores it like any other. */
function createTable(): Table {
  return Object.create(null) as Table
}

function putIn(root: Table, path: Path, pair: AST.TOMLKeyValue | undefined): void {
  const table = open(root, path)
  if (pair !== undefined) putPair(table, pair)
}

/** The table at a path, created when it is missing. */
function open(root: Table, path: Path): Table {
  let at: Value = root
  path.forEach((key, i) => {
    const holder = at as { [key: string | number]: Value }
    holder[key] ??= typeof path[i + 1] === 'number' ? [] : createTable()
    at = holder[key]
  })
  return at
}

function putPair(table: Table, { key, value }: AST.TOMLKeyValue): void {
  const names = key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value))
  open(table, names.slice(0, -1))[names.at(-1)!] = toValue(value)
}

function toValue(node: AST.TOMLContentNode): Value {
  if (node.type === 'TOMLArray') return node.elements.map(toValue)
  if (node.type === 'TOMLInlineTable') {
    const table = createTable()
    for (const pair of node.body) putPair(table, pair)
    return table
  }
  const isPlain = ['string', 'boolean', 'float', 'integer'].includes(node.kind)
  return isPlain ? (node.value as Value) : (node as AST.TOMLDateTimeValue).datetime
}
