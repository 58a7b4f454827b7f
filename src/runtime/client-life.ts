/**
 * client-life: when a client is gone, for those who keep something for it.
 */
const listeners = new WeakMap<object, Set<() => void>>()

const gone = new WeakSet<object>()

/** Told once. The answer takes the listener away. */
export function onGone(client: object, listener: () => void): () => void {
  const known = listeners.get(client) ?? new Set()
  listeners.set(client, known)
  known.add(listener)
  return () => void known.delete(listener)
}

/** Nothing may be begun for it any more: nobody would be told to end it. */
export function isGone(client: object): boolean {
  return gone.has(client)
}

export function tellGone(client: object): void {
  gone.add(client)
  const known = listeners.get(client)
  listeners.delete(client)
  for (const tell of known ?? []) tell()
}
