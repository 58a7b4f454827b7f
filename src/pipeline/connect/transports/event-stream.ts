/**
 * event-stream: text as it comes → server-sent events.
 *
 * never  keeps more of an event than `MAX_EVENT_LENGTH`
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser'

const MAX_EVENT_LENGTH = 64 * 1024 * 1024

export interface EventStreamListener {
  onEvent(event: EventSourceMessage): void
  /** How long the server wants the client to wait before it connects again. */
  onRetry(ms: number): void
  /** An event without a visible end. Nothing follows it. */
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
      // Every other error is an unknown line, which readers of events ignore.
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
