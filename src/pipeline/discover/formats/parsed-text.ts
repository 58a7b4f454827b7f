/**
 * parsed-text: what a parser makes of a text, and how deep it goes before it gives up.
 */
import type { ConfigNode } from '../../../model/document.ts'

export type ParsedText =
  | { readonly kind: 'tree'; readonly root: ConfigNode }
  /** The first fault, in lower case, and the offsets it covers. */
  | { readonly kind: 'fault'; readonly message: string; readonly start: number; readonly end: number }

export function nestedTooDeeply(start: number): ParsedText {
  return { kind: 'fault', message: 'it is nested too deeply', start, end: start + 1 }
}
