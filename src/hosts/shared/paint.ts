/**
 * paint: the few colours we use. Everything stays readable without them.
 */
export interface Paint {
  readonly bold: Brush
  readonly dim: Brush
  readonly red: Brush
  readonly yellow: Brush
  readonly green: Brush
  readonly cyan: Brush
}

/** Text that is already printable → the same text, coloured. */
export type Brush = (text: string) => string

export const NO_COLORS: Paint = {
  bold: same,
  dim: same,
  red: same,
  yellow: same,
  green: same,
  cyan: same,
}

export const COLORS: Paint = {
  bold: brush(1, 22),
  dim: brush(2, 22),
  red: brush(31, 39),
  yellow: brush(33, 39),
  green: brush(32, 39),
  cyan: brush(36, 39),
}

function same(text: string): string {
  return text
}

function brush(on: number, off: number): Brush {
  return (text) => (text === '' ? '' : `\x1b[${on}m${text}\x1b[${off}m`)
}
