/** watched-lookups: a map of names to values that records which names were looked up. */
export interface WatchedLookups {
  readonly values: Readonly<Record<string, string | undefined>>
  /** By name; undefined for a missing name. */
  readonly asked: ReadonlyMap<string, string | undefined>
}

/** Listing all names counts as looking up every name. */
export function watchLookups(values: Readonly<Record<string, string | undefined>>): WatchedLookups {
  const asked = new Map<string, string | undefined>()
  const note = (name: string | symbol): void => {
    if (typeof name === 'string') asked.set(name, Object.hasOwn(values, name) ? values[name] : undefined)
  }
  // A copy: a proxy must not hide properties that its target cannot change.
  const proxy = new Proxy(
    { ...values },
    {
      get(target, name, receiver) {
        note(name)
        return Reflect.get(target, name, receiver) as unknown
      },
      has(target, name) {
        note(name)
        return Reflect.has(target, name)
      },
      getOwnPropertyDescriptor(target, name) {
        note(name)
        return Reflect.getOwnPropertyDescriptor(target, name)
      },
    },
  )
  return { values: proxy, asked }
}
