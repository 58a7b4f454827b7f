/**
 * source: one agent tool and where it keeps its servers. Each lives in sources/<tool>.ts.
 */
import type { FoundEntry } from '../../model/entry.ts'
import type { SourceId } from '../../model/origin.ts'
import type { Ground, Site } from './site.ts'

export interface Source {
  readonly id: SourceId
  /** Looks at this source's places. Within a scope, what is asked for first wins. */
  look(site: Site): Promise<readonly FoundEntry[]>
  /** Where a server that is new to this agent goes, one place for each scope it has; the usual scope first. */
  readonly homes?: (ground: Ground) => readonly WritePlace[]
}

export interface WritePlace {
  readonly scope: 'user' | 'project' | 'local'
  /** The first that is there, else the last. */
  readonly files: readonly string[]
  /** Keys that lead to the map of servers. */
  readonly under: readonly string[]
  /** Relative commands and paths in it begin where the file is, and not at the project. */
  readonly isBase?: true
}

/** Asks several places in order. */
export async function lookInOrder(
  looks: readonly (() => Promise<readonly FoundEntry[]>)[],
): Promise<readonly FoundEntry[]> {
  const found: FoundEntry[] = []
  for (const look of looks) for (const entry of await look()) found.push(entry)
  return found
}
