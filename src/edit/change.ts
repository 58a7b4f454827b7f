/**
 * change: what a file is asked to become, without a word about its format.
 */
export type Value = string | number | boolean | null | readonly Value[] | ObjectValue

export interface ObjectValue {
  readonly [key: string]: Value
}

/** Keys from the top down; a number is the place in a list. */
export type Path = readonly (string | number)[]

export type Change =
  /**
   * Makes parents that are missing; `null` counts as missing. What a value that is there has in common with the new one
   * stays as it is written. A number that is the length of a list adds to it.
   */
  | { readonly kind: 'set'; readonly path: Path; readonly value: Value }
  /** Nothing happens when there is nothing. */
  | { readonly kind: 'remove'; readonly path: Path }
  /** The last key becomes `to`, in its place. */
  | { readonly kind: 'rename'; readonly path: Path; readonly to: string }

/** The changes, or what they are once it is known what the file says. */
export type Changes = readonly Change[] | ((value: ObjectValue) => readonly Change[])

export function isObjectValue(value: Value | undefined): value is ObjectValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isListValue(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value)
}

/** Only what the object has itself: a server may be called `constructor`. */
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
  // `===` but for NaN, which TOML can write; -0 is 0.
  return one === other || (Number.isNaN(one) && Number.isNaN(other))
}

/** A value inside of new parents, as a path asks for. */
export function nest(path: Path, value: Value): Value {
  return path.reduceRight<Value>(
    (inner, key) => (typeof key === 'number' ? [inner] : { [key]: inner }),
    value,
  )
}
