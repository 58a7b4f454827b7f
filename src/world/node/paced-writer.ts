/**
 * paced-writer: writes text to a stream of Node, never more at once than its reader takes.
 *
 * A long text stays one string until it is read. If all of it were handed over, Node would keep it both as text and as
 * bytes.
 */
import type { Backlog, Reader } from './backlog.ts'

/** The part of a response or a socket that is used here. */
interface Sink {
  readonly destroyed: boolean
  readonly writableEnded: boolean
  write(chunk: Buffer | string, onWritten: () => void): unknown
  end(): unknown
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

/** Characters that are handed over at once. */
export const SLICE = 256 * 1024

/** Bytes that were handed over and that the reader did not take. Beyond this, the rest waits. */
const WINDOW_BYTES = 512 * 1024

interface Text {
  readonly text: string
  readonly bytes: number
  at: number
}

export interface PacedWriterOptions {
  readonly backlog: Backlog
  /** As `Reader.client`. */
  readonly client: unknown
  /** True: the reader is now behind, and other readers may have to wait. False: it has taken everything. */
  readonly onBehind?: (isBehind: boolean) => void
}

export class PacedWriter implements Reader {
  readonly client: unknown
  readonly #sink: Sink
  readonly #backlog: Backlog
  readonly #onBehind: PacedWriterOptions['onBehind']
  readonly #waiting: Text[] = []
  #handedOver = 0
  #isBehind = false
  #isEnding = false
  #isWatched = false

  constructor(sink: Sink, { backlog, client, onBehind }: PacedWriterOptions) {
    this.#sink = sink
    this.#backlog = backlog
    this.#onBehind = onBehind
    this.client = client
  }

  /** Returns the length in bytes. */
  write(text: string): number {
    const bytes = Buffer.byteLength(text)
    if (this.#isOver) return bytes
    this.note(bytes)
    // There may be too much already.
    if (this.#isOver) return bytes
    this.#waiting.push({ text, bytes, at: 0 })
    this.#pump()
    if (this.#waiting.length > 0) this.#setBehind(true)
    return bytes
  }

  /** Counts text that other code has written there, until the writer is closed. */
  note(bytes: number): void {
    if (!this.#isWatched) {
      this.#isWatched = true
      this.#sink.once('close', () => {
        this.#waiting.length = 0
        this.#backlog.remove(this)
      })
    }
    this.#backlog.add(this, bytes)
  }

  /** Ends the stream when all was handed over. */
  finish(): void {
    if (this.#isOver) return
    this.#isEnding = true
    if (this.#handedOver > 0) this.#setBehind(true)
    this.#pump()
  }

  end(): void {
    this.#waiting.length = 0
    this.#sink.destroy()
  }

  get #isOver(): boolean {
    return this.#isEnding || this.#sink.destroyed || this.#sink.writableEnded
  }

  #setBehind(isBehind: boolean): void {
    if (this.#isBehind === isBehind) return
    this.#isBehind = isBehind
    this.#onBehind?.(isBehind)
  }

  #pump(): void {
    while (this.#handedOver < WINDOW_BYTES) {
      const [next] = this.#waiting
      if (next === undefined) break
      const slice = sliceFrom(next)
      const isLast = next.at === next.text.length
      if (isLast) this.#waiting.shift()
      this.#handOver(slice, isLast ? next.bytes : undefined)
    }
    if (this.#isEnding && this.#waiting.length === 0 && !this.#sink.writableEnded) this.#sink.end()
  }

  /** `whole`: the bytes of the message, given with its last slice. */
  #handOver(slice: string, whole: number | undefined): void {
    const chunk = Buffer.from(slice)
    this.#handedOver += chunk.length
    this.#sink.write(chunk, () => {
      this.#handedOver -= chunk.length
      if (this.#sink.destroyed) return
      this.#backlog.progress(this)
      if (whole !== undefined) this.#backlog.take(this, whole)
      if (this.#waiting.length > 0) this.#pump()
      else if (this.#handedOver === 0 && !this.#isEnding) this.#setBehind(false)
    })
  }
}

/** The next part. No character is cut in two. */
function sliceFrom(next: Text): string {
  const { text, at } = next
  const to = at + SLICE
  const isBetween = to < text.length && isHighSurrogate(text.charCodeAt(to - 1))
  next.at = Math.min(isBetween ? to - 1 : to, text.length)
  return text.slice(at, next.at)
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
