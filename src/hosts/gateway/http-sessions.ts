/**
 * http-sessions: the legacy clients of one gateway, each under an id that cannot be guessed.
 */
import type { Message } from '../../model/message.ts'
import type { Clock, Reply, RequestHead } from '../../world/world.ts'
import { say, textOf } from './door.ts'
import type { Gateway } from './gateway.ts'
import type { Heartbeats } from './heartbeats.ts'
import { HttpAnswer } from './http-answer.ts'
import { ACCEPTED, takesEvents, UNKNOWN_EVENT, UNKNOWN_SESSION } from './http-replies.ts'
import { LegacyClient, type RequestMessage } from './legacy-client.ts'
import { ENDED, type OpenAnswers } from './open-answers.ts'
import type { Principal } from './principal.ts'
import { OWN_STREAM, parseEventId, ResumableStreams, type EventLog } from './resumable-streams.ts'
import type { View } from './view.ts'

/** A client that sends nothing for this long, and does not listen either, is gone. */
const IDLE_MS = 30 * 60_000

const SWEEP_MS = 60_000

/** More sessions than any real use needs. Clients that never end their sessions must not fill the memory. */
const MAX_SESSIONS = 5000

/** Limit of sessions for one principal. Beyond it, the principal's own longest idle session ends. */
const MAX_OF_ONE = 1000

/** Messages that come while no stream is open are kept for the next one, up to this count: the oldest goes first. */
const MAX_UNHEARD = 100

/** Limit for all messages kept for one session. */
const MAX_UNHEARD_CHARACTERS = 256 * 1024

interface HttpSession {
  readonly client: LegacyClient
  readonly principal: Principal
  seenAt: number
  underWay: number
  /** The stream for messages that answer no request. */
  stream: HttpAnswer | undefined
  /** One log for all such streams, one after the other. */
  readonly log: EventLog
  readonly unheard: Unheard[]
}

interface Unheard {
  readonly message: Message
  readonly characters: number
}

interface Posted {
  /** The gateway with the servers that this client may use. */
  readonly gateway: Gateway
  readonly principal: Principal
  readonly view: View
  readonly head: RequestHead
  readonly reply: Reply
  /** Size of the body. */
  readonly bytes: number
}

