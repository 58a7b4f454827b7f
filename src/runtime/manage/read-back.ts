/**
 * read-back: an entry that is about to be written, as whoever reads the file will understand it.
 *
 * in     the entry, and the file it will stand in
 * out    its reading, by the same rules as that of any other entry
 * never  reads a file
 */
import type { ObjectValue } from '../../edit/change.ts'
import { createDocument, type ConfigNode } from '../../model/document.ts'
import type { DialectId, FoundEntry, NormalizedEntry } from '../../model/entry.ts'
import type { Scope, SourceId } from '../../model/origin.ts'
import { parseText } from '../../pipeline/discover/formats/parse-text.ts'
import { normalize } from '../../pipeline/normalize/normalize.ts'
import type { World } from '../../world/world.ts'

export interface Place {
  readonly file: string
  readonly source: SourceId
  readonly scope: Scope
  readonly dialect: DialectId
  readonly baseDir: string
  /** As in `FoundEntry`. */
  readonly variables: FoundEntry['variables']
  /** What the file says already, where that decides what an entry in it means. */
  readonly around?: ConfigNode
}

export async function readBack(
  world: Pick<World, 'env' | 'platform'>,
  { name, entry }: { readonly name: string; readonly entry: ObjectValue },
  place: Place,
): Promise<NormalizedEntry> {
  // In every format an entry is the same tree; JSON is the quickest way to one.
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
