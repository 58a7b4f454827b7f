/**
 * backlog: counts what was written for clients and is not read yet, so that clients that do not read cannot fill the
 * memory.
 *
 * in     messages, as they begin to wait for their reader and as they are read
 * out    a client with too much to read waits before it may ask for more; beyond that, the reader that read least
 *        recently is ended
 * never  ends a client for one message that is large, as long as nothing else waits
 */
import type { UnreadLimits } from '../world.ts'

/** One connection, or one response on it. */
export interface Reader {
  /** Readers with the same value are one client. */
  readonly client: unknown
  /** Ends this reader, because it does not read. Its messages are dropped. */
  end(): void
}

interface Waiting {
  bytes: number
  messages: number
  /** In the order in which readers last took something. */
  readAt: number
}

export class Backlog {
  readonly #limits: UnreadLimits
  readonly #onEnded: () => void
  readonly #readers = new Map<Reader, Waiting>()
  readonly #bytesOf = new Map<unknown, number>()
  readonly #waiters = new Set<() => void>()
  #bytes = 0
  #steps = 0

  /** `onEnded` is called for each reader that is ended. */
  constructor(limits: UnreadLimits, onEnded: () => void = () => undefined) {
    this.#limits = limits
    this.#onEnded = onEnded
  }

  /** A message waits to be read. This may end the reader, or others. */
  add(reader: Reader, bytes: number): void {
    const waiting = this.#readers.get(reader) ?? { bytes: 0, messages: 0, readAt: ++this.#steps }
    this.#readers.set(reader, waiting)
    waiting.bytes += bytes
    waiting.messages += 1
    this.#count(reader.client, bytes)
    const { clientBytes, totalBytes } = this.#limits
    while ((this.#bytesOf.get(reader.client) ?? 0) > clientBytes && this.#endOne(reader.client));
    while (this.#bytes > totalBytes && this.#endOne());
  }

  /** The reader took a part of something. */
  progress(reader: Reader): void {
    const waiting = this.#readers.get(reader)
    if (waiting !== undefined) waiting.readAt = ++this.#steps
  }

  /** A message was read to its end. */
  take(reader: Reader, bytes: number): void {
    const waiting = this.#readers.get(reader)
    if (waiting === undefined) return
    waiting.bytes -= bytes
    waiting.messages -= 1
    if (waiting.messages === 0) this.#readers.delete(reader)
    this.#count(reader.client, -bytes)
  }

  /** The reader is gone, and nothing waits for it any more. */
  remove(reader: Reader): void {
    const waiting = this.#readers.get(reader)
    if (waiting === undefined) return
    this.#readers.delete(reader)
    this.#count(reader.client, -waiting.bytes)
  }

  /** Undefined: this client may ask for more now. */
  untilRead(client: unknown): Promise<void> | undefined {
    if (!this.#hasTooMuch(client)) return undefined
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.#hasTooMuch(client)) return
        this.#waiters.delete(look)
        resolve()
      }
      this.#waiters.add(look)
    })
  }

  /** While other clients have left much unread, a client with anything unread waits. */
  #hasTooMuch(client: unknown): boolean {
    const { waitBytes, totalBytes } = this.#limits
    const bytes = this.#bytesOf.get(client) ?? 0
    return bytes > (this.#bytes > totalBytes / 2 ? 0 : waitBytes)
  }

  #count(client: unknown, bytes: number): void {
    const left = (this.#bytesOf.get(client) ?? 0) + bytes
    if (left === 0) this.#bytesOf.delete(client)
    else this.#bytesOf.set(client, left)
    this.#bytes += bytes
    if (bytes < 0) for (const look of this.#waiters) look()
  }

  /**
   * Ends the reader that took nothing for the longest time, of one client or of all. False: there is no reader to end.
   */
  #endOne(client?: unknown): boolean {
    let slowest: Reader | undefined
    let last = Infinity
    let messages = 0
    for (const [reader, waiting] of this.#readers) {
      if (client !== undefined && reader.client !== client) continue
      messages += waiting.messages
      if (waiting.readAt >= last) continue
      slowest = reader
      last = waiting.readAt
    }
    if (slowest === undefined || messages === 1) return false
    this.remove(slowest)
    slowest.end()
    this.#onEnded()
    return true
  }
}
