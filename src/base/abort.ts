/**
 * abort: whether somebody still waits, for what happens thousands of times a second.
 *
 * out    what listens like an AbortSignal, at a small part of the price: on Node 20 one of those, with its listeners, took
 *        a sixth of a call through the gateway
 * never  tells a listener twice, or keeps one that was taken away
 */
import { tell } from './tell.ts'

/** As much of an AbortSignal as it takes to stop waiting. Every AbortSignal is one. */
export interface Signal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Controller and signal in one: hand it on as a `Signal`, and nobody else can abort it. */
export class Abort implements Signal {
  aborted = false
  reason: unknown
  /** Made with the first: what is answered at once has none. */
  #listeners: (() => void)[] | undefined

  abort(): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = new DOMException('This operation was aborted', 'AbortError')
    const left = this.#listeners ?? []
    for (const listener of left.slice()) if (left.includes(listener)) tell(listener)
    this.#listeners = undefined
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.aborted || this.#listeners?.includes(listener) === true) return
    this.#listeners ??= []
    this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners?.indexOf(listener) ?? -1
    if (at !== -1) this.#listeners!.splice(at, 1)
  }
}

/** For those who take nothing less: what a host gets to see, and what joins several. */
export function toAbortSignal(signal: Signal): AbortSignal {
  if (signal instanceof AbortSignal) return signal
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return controller.signal
}
