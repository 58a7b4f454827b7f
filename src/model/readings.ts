/**
 * readings: the last readable text of each file, by path. A caller that loads more than once keeps it, so that a
 * half-saved or broken file does not stop its servers.
 */
import type { ConfigDocument } from './document.ts'
import type { TrustStore } from './trust.ts'

export interface Readings {
  readonly documents: Map<string, ConfigDocument>
  readonly trust: Map<string, TrustStore>
}

export function createReadings(): Readings {
  return { documents: new Map(), trust: new Map() }
}
