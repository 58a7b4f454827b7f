/**
 * at-once: a step after something that may be there already. A promise for what is there costs a turn of the queue, and
 * a call that is passed on takes a dozen such steps.
 */
export function atOnce<T, R>(value: T | Promise<T>, step: (value: T) => R | Promise<R>): R | Promise<R> {
  return isPromise(value) ? value.then(step) : step(value)
}

/** Not by its class: some hosts put another `Promise` in place of the one that async functions give. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { readonly then?: unknown } | undefined | null)?.then === 'function'
}
