/**
 * resumable-streams: keeps what was sent on the streams of legacy clients, so that a client can resume after its
 * connection broke.
 *
 * in     the events of each stream, as they are sent; the id of the last event that a client read
 * out    an id for each event; the stream to which such an id belongs, and its later events
 * never  gives a client the stream of another session; keeps more than `MAX_CHARACTERS` of all sessions together
 */

/** Limit for all streams. The oldest stream goes first; its client then gets an error when it reconnects. */
const MAX_CHARACTERS = 8 * 1024 * 1024

/** Limit for streams with few characters, which still take memory. */
const MAX_STREAMS = 2000

/** Limit for one stream: the oldest events go first. */
const MAX_OF_ONE = 256 * 1024

/** A longer event is not kept. A short error replaces it if it answers a request. */
export const MAX_EVENT = 1024 * 1024

/** The content of the header `Last-Event-ID`. */
interface EventId {
  readonly stream: number
  readonly event: number
}

export interface SentEvent {
  readonly id: string
  readonly text: string
}

/** One stream that a client can resume. */
export class EventLog {
  readonly #number: number
  readonly #onSize: (characters: number) => void
  readonly #events: { readonly number: number; readonly text: string }[] = []
  #last = 0
  #characters = 0
  #isClosed = false

  constructor(number: number, onSize: (characters: number) => void) {
    this.#number = number
    this.#onSize = onSize
  }

  /** Returns its id. An empty text is an event that only carries an id. */
  add(text: string): string {
    this.#last += 1
    if (text !== '' && text.length <= MAX_EVENT && !this.#isClosed) {
      this.#events.push({ number: this.#last, text })
      this.#resize(text.length)
      while (this.#characters > MAX_OF_ONE && this.#events.length > 1)
        this.#resize(-this.#events.shift()!.text.length)
    }
    return this.#idOf(this.#last)
  }

  after(event: number): readonly SentEvent[] {
    return this.#events
      .filter(({ number }) => number > event)
      .map(({ number, text }) => ({ id: this.#idOf(number), text }))
  }

  /** The stream can no longer be resumed. */
  close(): void {
    this.#isClosed = true
    this.#resize(-this.#characters)
    this.#events.length = 0
  }

  #idOf(event: number): string {
    return `${this.#number}-${event}`
  }

  #resize(characters: number): void {
    this.#characters += characters
    this.#onSize(characters)
  }
}

interface Kept<Stream> {
  readonly owner: object
  readonly stream: Stream
  readonly log: EventLog
}

/** The streams of all sessions, the oldest first. */
export class ResumableStreams<Stream> {
  readonly #streams = new Map<number, Kept<Stream>>()
  /**
   * The stream of each session that belongs to no request. It counts towards the limit, and stays as long as its
   * session.
   */
  readonly #own = new Map<object, EventLog>()
  #last = 0
  #characters = 0

  /** `owner` is the client of the session. */
  add(owner: object, stream: Stream): EventLog {
    this.#last += 1
    const number = this.#last
    const log = new EventLog(number, (characters) => this.#count(characters))
    this.#streams.set(number, { owner, stream, log })
    this.#shrink()
    return log
  }

  addOwn(owner: object): EventLog {
    const log = new EventLog(OWN_STREAM, (characters) => this.#count(characters))
    this.#own.set(owner, log)
    return log
  }

  #count(characters: number): void {
    this.#characters += characters
    if (characters > 0) this.#shrink()
  }

  find(owner: object, { stream }: EventId): Stream | undefined {
    const kept = this.#streams.get(stream)
    return kept?.owner === owner ? kept.stream : undefined
  }

  /** The session of this client is over. */
  removeOf(owner: object): void {
    for (const [number, kept] of this.#streams) if (kept.owner === owner) this.#remove(number, kept)
    this.#own.get(owner)?.close()
    this.#own.delete(owner)
  }

  #shrink(): void {
    for (const [number, kept] of this.#streams) {
      if (this.#characters <= MAX_CHARACTERS && this.#streams.size <= MAX_STREAMS) return
      this.#remove(number, kept)
    }
  }

  #remove(number: number, { log }: Kept<Stream>): void {
    this.#streams.delete(number)
    log.close()
  }
}

/** The stream that belongs to no request has the number 0 in each session. */
export const OWN_STREAM = 0

export function parseEventId(text: string): EventId | undefined {
  const [, stream, event] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? []
  return stream === undefined ? undefined : { stream: Number(stream), event: Number(event) }
}
