/**
 * readings: what each file said when it could last be read, by path. Kept by whoever loads more than once, so that a file
 * that is half saved, or broken by a slip, does not take its servers down.
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
