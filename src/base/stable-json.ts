/**
 * stable-json: JSON in which the order of keys does not matter, for comparing and hashing.
 */
export function toStableJson(value: unknown): string {
  return JSON.stringify(value, sortKeys)
}

/** As pairs: in an object, keys that look like numbers would come first, and `__proto__` would be lost. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const pairs: [string, unknown][] = value instanceof Map ? [...value] : Object.entries(value)
  return { '{}': pairs.sort(([a], [b]) => (a < b ? -1 : 1)) }
}