export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>()
  /** Sessions of principals that have lost their access: running requests finish. */
  readonly #leaving = new Set<HttpSession>()
  readonly #heartbeats: Heartbeats
  readonly #answers: OpenAnswers
  readonly #streams = new ResumableStreams<HttpAnswer>()
  #cancelSweep: (() => void) | undefined

  constructor(heartbeats: Heartbeats, answers: OpenAnswers) {
    this.#heartbeats = heartbeats
    this.#answers = answers
  }

  get size(): number {
    return this.#sessions.size
  }

  /** `initialize`. */
  greet(message: Message, posted: Posted): void {
    const { gateway, view, principal } = posted
    const { keys, clock } = gateway.world
    if (!this.#makeRoom(principal) || this.#sessions.size >= MAX_SESSIONS)
      return posted.reply.send(say(503, 'There are too many sessions.'))
    const id = keys.random(32)
    const client = new LegacyClient(gateway, view, { tell: (told) => tell(session, told), principal })
    const session: HttpSession = {
      client,
      principal,
      seenAt: clock.now(),
      underWay: 0,
      stream: undefined,
      log: this.#streams.addOwn(client),
      unheard: [],
    }
    this.#sessions.set(id, session)
    this.#sweepLater(clock)
    this.#answer(session, message, { ...posted, headers: { 'mcp-session-id': id } })
  }

  take(id: string, message: Message, posted: Posted): void {
    const session = this.#find(id, posted)
    if (session === undefined) return posted.reply.send(UNKNOWN_SESSION)
    if ('method' in message && 'id' in message) return this.#answer(session, message, posted)
    if ('method' in message) session.client.onNotification(message.method, message.params)
    else session.client.onAnswer(message)
    posted.reply.send(ACCEPTED)
  }

  /**
   * Opens the stream for messages that answer no request. A new stream replaces the one before. With `Last-Event-ID`,
   * it continues the stream that broke after that event.
   */
  openStream(id: string, posted: Posted): void {
    const { head, reply, gateway } = posted
    const { clock } = gateway.world
    const session = this.#find(id, posted)
    if (session === undefined) return reply.send(UNKNOWN_SESSION)
    if (!takesEvents(head)) return reply.send(say(406, 'Only text/event-stream can be had here.'))
    const last = textOf(head.headers['last-event-id'])
    const event = last === undefined ? undefined : parseEventId(last)
    if (last !== undefined && event === undefined) return reply.send(UNKNOWN_EVENT)
    if (event !== undefined && event.stream !== OWN_STREAM) {
      const broken = this.#streams.find(session.client, event)
      if (broken === undefined) return reply.send(UNKNOWN_EVENT)
      reply.onGone(() => broken.abandon(reply))
      return broken.resume(reply, event.event)
    }
    session.stream?.end()
    const stream = new HttpAnswer(reply, {
      heartbeats: this.#heartbeats,
      canStream: true,
      ...(session.client.takesEmptyEvents ? { toLog: () => session.log } : {}),
    })
    session.stream = stream
    stream.stream()
    if (event !== undefined) stream.repeat(event.event)
    reply.onGone(() => {
      stream.abandon()
      if (session.stream === stream) session.stream = undefined
      session.seenAt = clock.now()
    })
    for (const { message } of session.unheard.splice(0)) stream.tell(message)
    session.client.onReachable()
  }

  /** The client ends its session. Returns whether there was one. */
  end(id: string, posted: Posted): boolean {
    const session = this.#find(id, posted)
    if (session === undefined) return false
    this.#remove(id, session)
    return true
  }

  /** Ends all streams. Sessions, and their running requests, stay. */
  endStreams(): void {
    for (const { stream } of this.#sessions.values()) stream?.end()
  }

  /**
   * The principal has lost its access: its sessions start nothing new, answer no questions, and still get pending
   * answers.
   */
  dismiss(principal: string): void {
    for (const [id, session] of this.#sessions) {
      if (session.principal.key !== principal) continue
      if (session.underWay === 0) this.#remove(id, session)
      else this.#letFinish(id, session)
    }
  }

  close(): void {
    this.#cancelSweep?.()
    for (const [id, session] of this.#sessions) this.#remove(id, session)
    for (const session of this.#leaving) this.#finish(session)
  }

  #letFinish(id: string, session: HttpSession): void {
    this.#sessions.delete(id)
    this.#leaving.add(session)
    session.client.stopAsking()
    session.stream?.end()
  }

  #finish(session: HttpSession): void {
    this.#leaving.delete(session)
    this.#streams.removeOf(session.client)
    session.client.close()
  }

  #remove(id: string, session: HttpSession): void {
    const { client, stream } = session
    this.#sessions.delete(id)
    this.#streams.removeOf(session.client)
    client.close()
    stream?.end()
  }

  /** Returns whether one more session of this principal fits. */
  #makeRoom({ key }: Principal): boolean {
    const theirs = [...this.#sessions].filter(([, one]) => one.principal.key === key)
    if (theirs.length < MAX_OF_ONE) return true
    const idle = theirs.filter(([, { underWay, stream }]) => underWay === 0 && stream === undefined)
    const [oldest] = idle.sort(([, a], [, b]) => a.seenAt - b.seenAt)
    if (oldest !== undefined) this.#remove(...oldest)
    return oldest !== undefined
  }

  #answer(
    session: HttpSession,
    message: Message,
    posted: Posted & { readonly headers?: Readonly<Record<string, string>> },
  ): void {
    const { gateway, principal, head, reply, headers, bytes } = posted
    const { clock } = gateway.world
    const request = message as RequestMessage
    const { method, params = {} } = request
    const { name: client } = session.client
    const begun = { principal, era: 'legacy' as const, method, params, client, bytes, headers: head.headers }
    const sighting = gateway.seeing.begin(begun)
    const out = new HttpAnswer(reply, {
      heartbeats: this.#heartbeats,
      canStream: takesEvents(head),
      headers,
      ...(method !== 'initialize' && session.client.takesEmptyEvents
        ? { toLog: (answer) => this.#streams.add(session.client, answer) }
        : {}),
    })
    // The work goes on: a client that disconnects has not cancelled.
    reply.onGone(() => out.abandon(reply))
    session.underWay += 1
    const number = this.#answers.add({
      giveUp: () => out.finish({ jsonrpc: '2.0', id: request.id, error: ENDED }, 200),
    })
    const send = (told: Message): boolean => {
      if ('method' in told) return out.tell(told)
      out.finish(told, 200)
      return true
    }
    const answered = session.client.onRequest(request, send, sighting)
    void answered.finally(() => {
      this.#answers.remove(number)
      session.underWay -= 1
      session.seenAt = clock.now()
      if (session.underWay === 0 && this.#leaving.has(session)) this.#finish(session)
      // Cancelled: no answer.
      out.end()
      sighting.end(reply.bytes())
    })
  }

  /** Another principal does not learn that the session exists; neither does a client at another endpoint. */
  #find(id: string, { principal, gateway, view }: Posted): HttpSession | undefined {
    const session = this.#sessions.get(id)
    if (session === undefined || session.principal.key !== principal.key) return undefined
    if (session.client.server !== view.server) return undefined
    session.seenAt = gateway.world.clock.now()
    return session
  }

  #sweepLater(clock: Clock): void {
    this.#cancelSweep ??= clock.after(SWEEP_MS, () => {
      this.#cancelSweep = undefined
      const old = clock.now() - IDLE_MS
      for (const [id, session] of this.#sessions) {
        const { seenAt, underWay, stream } = session
        if (seenAt < old && underWay === 0 && stream === undefined) this.#remove(id, session)
      }
      if (this.#sessions.size > 0) this.#sweepLater(clock)
    })
  }
}

/** A question is not kept: the server that asks must know whether the client can answer. */
function tell({ stream, unheard }: HttpSession, message: Message): boolean {
  if (stream !== undefined) return stream.tell(message)
  if ('method' in message && 'id' in message) return false
  unheard.push({ message, characters: JSON.stringify(message).length })
  let characters = unheard.reduce((sum, one) => sum + one.characters, 0)
  while (unheard.length > MAX_UNHEARD || characters > MAX_UNHEARD_CHARACTERS)
    characters -= unheard.shift()?.characters ?? 0
  return true
}
