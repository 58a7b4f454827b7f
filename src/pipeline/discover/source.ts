/**
 * source: one agent tool and where it keeps its servers. Each lives in sources/<tool>.ts.
 */
import type { FoundEntry } from '../../model/entry.ts'
import type { SourceId } from '../../model/origin.ts'
import type { Site } from './site.ts'

export interface Source {
  readonly id: SourceId
  /** Looks at this source's places. Within a scope, what is asked for first wins. */
  look(site: Site): Promise<readonly FoundEntry[]>
}

/** Asks several places in order. */
export async function lookInOrder(
  looks: readonly (() => Promise<readonly FoundEntry[]>)[],
): Promise<readonly FoundEntry[]> {
  const found: FoundEntry[] = []
  for (const look of looks) for (const entry of await look()) found.push(entry)
  return found
}
