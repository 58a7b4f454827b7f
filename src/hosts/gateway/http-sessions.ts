/**
 * http-sessions: the legacy clients of one gateway, each under an id that nobody can guess.
 */
import type { Message } from '../../model/message.ts'
import type { Reply, RequestHead } from '../../world/world.ts'
import { say } from './door.ts'
import type { Gateway } from './gateway.ts'
import { HttpAnswer } from './http-answer.ts'
import { ACCEPTED, takesEvents, UNKNOWN_SESSION } from './http-replies.ts'
import { LegacyClient } from './legacy-client.ts'
import type { View } from './view.ts'

/** A client that is silent for so long, and does not listen either, is gone. */
const IDLE_MS = 30 * 60_000

const SWEEP_MS = 60_000

/** More at once than anyone has; clients that never say goodbye must not fill the memory. */
const MAX_SESSIONS = 5000

/** What is told while nobody listens is kept for whoever does next, up to so much. */
const MAX_UNHEARD = 100

interface HttpSession {
  readonly client: LegacyClient
  seenAt: number
  underWay: number
  /** On which it is told what it did not ask for. */
  stream: HttpAnswer | undefined
  readonly unheard: Message[]
}

interface Posted {
  readonly head: RequestHead
  readonly reply: Reply
}

export class HttpSessions {
  readonly #gateway: Gateway
  readonly #sessions = new Map<string, HttpSession>()
  #cancelSweep: (() => void) | undefined

  constructor(gateway: Gateway) {
    this.#gateway = gateway
  }

  /** `initialize`. */
  greet(view: View, message: Message, posted: Posted): void {
    if (this.#sessions.size >= MAX_SESSIONS)
      return posted.reply.send(say(503, 'There are too many sessions.'))
    const id = this.#gateway.world.keys.random(32)
    const session: HttpSession = {
      client: new LegacyClient(this.#gateway, view, (told) => tell(session, told)),
      seenAt: this.#now(),
      underWay: 0,
      stream: undefined,
      unheard: [],
    }
    this.#sessions.set(id, session)
    this.#sweepLater()
    this.#answer(session, message, { ...posted, headers: { 'mcp-session-id': id } })
  }

  take(id: string, message: Message, posted: Posted & { readonly view: View }): void {
    const session = this.#find(id)
    if (session === undefined || session.client.server !== posted.view.server)
      return posted.reply.send(UNKNOWN_SESSION)
    if ('method' in message && 'id' in message) return this.#answer(session, message, posted)
    if ('method' in message) session.client.onNotification(message.method, message.params)
    else session.client.onAnswer(message)
    posted.reply.send(ACCEPTED)
  }

  /** The stream for what nobody asked for. A new one takes the place of the one before. */
  openStream(id: string, head: RequestHead, reply: Reply): void {
    const session = this.#find(id)
    if (session === undefined) return reply.send(UNKNOWN_SESSION)
    if (!takesEvents(head)) return reply.send(say(406, 'Only text/event-stream can be had here.'))
    session.stream?.end()
    const stream = new HttpAnswer(reply, { clock: this.#gateway.world.clock, canStream: true })
    session.stream = stream
    stream.stream()
    reply.onGone(() => {
      stream.abandon()
      if (session.stream === stream) session.stream = undefined
      session.seenAt = this.#now()
    })
    for (const message of session.unheard.splice(0)) stream.tell(message)
  }

  end(id: string): boolean {
    const session = this.#sessions.get(id)
    if (session === undefined) return false
    this.#sessions.delete(id)
    session.client.close()
    session.stream?.end()
    return true
  }

  close(): void {
    this.#cancelSweep?.()
    for (const id of this.#sessions.keys()) this.end(id)
  }

  #answer(
    session: HttpSession,
    message: Message,
    { head, reply, headers }: Posted & { readonly headers?: Readonly<Record<string, string>> },
  ): void {
    const { clock } = this.#gateway.world
    const out = new HttpAnswer(reply, { clock, canStream: takesEvents(head), headers })
    // The work goes on: whoever hangs up has not said that it should not.
    reply.onGone(() => out.abandon())
    session.underWay += 1
    const send = (told: Message): void => {
      if ('method' in told) out.tell(told)
      else out.finish(told, 200)
    }
    const answered = session.client.onRequest(message as Parameters<LegacyClient['onRequest']>[0], send)
    void answered.finally(() => {
      session.underWay -= 1
      session.seenAt = this.#now()
      // Cancelled: there is no answer.
      out.end()
    })
  }

  #find(id: string): HttpSession | undefined {
    const session = this.#sessions.get(id)
    if (session !== undefined) session.seenAt = this.#now()
    return session
  }

  #now(): number {
    return this.#gateway.world.clock.now()
  }

  #sweepLater(): void {
    this.#cancelSweep ??= this.#gateway.world.clock.after(SWEEP_MS, () => {
      this.#cancelSweep = undefined
      const old = this.#now() - IDLE_MS
      for (const [id, { seenAt, underWay, stream }] of this.#sessions)
        if (seenAt < old && underWay === 0 && stream === undefined) this.end(id)
      if (this.#sessions.size > 0) this.#sweepLater()
    })
  }
}

function tell({ stream, unheard }: HttpSession, message: Message): void {
  if (stream !== undefined) return stream.tell(message)
  unheard.push(message)
  if (unheard.length > MAX_UNHEARD) unheard.shift()
}
