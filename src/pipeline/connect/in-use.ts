/**
 * in-use: counts the requests of a session that are not over. A request still counts while the host answers a question
 * of the server between two messages.
 */
export class InUse {
  #count = 0
  #onDrained: (() => void)[] | undefined

  enter(): void {
    this.#count += 1
  }

  leave(): void {
    this.#count -= 1
    if (this.#count > 0) return
    const tell = this.#onDrained
    this.#onDrained = undefined
    for (const one of tell ?? []) one()
  }

  /** Resolves when no request is left. */
  drained(): Promise<void> {
    if (this.#count === 0) return Promise.resolve()
    return new Promise((resolve) => (this.#onDrained ??= []).push(resolve))
  }
}

/** Undefined as soon as the caller gives up. The next message then fails and says why. */
export function whileWanted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
    work.then(resolve, reject)
  })
}
