/**
 * source: one agent tool and the places of its servers. Each source is in sources/<tool>.ts.
 */
import type { FoundEntry } from '../../model/entry.ts'
import type { SourceId } from '../../model/origin.ts'
import type { Ground, Site } from './site.ts'

export interface Source {
  readonly id: SourceId
  /** Looks at this source's places. Within a scope, earlier places win. */
  look(site: Site): Promise<readonly FoundEntry[]>
  /** Where Plugboard writes a server that is new to this agent: one place for each scope, the usual scope first. */
  readonly homes?: (ground: Ground) => readonly WriteTarget[]
}

export interface WriteTarget {
  readonly scope: 'user' | 'project' | 'local'
  /** The first file that exists, else the last. */
  readonly files: readonly string[]
  /** Keys that lead to the map of servers. */
  readonly under: readonly string[]
  /** Relative commands and paths begin at the folder of the file, and not at the project. */
  readonly isBase?: true
}

/** Looks at several places in order. */
export async function lookInOrder(
  looks: readonly (() => Promise<readonly FoundEntry[]>)[],
): Promise<readonly FoundEntry[]> {
  const found: FoundEntry[] = []
  for (const look of looks) for (const entry of await look()) found.push(entry)
  return found
}
