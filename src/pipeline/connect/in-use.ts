/**
 * in-use: how many requests of a session are not over, those included for which somebody here thinks about a question of
 * the server's between two messages.
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

  /** Resolves when there is none. */
  drained(): Promise<void> {
    if (this.#count === 0) return Promise.resolve()
    return new Promise((resolve) => (this.#onDrained ??= []).push(resolve))
  }
}

/** Undefined as soon as nobody waits any more; what is sent next then fails, and says why. */
export function whileWanted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
    work.then(resolve, reject)
  })
}
