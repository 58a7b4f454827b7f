/**
 * event-stream: text as it comes → server-sent events.
 *
 * never  keeps more of an event than `MAX_EVENT_LENGTH`
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser'

const MAX_EVENT_LENGTH = 64 * 1024 * 1024

export interface EventStreamListener {
  onEvent(event: EventSourceMessage): void
  /** How long the server wants us to wait before we come back. */
  onRetry(ms: number): void
  /** An event of which no end could be seen; nothing follows. */
  onTooLarge(message: string): void
}

export interface EventStream {
  push(text: string): void
}

export function createEventStream(listener: EventStreamListener): EventStream {
  let isOver = false
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent: (event) => isOver || listener.onEvent(event),
    onRetry: (ms) => listener.onRetry(ms),
    onError(error) {
      // Everything else is a line that means nothing to us, which is no error to anyone who reads events.
      if (error.type !== 'max-buffer-size-exceeded') return
      isOver = true
      listener.onTooLarge(`an event is larger than ${MAX_EVENT_LENGTH >> 20} MB`)
    },
  })
  return {
    push(text) {
      if (!isOver) parser.feed(text)
    },
  }
}
