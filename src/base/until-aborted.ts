/** until-aborted: waits for a promise, but no longer than its caller wants. */
import type { Signal } from './abort.ts'

export async function untilAborted<T>(work: Promise<T>, signal: Signal | undefined): Promise<T> {
  if (signal === undefined) return work
  let stop = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    // Its own listener is removed afterwards, since a signal that lives longer would keep it.
    const onAbort = (): void => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    stop = () => signal.removeEventListener('abort', onAbort)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    stop()
  }
}
