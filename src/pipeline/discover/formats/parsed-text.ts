/**
 * parsed-text: what a parser makes of a text.
 */
import type { ConfigNode } from '../../../model/document.ts'

export type ParsedText =
  | { readonly kind: 'tree'; readonly root: ConfigNode }
  /** The first fault, in lower case, and the offsets it covers. */
  | { readonly kind: 'fault'; readonly message: string; readonly start: number; readonly end: number }
