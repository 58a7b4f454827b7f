/**
 * parsed-text: the result of a parser, and the depth at which it gives up.
 */
import type { ConfigNode } from '../../../model/document.ts'

export type ParsedText =
  | { readonly kind: 'tree'; readonly root: ConfigNode }
  /** The first fault, in lower case, and its range of offsets. */
  | { readonly kind: 'fault'; readonly message: string; readonly start: number; readonly end: number }

export function nestedTooDeeply(start: number): ParsedText {
  return { kind: 'fault', message: 'it is nested too deeply', start, end: start + 1 }
}
