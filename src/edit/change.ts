/** change: the changes to a file, independent of its format. */
export type Value = string | number | boolean | null | readonly Value[] | ObjectValue

export interface ObjectValue {
  readonly [key: string]: Value
}

/** Keys from the top down; a number is an index in a list. */
export type Path = readonly (string | number)[]

export type Change =
  /**
   * Creates missing parents; `null` counts as missing. The parts of an existing value that are equal in the new one
   * stay as written. A number equal to the length of a list appends to it.
   */
  | { readonly kind: 'set'; readonly path: Path; readonly value: Value }
  /** Does nothing when the path does not exist. */
  | { readonly kind: 'remove'; readonly path: Path }
  /** Renames the last key to `to`, without moving it. */
  | { readonly kind: 'rename'; readonly path: Path; readonly to: string }

/** The changes, or a function that gets the current value of the file and returns them. */
export type Changes = readonly Change[] | ((value: ObjectValue) => readonly Change[])

export function isObjectValue(value: Value | undefined): value is ObjectValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isListValue(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value)
}

/** Own properties only: a server may be called `constructor`. */
export function valueAt(value: Value | undefined, path: Path): Value | undefined {
  return path.reduce<Value | undefined>((at, key) => {
    if (isListValue(at)) return typeof key === 'number' ? at[key] : undefined
    return isObjectValue(at) && typeof key === 'string' && Object.hasOwn(at, key) ? at[key] : undefined
  }, value)
}

/** The order of keys does not count. */
export function isSameValue(one: Value | undefined, other: Value | undefined): boolean {
  if (isListValue(one)) {
    const isAlike = isListValue(other) && one.length === other.length
    return isAlike && one.every((item, i) => isSameValue(item, other[i]))
  }
  if (isObjectValue(one)) {
    const keys = Object.keys(one)
    const isAlike = isObjectValue(other) && keys.length === Object.keys(other).length
    return isAlike && keys.every((key) => Object.hasOwn(other, key) && isSameValue(one[key], other[key]))
  }
  // `===` except for NaN, which TOML can write; -0 is 0.
  return one === other || (Number.isNaN(one) && Number.isNaN(other))
}

/** A value inside the new parents that a path needs. */
export function nest(path: Path, value: Value): Value {
  return path.reduceRight<Value>(
    (inner, key) => (typeof key === 'number' ? [inner] : { [key]: inner }),
    value,
  )
}
