/**
 * showable: a catalog that a host may print, log or serialise.
 *
 * in     a catalog as it was loaded: it holds the texts of files, and with them whatever secrets people write there
 * out    the same catalog; to `JSON.stringify` and to `util.inspect` each part that may hold a secret is masked
 * never  changes what code reads; is done for a command, which prints none of this and has no time for it
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

/** Where it stands, without what stands there. */
function maskFound({ document, node }: FoundEntry): void {
  showAs(document, () => ({ file: document.file }))
  showAs(node, () => ({ kind: node.kind, start: node.start, end: node.end }))
}

function maskDefinition({ transport, auth }: ServerDefinition): void {
  showPartsAs(transport, () => toTransportJson(transport))
  if (auth !== undefined) showPartsAs(auth, () => toAuthJson(auth))
}

/** What changed since an approval is what stands in the file. */
function maskFate(fate: Fate): void {
  if (fate.kind !== 'untrusted') return
  for (const change of fate.changed ?? []) showAs(change, () => maskChange(change))
}

/** Also when somebody prints one part alone, such as the variables. */
function showPartsAs(value: object, toJson: () => Readonly<Record<string, unknown>>): void {
  showAs(value, toJson)
  for (const [name, part] of Object.entries(value)) {
    if (typeof part === 'object' && part !== null) showAs(part, () => toJson()[name] ?? {}) // what is left out is empty
  }
}

/** `console.log` and `util.inspect` ask for this one by its registered symbol. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** Hidden from whoever walks over the fields, as a prototype would be; a copy of the whole still holds the parts. */
function showAs(value: object, toJson: () => unknown): void {
  // Documents are shared by their entries, and so are parts of YAML files.
  if (Object.hasOwn(value, 'toJSON')) return
  Object.defineProperties(value, { toJSON: { value: toJson }, [INSPECT]: { value: toJson } })
}
