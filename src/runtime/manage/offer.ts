/**
 * offer: one way to run or reach a server of a registry.
 */
export interface Offer {
  /** What `--using` names: `npm`, `pypi`, `oci`, `nuget`, `remote`. */
  readonly using: string
  /** `npm package @acme/weather 1.0.2`. */
  readonly label: string
  readonly notes: readonly string[]
  /** In the order in which the host asks for them. */
  readonly inputs: readonly OfferInput[]
  readonly shape: Shape
}

export interface OfferInput {
  readonly id: string
  readonly label: string
  readonly description?: string
  readonly isSecret: boolean
  readonly default?: string
  readonly example?: string
  readonly choices: readonly string[]
  /** The entry refers to this variable when the user gives no value. */
  readonly variable: string
}

/** A package or remote that cannot be used, and why. */
export interface NoOffer {
  readonly label: string
  readonly why: string
}

/** Text, or the id of an input. */
export type Piece = string | { readonly id: string }
export type Gapped = readonly Piece[]

export type Shape =
  | {
      readonly kind: 'local'
      readonly command: string
      readonly args: readonly Gapped[]
      readonly env: readonly (readonly [string, Gapped])[]
    }
  | {
      readonly kind: 'remote'
      readonly type: 'http' | 'sse'
      readonly url: Gapped
      readonly headers: readonly (readonly [string, Gapped])[]
    }

/** Thrown while an offer is made; never leaves `registry-offer`. */
export class Unusable extends Error {}
