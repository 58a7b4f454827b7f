/**
 * connect: turns a launch into a session, for every transport and era.
 *
 * in     what to start or reach, what the host can answer, and what is remembered of the server
 * out    a session; or a ConnectError that says why there is none
 * never  leaves a wire open without a session
 */
import { isObject } from '../../base/is-object.ts'
import type { LaunchSpec } from '../../model/launch.ts'
import { RPC_CODES, type Params, type Result } from '../../model/message.ts'
import {
  MODERN_VERSION,
  SessionError,
  type ClientHandlers,
  type Era,
  type Session,
  type SessionFailure,
  type SessionListener,
} from '../../model/session.ts'
import type { WireFailure, WireKind } from '../../model/wire.ts'
import type { World } from '../../world/world.ts'
import { Channel, type AskedQuestion, type ChannelHooks } from './channel.ts'
import type { Client, ClientInfo } from './client.ts'
import { openLegacy } from './legacy.ts'
import { discover, openModern, toModernHello } from './modern.ts'
import { findWireOpener, type InProcessServers } from './open-wire.ts'
import { COMPLETE, Completions } from './pages.ts'
import { answerQuestion, capabilitiesOf } from './questions.ts'

export interface ConnectRequest {
  readonly world: World
  /** The server's name in the configuration. The handlers that answer its questions get it. */
  readonly server?: string | undefined
  readonly client: ClientInfo
  readonly handlers: ClientHandlers
  readonly listener: ConnectListener
  /** The era that the server spoke last time. */
  readonly knownEra?: Era | undefined
  /** Whether to listen for changes of its lists. */
  readonly listens: 'always' | 'never'
  readonly inProcess: InProcessServers
  /** Ends the attempt and stops the server that it started. */
  readonly signal: AbortSignal
}

export interface ConnectListener extends SessionListener {
  /** A line that the server writes to stderr, or to stdout in the place of a message. */
  onLog(line: string, from: 'stderr' | 'stdout'): void
  /** The same line, when another listener already writes it to the log. */
  onOverheard?(line: string): void
  /** Removes secrets. */
  redact?(text: string): string
  /** The first sign of life of the server. It may come again after a second start. */
  onFirstSign(): void
  /** The process ended because of the question about its era, or for another reason, and is started once more. */
  onStartedAgain?(): void
  /** A package runner has begun to install the server, or has finished. */
  onInstallation?(state: 'begun' | 'over'): void
  /** The server was restarted and got a new session on the same wire. */
  onRenewed?(): void
  /** The lists in a session that belongs to one client may differ from the shared ones; or that session is over. */
  onOwnLists?(client: object, what: 'changed' | 'gone'): void
  /** At a server of both eras, the lists for legacy clients may have changed. */
  onLegacyLists?(): void
}

export class ConnectError extends Error {
  readonly failure: SessionFailure

  constructor(failure: SessionFailure) {
    super(new SessionError(failure).message)
    this.name = 'ConnectError'
    this.failure = failure
  }
}

export async function connect(launch: LaunchSpec, request: ConnectRequest): Promise<Session> {
  const opening = createOpening(launch, request)
  const onAbort = (): void => void opening.abandon()
  request.signal.addEventListener('abort', onAbort, { once: true })
  try {
    const session = await negotiate(opening, launch, request)
    opening.keep()
    return session
  } catch (error) {
    await opening.abandon()
    throw toConnectError(error)
  } finally {
    request.signal.removeEventListener('abort', onAbort)
  }
}

interface Opening {
  readonly client: Client
  /** A channel on a new wire. An earlier channel is closed. */
  open(kind?: 'sse'): Promise<Channel>
  /** From now on, the end of the wire is the end of a session. */
  keep(): void
  abandon(): Promise<void>
}

function createOpening(launch: LaunchSpec, request: ConnectRequest): Opening {
  const { world, inProcess, signal, listener } = request
  const client = createClient(request)
  let current: { readonly channel: Channel; readonly ears: SessionHooks } | undefined
  return {
    client,
    keep: () => current?.ears.keep(),
    async open(kind) {
      if (current !== undefined) {
        await current.channel.close()
        if (kind === undefined) listener.onStartedAgain?.()
      }
      const opener = await findWireOpener(launch, { world, inProcess, kind })
      signal.throwIfAborted()
      const ears = new SessionHooks(listener, client)
      current = { channel: new Channel(opener, world.clock, ears), ears }
      return current.channel
    },
    abandon: async () => current?.channel.close(),
  }
}

