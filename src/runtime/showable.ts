/**
 * showable: makes a catalog safe for a host to print, log or serialise.
 *
 * in     a catalog as it was loaded: it holds the texts of files, with any secrets that users write there
 * out    the same catalog; to `JSON.stringify` and to `util.inspect` each part that may hold a secret is masked
 * never  changes what code reads; runs for a command, which prints none of this and has no time for it
 */
import type { Catalog, CatalogEntry, Fate } from '../model/catalog.ts'
import type { ServerDefinition } from '../model/definition.ts'
import type { FoundEntry } from '../model/entry.ts'
import { maskChange } from '../problem/mask-fact.ts'
import { toAuthJson, toTransportJson } from './definition-json.ts'

const done = new WeakSet<Catalog>()

export function makeShowable(catalog: Catalog): Catalog {
  if (done.has(catalog)) return catalog
  done.add(catalog)
  for (const entry of catalog.entries) maskEntry(entry)
  return catalog
}

/** The servers of the catalog share all of this with their entries. */
function maskEntry({ entry, fate }: CatalogEntry): void {
  maskFound(entry.found)
  if (entry.kind === 'definition') maskDefinition(entry.definition)
  maskFate(fate)
}

/** Shows the position, without the text at that position. */
function maskFound({ document, node }: FoundEntry): void {
  showAs(document, () => ({ file: document.file }))
  showAs(node, () => ({ kind: node.kind, start: node.start, end: node.end }))
}

function maskDefinition({ transport, auth }: ServerDefinition): void {
  showPartsAs(transport, () => toTransportJson(transport))
  if (auth !== undefined) showPartsAs(auth, () => toAuthJson(auth))
}

/** The changes since an approval hold text of the file. */
function maskFate(fate: Fate): void {
  if (fate.kind !== 'untrusted') return
  for (const change of fate.changed ?? []) showAs(change, () => maskChange(change))
}

/** Masks the parts, too: a caller may print one part alone, such as the variables. */
function showPartsAs(value: object, toJson: () => Readonly<Record<string, unknown>>): void {
  showAs(value, toJson)
  for (const [name, part] of Object.entries(value)) {
    if (typeof part === 'object' && part !== null) showAs(part, () => toJson()[name] ?? {}) // missing parts are empty
  }
}

/** `console.log` and `util.inspect` look this one up by its registered symbol. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** Hidden from code that loops over the fields, as a prototype would be. A copy of the whole still holds the parts. */
function showAs(value: object, toJson: () => unknown): void {
  // Entries share their documents and parts of YAML files, so one value may come here twice.
  if (Object.hasOwn(value, 'toJSON')) return
  Object.defineProperties(value, { toJSON: { value: toJson }, [INSPECT]: { value: toJson } })
}
