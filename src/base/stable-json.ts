/** stable-json: JSON for comparing and hashing. It shows the real value, even where `toJSON` gives another. */

/** The order of keys does not matter. */
export function toStableJson(value: unknown): string {
  return JSON.stringify(value, sortKeys)
}

/** In the order of its keys. */
export function toRawJson(value: unknown): string {
  return JSON.stringify(value, findRaw)
}

type Holder = Readonly<Record<string, unknown>>

/** As pairs: in an object, keys that look like numbers would come first, and `__proto__` would be lost. */
function sortKeys(this: Holder, key: string): unknown {
  const value = this[key]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const pairs: [string, unknown][] = value instanceof Map ? [...value] : Object.entries(value)
  return { '{}': pairs.sort(([a], [b]) => (a < b ? -1 : 1)) }
}

/** JSON.stringify passes the result of `toJSON`; the holder has the value itself. */
function findRaw(this: Holder, key: string): unknown {
  return this[key]
}