/**
 * Outside of `connect`: this object lives as long as the session, and a closure there would keep the whole launch
 * alive.
 */
function createClient(request: ConnectRequest): Client {
  const { client: info, server = '', handlers, listener, listens, world } = request
  return {
    info,
    server,
    capabilities: capabilitiesOf(handlers),
    handlers,
    clock: world.clock,
    listens,
    completions: new Completions(),
    onRenewed: () => listener.onRenewed?.(),
  }
}

/** The listener of a channel. It lives as long as the session, so it must not hold the launch, which has secrets. */
class SessionHooks implements ChannelHooks {
  readonly #listener: ConnectListener
  readonly #client: Client
  /** The end of the wire is the end of a session. */
  #isKept = false

  constructor(listener: ConnectListener, client: Client) {
    this.#listener = listener
    this.#client = client
  }

  keep(): void {
    this.#isKept = true
  }

  onNotification(method: string, params: Params): void {
    if (method === COMPLETE) this.#client.completions.tell(params)
    this.#listener.onNotification(method, params)
  }

  onQuestion({ method, params, signal, handlers }: AskedQuestion): Promise<Result> {
    const { completions, server } = this.#client
    const answering = handlers ?? this.#client.handlers
    return answerQuestion(answering, { method, params }, { server, signal, completions })
  }

  onOddity(text: string): void {
    this.#listener.onOddity?.(text)
  }

  redact(text: string): string {
    return this.#listener.redact?.(text) ?? text
  }

  onNoise(text: string): void {
    this.#listener.onLog(text, 'stdout')
  }

  onLog(line: string): void {
    this.#listener.onLog(line, 'stderr')
  }

  onFirstSign(): void {
    this.#listener.onFirstSign()
  }

  onInstallation(state: 'begun' | 'over'): void {
    this.#listener.onInstallation?.(state)
  }

