/**
 * at-once: a step after something that may be there already. A promise for what is there costs a turn of the queue, and
 * a call that is passed on takes a dozen such steps.
 */
export function atOnce<T, R>(value: T | Promise<T>, step: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(step) : step(value)
}
