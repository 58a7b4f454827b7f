/**
 * connect: a launch → a session, whichever transport and era it takes.
 *
 * in     what to start or reach, what the host can answer, and what is remembered of the server
 * out    a session; or a ConnectError that says why there is none
 * never  leaves a wire open that no session came of
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
  /** What the server is called here: told to those who answer its questions. */
  readonly server?: string | undefined
  readonly client: ClientInfo
  readonly handlers: ClientHandlers
  readonly listener: ConnectListener
  /** What the server turned out to speak last time. */
  readonly knownEra?: Era | undefined
  /** Whether to stay tuned to changes of its lists. */
  readonly listens: 'always' | 'never'
  readonly inProcess: InProcessServers
  /** Ends the attempt, and what was started for it. */
  readonly signal: AbortSignal
}

export interface ConnectListener extends SessionListener {
  /** What the server writes to stderr, or to stdout where a message should be. */
  onLog(line: string, from: 'stderr' | 'stdout'): void
  /** The same line, where somebody else writes it down already. */
  onOverheard?(line: string): void
  /** Takes out what is not for everyone's eyes. */
  redact?(text: string): string
  /** The first sign of life of whatever was started or reached. May come again, after a second start. */
  onFirstSign(): void
  /** Its process died of the question about its era, or for a reason of its own, and is started once more. */
  onStartedAgain?(): void
  /** A package runner still installs the server, or installs it no longer. */
  onInstallation?(state: 'begun' | 'over'): void
  /** The server was restarted and the session begun anew, without a new wire. */
  onRenewed?(): void
  /** In the session that one client has for itself, lists may be others than in that of all; or it is over. */
  onOwnLists?(client: object, what: 'changed' | 'gone'): void
  /** At a server of both eras, the lists that legacy clients are shown may be others than before. */
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
  /** A channel on a new wire; the one before, if there was one, is closed. */
  open(kind?: 'sse'): Promise<Channel>
  /** From now on the end of the wire is the end of a session. */
  keep(): void
  abandon(): Promise<void>
}

function createOpening(launch: LaunchSpec, request: ConnectRequest): Opening {
  const { world, inProcess, signal, listener } = request
  const client = createClient(request)
  let current: { readonly channel: Channel; readonly ears: Ears } | undefined
  return {
    client,
    keep: () => current?.ears.keep(),
    async open(kind) {
      if (current !== undefined) {
        await current.channel.close()
        if (kind === undefined) listener.onStartedAgain?.()
      }
      const opener = findWireOpener(launch, { world, inProcess, kind })
      signal.throwIfAborted()
      const ears = new Ears(listener, client)
      current = { channel: new Channel(opener, world.clock, ears), ears }
      return current.channel
    },
    abandon: async () => current?.channel.close(),
  }
}

/** Made apart: it lives as long as the session, and so does whatever a closure beside it holds. */
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

/** Who listens to a channel. It lives as long as the session, and holds nothing of the launch, with its secrets. */
class Ears implements ChannelHooks {
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
 * Which era it is. The question `server/discover` goes to the very process that will serve: nearly all older servers
 * refuse it and go on. For one that dies of it, or that keeps silent, there is `initialize`.
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

/** The HTTP+SSE transport is older than any revision that could be negotiated. */
function isLegacyWire(kind: WireKind): boolean {
  return kind === 'sse'
}

type Verdict =
  | { readonly kind: 'modern'; readonly hello: NonNullable<ReturnType<typeof toModernHello>> }
  | { readonly kind: 'legacy'; readonly error: unknown }
  /** The process did not survive the question. */
  | { readonly kind: 'dead'; readonly error: unknown }

/** How long a server that is silent may be one that does not know the question. Starting counts in. */
const PROBE_MS = 10_000

async function probe(
  channel: Channel,
  client: Client,
  launch: LaunchSpec,
  signal: AbortSignal,
): Promise<Verdict> {
  const isPinned = launch.protocol === MODERN_VERSION
  // Over HTTP silence says nothing about the question: `initialize` would wait just as long.
  const isPatient = isPinned || channel.wire.kind === 'http'
  const limits = { signal, ...(isPatient ? {} : { timeoutMs: PROBE_MS }) }
  try {
    const answer = await discover(channel, client, limits).catch((error: unknown) => {
      // Refused, and in the same breath offered: the second time it is taken at its word.
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

/** The revisions that a server names when it refuses one. */
function versionsIn(data: unknown): readonly unknown[] {
  const supported = isObject(data) ? data['supported'] : undefined
  return Array.isArray(supported) ? supported : []
}

/** Undefined: the failure has nothing to do with the question, and `initialize` would fare no better. */
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
      return undefined
  }
}

/** A shell, or `npx` by way of one, did not find the program, or may not run it. */
const NEVER_RAN: ReadonlySet<number | undefined> = new Set([126, 127])

/** Refusals that are about who asks, or how often, and not about what. */
const NOT_ABOUT_IT: ReadonlySet<number> = new Set([401, 403, 407, 408, 425, 429])

/** As the specification describes: an address that refuses `initialize` may be one of the older transport. */
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

/** A server that names the revisions it speaks says what is wrong better than its error code. */
function describeVersions(failure: SessionFailure): SessionFailure {
  if (failure.kind !== 'rpc' || failure.error.code !== RPC_CODES.unsupportedVersion) return failure
  const versions = versionsIn(failure.error.data).join(', ')
  return { kind: 'bad-answer', message: `it speaks revision ${versions === '' ? 'others' : versions} only` }
}
