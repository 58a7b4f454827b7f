/**
 * watched-lookups: a map of names to values that remembers what it was asked for.
 */
export interface WatchedLookups {
  readonly values: Readonly<Record<string, string | undefined>>
  /** By name; undefined for what was not there. */
  readonly asked: ReadonlyMap<string, string | undefined>
}

/** One that is listed from end to end counts as asked for everything. */
export function watchLookups(values: Readonly<Record<string, string | undefined>>): WatchedLookups {
  const asked = new Map<string, string | undefined>()
  const note = (name: string | symbol): void => {
    if (typeof name === 'string') asked.set(name, Object.hasOwn(values, name) ? values[name] : undefined)
  }
  // A copy: a proxy must tell the truth about what its target cannot change.
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
