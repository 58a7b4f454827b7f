/**
 * at-once: runs a step after a value that may be there already. A promise for such a value costs a turn of the queue,
 * and a call through the gateway has a dozen such steps.
 */
export function atOnce<T, R>(value: T | Promise<T>, step: (value: T) => R | Promise<R>): R | Promise<R> {
  return isPromise(value) ? value.then(step) : step(value)
}

/** Not by its class: some hosts replace the `Promise` of async functions. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { readonly then?: unknown } | undefined | null)?.then === 'function'
}
