/**
 * client-life: reports when a client is gone, to modules that keep state for it.
 */
const listeners = new WeakMap<object, Set<() => void>>()

const gone = new WeakSet<object>()

/** Calls the listener once. The returned function removes the listener. */
export function onGone(client: object, listener: () => void): () => void {
  const known = listeners.get(client) ?? new Set()
  listeners.set(client, known)
  known.add(listener)
  return () => void known.delete(listener)
}

/** Do not start anything for such a client: no event would end it. */
export function isGone(client: object): boolean {
  return gone.has(client)
}

export function tellGone(client: object): void {
  gone.add(client)
  const known = listeners.get(client)
  listeners.delete(client)
  for (const tell of known ?? []) tell()
}
