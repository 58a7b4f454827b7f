/**
 * read-back: an entry before it is written, as the reader of the file will understand it.
 *
 * in     the entry, and its file
 * out    its reading, by the same rules as for any other entry
 * never  reads a file
 */
import type { ObjectValue } from '../../edit/change.ts'
import { createDocument, type ConfigNode } from '../../model/document.ts'
import type { DialectId, FoundEntry, NormalizedEntry } from '../../model/entry.ts'
import type { Scope, SourceId } from '../../model/origin.ts'
import { parseText } from '../../pipeline/discover/formats/parse-text.ts'
import { normalize } from '../../pipeline/normalize/normalize.ts'
import type { World } from '../../world/world.ts'

export interface EntryLocation {
  readonly file: string
  readonly source: SourceId
  readonly scope: Scope
  readonly dialect: DialectId
  readonly baseDir: string
  /** As in `FoundEntry`. */
  readonly variables: FoundEntry['variables']
  /** The content of the file, when it decides what an entry in it means. */
  readonly around?: ConfigNode
}

export async function readBack(
  world: Pick<World, 'env' | 'platform'>,
  { name, entry }: { readonly name: string; readonly entry: ObjectValue },
  place: EntryLocation,
): Promise<NormalizedEntry> {
  // An entry is the same tree in every format. JSON is the shortest way to that tree.
  const text = JSON.stringify(entry)
  const parsed = await parseText(text, 'json')
  if (parsed.kind === 'fault') throw new Error('an entry that was made here does not parse')
  const { file, source, scope, dialect, baseDir, variables, around } = place
  const found: FoundEntry = {
    name,
    origin: { file, line: 1, column: 1, source, scope },
    rank: 0,
    reach: 'user',
    dialect,
    document: createDocument(file, text, around ?? parsed.root),
    node: parsed.root,
    variables,
    baseDir,
  }
  return normalize(found, world)
}