  onEnd(failure: WireFailure): void {
    if (this.#isKept) this.#listener.onEnd(failure)
    this.#isKept = false
  }
}

/**
 * Finds the era. The question `server/discover` goes to the same process that will serve: nearly all older servers
 * refuse it and go on. A server that exits because of it, or stays silent, gets `initialize`.
 */
async function negotiate(opening: Opening, launch: LaunchSpec, request: ConnectRequest): Promise<Session> {
  const { client } = opening
  const channel = await opening.open()
  const limits = { signal: request.signal }
  if (launch.protocol === 'legacy' || isLegacyWire(channel.wire.kind))
    return openLegacy(channel, client, limits)
  if (launch.protocol === 'auto' && request.knownEra === 'legacy')
    return openLegacyAnywhere(opening, channel, launch, limits)

  const verdict = await probe(channel, client, launch, request.signal)
  if (verdict.kind === 'modern') return openModern(channel, client, verdict.hello)
  if (launch.protocol === MODERN_VERSION) throw verdict.error
  if (verdict.kind === 'dead') return openLegacy(await opening.open(), client, limits)
  return openLegacyAnywhere(opening, channel, launch, limits)
}

/** The HTTP+SSE transport is older than every revision that can be negotiated. */
function isLegacyWire(kind: WireKind): boolean {
  return kind === 'sse'
}

type Verdict =
  | { readonly kind: 'modern'; readonly hello: NonNullable<ReturnType<typeof toModernHello>> }
  | { readonly kind: 'legacy'; readonly error: unknown }
  /** The process ended when it got the question. */
  | { readonly kind: 'dead'; readonly error: unknown }

/** After this time without an answer, a server probably does not know the question. The time includes its start. */
const PROBE_MS = 10_000

async function probe(
  channel: Channel,
  client: Client,
  launch: LaunchSpec,
  signal: AbortSignal,
): Promise<Verdict> {
  const isPinned = launch.protocol === MODERN_VERSION
  // Over HTTP, silence says nothing about the question: `initialize` would wait just as long.
  const isPatient = isPinned || channel.wire.kind === 'http'
  const limits = { signal, ...(isPatient ? {} : { timeoutMs: PROBE_MS }) }
  try {
    const answer = await discover(channel, client, limits).catch((error: unknown) => {
      // The server refused the revision and offered it in the same answer, so Plugboard asks once more.
      if (offersModern(error)) return discover(channel, client, limits)
      throw error
    })
    const hello = toModernHello(answer)
    if (hello !== undefined) return { kind: 'modern', hello }
    const message = `it does not speak revision \`${MODERN_VERSION}\``
    return { kind: 'legacy', error: new SessionError({ kind: 'bad-answer', message }) }
  } catch (error) {
    const kind = error instanceof SessionError ? judgeProbe(error.failure, channel.wire.kind) : undefined
    if (kind === undefined) throw error
    return { kind, error }
  }
}

function offersModern(error: unknown): boolean {
  if (!(error instanceof SessionError) || error.failure.kind !== 'rpc') return false
  const { code, data } = error.failure.error
  return code === RPC_CODES.unsupportedVersion && versionsIn(data).includes(MODERN_VERSION)
}

/** The revisions that a server lists when it refuses one. */
function versionsIn(data: unknown): readonly unknown[] {
  const supported = isObject(data) ? data['supported'] : undefined
  return Array.isArray(supported) ? supported : []
}

/** Undefined: the failure is not about the question, and `initialize` would fail too. */
function judgeProbe(failure: SessionFailure, wire: WireKind): 'legacy' | 'dead' | undefined {
  switch (failure.kind) {
    case 'rpc':
    case 'bad-answer':
      return 'legacy'
    case 'timeout':
      return wire === 'http' ? undefined : 'legacy'
    case 'lost': {
      const { wire: end } = failure
      if (end.kind === 'exit') return NEVER_RAN.has(end.exitCode) ? undefined : 'dead'
      if (end.kind === 'closed' && wire === 'ws') return 'dead'
      const isRefusal = end.kind === 'http' && end.status >= 400 && end.status < 500
      return isRefusal && !NOT_ABOUT_IT.has(end.status) ? 'legacy' : undefined
    }
    case 'aborted':
    case 'not-started':
      return undefined
  }
}

/** Exit codes of a shell, or of `npx` through a shell: the program was not found, or may not run. */
const NEVER_RAN: ReadonlySet<number | undefined> = new Set([126, 127])

/** Refusals that depend on the client or on the rate of requests, and not on the question. */
const NOT_ABOUT_IT: ReadonlySet<number> = new Set([401, 403, 407, 408, 425, 429])

/** As the specification describes: an address that refuses `initialize` may speak the older transport. */
async function openLegacyAnywhere(
  opening: Opening,
  channel: Channel,
  launch: LaunchSpec,
  limits: { readonly signal: AbortSignal },
): Promise<Session> {
  try {
    return await openLegacy(channel, opening.client, limits)
  } catch (error) {
    const mayFallBack = launch.transport.kind === 'http' && launch.transport.fallback === 'sse'
    if (!mayFallBack || !isRefused(error)) throw error
    return openLegacy(await opening.open('sse'), opening.client, limits)
  }
}

function isRefused(error: unknown): boolean {
  if (!(error instanceof SessionError) || error.failure.kind !== 'lost') return false
  const { wire } = error.failure
  return wire.kind === 'http' && [400, 404, 405].includes(wire.status)
}

function toConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error
  if (error instanceof SessionError) return new ConnectError(describeVersions(error.failure))
  if (error instanceof Error && error.name === 'AbortError')
    return new ConnectError({ kind: 'aborted', wasSent: true })
  const message = error instanceof Error ? error.message : String(error)
  return new ConnectError({ kind: 'bad-answer', message })
}

/** The revisions that a server lists explain the failure better than its error code. */
function describeVersions(failure: SessionFailure): SessionFailure {
  if (failure.kind !== 'rpc' || failure.error.code !== RPC_CODES.unsupportedVersion) return failure
  const versions = versionsIn(failure.error.data).join(', ')
  return { kind: 'bad-answer', message: `it speaks revision ${versions === '' ? 'others' : versions} only` }
}
