/**
 * attempt: one try to reach a server, and the session that it opens.
 *
 * in     an admitted server, and what all servers of the board share
 * out    calls of hooks: the account and the launch, then ready or refused, then changed lists, then the lost session
 * never  calls a hook after `end`; leaves a session open that no hook reported
 */
import { createRedactor } from '../base/redact.ts'
import type { AdmittedServer } from '../model/catalog.ts'
import type { Stage, StageTime } from '../model/connection.ts'
import { reveal, type CredentialRequest, type LaunchSpec } from '../model/launch.ts'
import type { Problem } from '../model/problem.ts'
import type { Params } from '../model/message.ts'
import { LIST_KINDS, type ListKind, type Offering } from '../model/offering.ts'
import {
  SessionError,
  speaksLegacy,
  type Audience,
  type Era,
  type Session,
  type SessionFailure,
} from '../model/session.ts'
import type { Authorization } from '../model/sign-in.ts'
import type { WireFailure } from '../model/wire.ts'
import { ConnectError, type ConnectListener } from '../pipeline/connect/connect.ts'
import { list, NO_LISTS, readLists, toOffering, type Listable } from '../pipeline/list/list.ts'
import { credentialMarkOf } from '../pipeline/resolve/credential-mark.ts'
import { resolve } from '../pipeline/resolve/resolve.ts'
import { forIde } from './ide-roots.ts'
import { redactProblem } from './redact-problem.ts'
import type { LogKind, ServerLog } from './server-logs.ts'
import type { Shared } from './shared.ts'
import { Spacing } from './spacing.ts'
import { StageTimer } from './stage-timer.ts'
import { StartupLimit } from './startup-limit.ts'

export interface AttemptRequest {
  readonly server: AdmittedServer
  readonly log: ServerLog
  readonly knownEra: Era | undefined
  /** The attempt starts when this settles. */
  readonly after: Promise<unknown>
}

export interface AttemptHooks {
  /**
   * The account is known; the values may not be known yet. Returns whether the offering of the last connection is
   * known.
   */
  onMarked(credentialMark: string): 'known' | 'unknown'
  /** Every value is known; nothing has started yet. */
  onLaunch(launch: LaunchSpec): void
  /** A package runner started or finished installing the server. */
  onInstallation(state: 'begun' | 'over'): void
  onReady(listed: Offering): void
  onRefused(failure: SessionFailure, stage: Stage): void
  /** The attempt ended neither ready nor refused, because of a bug. */
  onBroken(error: unknown): void
  /** After it was ready: its lists changed. */
  onListed(listed: Offering): void
  /** The lists that one client has for itself. Undefined: the client has the same lists as the others. */
  onOwnListed(client: object, listed: Offering | undefined): void
  /** The lists that a server of both eras shows to legacy clients. */
  onLegacyListed(listed: Offering): void
  onNotification(method: string, params: Params, audience?: Audience): void
  /** After it was ready: the session is lost. */
  onLost(failure: WireFailure): void
}

/** How long values may take to look up, when the entry has no limit of its own. */
const RESOLVE_MS = 30_000

/** A package runner may need this long to find out that there is nothing to install. Only a longer run is reported. */
const RUNNER_MS = 2500

/** How long it may take to read lists again. */
const REFRESH_MS = 60_000

/** Lower limit for the lifetime that a server gives its lists: a host may read them whenever something changes. */
const SHORTEST_TTL_MS = 1000

/** How many lines of the server's stderr are kept for a later problem. */
const LAST_LINES = 10

/** Excludes lines of a stack, which begin with `at`. */
const LOOKS_LIKE_ERROR =
  /^(?!\s*at )(?=.*\b(?:\w*Error|\w*Exception|ERR!?|FATAL|fatal|panic|panicked|[Cc]annot|[Cc]ould not|[Ff]ailed|denied|not found)\b)/

const NO_KINDS: readonly ListKind[] = []

export class Attempt implements ConnectListener {
  /** The last lines on stderr, redacted. */
  readonly lastLines: string[] = []
  /** The first line on stderr that looks like an error, redacted. */
  firstError: string | undefined
  readonly startedAt: number
  redact: (text: string) => string = (text) => text
  session: Session | undefined
  readonly #request: AttemptRequest
  readonly #shared: Shared
  readonly #hooks: AttemptHooks
  /** Set while there is work that can be aborted. An idle session needs none. */
  #controller: AbortController | undefined = new AbortController()
  readonly #timer: StageTimer
  #giveSlot: (() => void) | undefined
  readonly #done: Promise<void>
  #isOver = false
  #isTimedOut = false
  #cancelTelling: (() => void) | undefined
  /** The limit that runs, or that ran last. */
  #limit: StartupLimit | undefined
  /** Why the session is lost. It may be set before `onReady` is called. */
  #lost: WireFailure | undefined
  #lists = NO_LISTS
  /** When each list was read. Only for lists to which the server gives a lifetime. */
  #readAt: Map<ListKind, number> | undefined
  /** The lists to read again after the current reading. */
  #due: readonly ListKind[] = NO_KINDS
  #isRefreshing = false
  /** The pause between two readings, for servers that change their lists without end. */
  readonly #spacing = new Spacing()
  #cancelRefresh: (() => void) | undefined
  /** By client that has lists of its own. */
  readonly #reading = new WeakMap<object, ListReading>()
  /** The lists for legacy clients, at a server of both eras. */
  readonly #legacyLists = newReading()
  /** Undefined: no legacy client has come, or there is no session for one. */
  #meetingLegacy: Promise<void> | undefined
  #authorization: Authorization | undefined
  /** Why there is no authorization, although there might be one. */
  #withheld: Problem | undefined
  /** Set when the server was asked without a sign-in. */
  #unsigned: { readonly request: CredentialRequest; readonly account: string | undefined } | undefined

  constructor(request: AttemptRequest, shared: Shared, hooks: AttemptHooks) {
    this.#request = request
    this.#shared = shared
    this.#hooks = hooks
    this.startedAt = shared.world.clock.now()
    this.#timer = new StageTimer(shared.world.clock.now)
    // All attempts take the same step in the same turn, so programs start directly one after another. After each start
    // the operating system copies every memory page that is written next. Looking up values in between would write to
    // many pages.
    this.#done = request.after
      .then(() => this.#run())
      .catch((error: unknown) => {
        // Without this call, callers would wait for this server for ever, and the uncaught rejection would end the
        // host.
        if (!this.#isOver) hooks.onBroken(error)
      })
  }

  /** Why the stored sign-in is of no use, or was not sent. */
  get whyNoSignIn(): Pick<Problem, 'message' | 'hints'> | undefined {
    const why = this.#authorization?.whyNot()
    return why === undefined ? this.#withheld : { message: why, hints: [] }
  }

  get stages(): readonly StageTime[] {
    return this.#timer.stages
  }

  /** Settles when everything that the attempt started has ended. */
  async end(): Promise<void> {
    this.#isOver = true
    this.#cancelRefresh?.()
    this.#controller?.abort()
    await this.session?.close()
    await this.#done
  }

  async #run(): Promise<void> {
    let launch: LaunchSpec | undefined
    try {
      launch = await this.#prepare()
      const listed = await this.#listFirst(await this.#open(launch))
      if (this.#isOver) return void (await this.session?.close())
      if (this.#lost !== undefined) throw new SessionError({ kind: 'lost', wire: this.#lost, wasSent: true })
      this.#timer.finish()
      this.#hooks.onReady(this.#redactOffering(listed))
      if (this.#due.length > 0) this.refresh(NO_KINDS)
    } catch (error) {
      this.#timer.fail()
      await this.session?.close()
      this.#noteUnsigned(launch)
      if (!this.#isOver) this.#hooks.onRefused(this.#toFailure(error), this.#timer.current)
    } finally {
      this.#limit?.stop()
      this.#controller = undefined
    }
  }

  /** Whether the user has signed in since the attempt. */
  hasNewSignIn(): boolean {
    if (this.#authorization !== undefined) return this.#authorization.isOutdated()
    if (this.#unsigned === undefined) return false
    return this.#accountOf(this.#unsigned.request) !== this.#unsigned.account
  }

  #noteUnsigned(launch: LaunchSpec | undefined): void {
    if (launch === undefined || this.#authorization !== undefined) return
    const { transport, name } = launch
    if (transport.kind !== 'http' && transport.kind !== 'sse') return
    const credentialId = this.#request.server.auth?.credentialId
    const url = reveal(transport.url)
    const request = { server: name, url, ...(credentialId === undefined ? {} : { credentialId }) }
    this.#unsigned = { request, account: this.#accountOf(request) }
  }

  #accountOf(request: CredentialRequest): string | undefined {
    return this.#shared.resolving.credentials?.account?.(request)
  }

  async #prepare(): Promise<LaunchSpec> {
    this.#timer.begin('resolve')
    const { server } = this.#request
    this.#startLimit(server.startupTimeoutMs ?? RESOLVE_MS)
    const launching = resolve(server, this.#shared.resolving)
    // In parallel: the known offering is published while a slow command still looks up its token.
    const work = Promise.all([launching, this.#recall(launching)])
    const [launch, offering] = await unlessAborted(work, this.#signal())
    this.#limit?.stop()
    this.#timer.finish()
    this.#authorization = authorizationOf(launch)
    this.#withheld = launch.problems.find(({ code }) => WITHHELD.has(code))
    this.redact = createRedaction(launch)
    this.#hooks.onLaunch(launch)
    if (launch.refusal !== undefined) throw new SessionError({ kind: 'not-started', problem: launch.refusal })
    // Starting a program takes time. Callers that need only the known offering continue before that.
    if (offering === 'known') await this.#pause()
    return launch
  }

  async #recall(launching: Promise<LaunchSpec>): Promise<'known' | 'unknown'> {
    const mark = await credentialMarkOf(this.#request.server, this.#shared.resolving, launching)
    return this.#isOver ? 'unknown' : this.#hooks.onMarked(mark)
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#shared.world.clock.after(0, resolve))
  }

  async #open(launch: LaunchSpec): Promise<Session> {
    const signal = this.#signal()
    const { slots, world, client, listens, inProcess } = this.#shared
    const handlers = forIde(this.#request.server, this.#shared.handlers, world)
    this.#giveSlot = await (isLocal(launch) ? slots.local : slots.remote).take(signal)
    this.#startLimit(launch.startupTimeoutMs)
    this.#timer.begin('start')
    const { knownEra } = this.#request
    try {
      this.session = await this.#shared.connect(
        launch,
        {
          world,
          server: this.#request.server.name,
          client,
          handlers,
          listens,
          inProcess,
          signal,
          knownEra,
          listener: this,
        },
        this.#request.server,
      )
      this.#timer.finish()
      return this.session
    } finally {
      this.#leaveSlot()
    }
  }

  #leaveSlot(): void {
    this.#giveSlot?.()
    this.#giveSlot = undefined
  }

  #signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  /**
   * There are two limits: one while values are looked up; one from the start of the server, when its turn comes, to the
   * first lists.
   */
  #startLimit(ms: number): void {
    this.#limit = new StartupLimit(this.#shared.world.clock, ms, () => {
      this.#isTimedOut = true
      this.#controller?.abort()
    })
  }

  /**
   * Lists in the time that the handshake left. From here on each list has the limit for itself. When the time is over,
   * the tools that arrived are kept, although the prompts did not arrive.
   */
  async #listFirst(session: Session): Promise<Offering> {
    this.#timer.begin('list')
    this.#limit?.stop()
    // Lists that change meanwhile are read afterwards: until this reading ends, a reading of one list does not know the
    // other lists.
    this.#isRefreshing = true
    try {
      return await this.#list(session, LIST_KINDS, this.#limit?.leftMs ?? 0)
    } finally {
      this.#isRefreshing = false
    }
  }

  async #list(session: Session, kinds: readonly ListKind[], timeoutMs: number): Promise<Offering> {
    const { clock } = this.#shared.world
    const signal = this.#signal()
    this.#lists = await readLists(session, kinds, { signal, clock, timeoutMs, before: this.#lists })
    this.#noteTimes(kinds)
    return toOffering(session.hello, this.#lists)
  }

  #noteTimes(kinds: readonly ListKind[]): void {
    for (const kind of kinds) {
      if (this.#lists[kind].hints === undefined) continue
      this.#readAt ??= new Map()
      this.#readAt.set(kind, this.#shared.world.clock.now())
    }
  }

  // Callbacks of the session.

  onFirstSign(): void {
    this.#leaveSlot()
    this.#timer.begin('negotiate')
  }

  onInstallation(state: 'begun' | 'over'): void {
    if (this.#isOver || this.session !== undefined) return
    this.#limit?.onInstallation(state)
    this.#cancelTelling?.()
    const { clock } = this.#shared.world
    const tell = (): void => {
      if (!this.#isOver) this.#hooks.onInstallation(state)
    }
    const quietMs = this.startedAt + RUNNER_MS - clock.now()
    if (state === 'over' || quietMs <= 0) return tell()
    this.#cancelTelling = clock.after(quietMs, tell, 'loose')
  }

  /** A package runner still installs the server, or did when this attempt was given up. */
  get isInstalling(): boolean {
    return this.#limit?.isInstalling === true
  }

  onNotification(method: string, params: Params, audience?: Audience): void {
    if (this.#isOver) return
    this.#hooks.onNotification(method, params, audience)
    const changed = CHANGES.get(method)
    if (changed !== undefined) this.refresh(changed)
  }

  /**
   * A host reads these lists. Lists whose lifetime from the server is over are read again in the background. A lifetime
   * of 0 is ignored: the list would be out of date before a host could read it.
   */
  keepFresh(kinds: readonly ListKind[]): void {
    const now = this.#shared.world.clock.now()
    const old = kinds.filter((kind) => {
      const { ttlMs = 0 } = this.#lists[kind].hints ?? {}
      return ttlMs > 0 && now >= this.#readAt!.get(kind)! + Math.max(ttlMs, SHORTEST_TTL_MS)
    })
    if (old.length > 0) this.refresh(old)
  }

  /** Reads lists again, once for any number of calls: one reading runs, and at most one more is due. */
  refresh(kinds: readonly ListKind[] = LIST_KINDS): void {
    if (this.session === undefined || this.#isOver) return
    this.#due = [...new Set([...this.#due, ...kinds])]
    if (this.#isRefreshing || this.#cancelRefresh !== undefined) return
    const { clock } = this.#shared.world
    const waitMs = this.#spacing.waitMs(clock.now())
    if (waitMs === 0) return this.#refreshNow(this.session)
    this.#cancelRefresh = clock.after(
      waitMs,
      () => {
        this.#cancelRefresh = undefined
        if (this.session !== undefined && !this.#isOver) this.#refreshNow(this.session)
      },
      'loose',
    )
  }

  #refreshNow(session: Session): void {
    const wanted = this.#due
    this.#due = NO_KINDS
    this.#isRefreshing = true
    // Noted now: these lists are not due again before this reading ends, with or without success.
    this.#noteTimes(wanted)
    this.#list(session, wanted, this.#request.server.timeoutMs ?? REFRESH_MS)
      .then(
        // Lists from a session that was lost meanwhile may be incomplete.
        (listed) =>
          this.#isOver || this.#lost !== undefined || this.#hooks.onListed(this.#redactOffering(listed)),
        (error: unknown) => this.onOddity(`its lists could not be read again: ${String(error)}`),
      )
      .finally(() => {
        this.#isRefreshing = false
        this.#spacing.end(this.#shared.world.clock.now())
        if (this.#due.length > 0) this.refresh(NO_KINDS)
      })
  }

  onOwnLists(client: object, what: 'changed' | 'gone'): void {
    if (this.#isOver || this.session === undefined) return
    if (what === 'gone') return this.#hooks.onOwnListed(client, undefined)
    const reading = this.#reading.get(client) ?? newReading()
    this.#reading.set(client, reading)
    reading.isDue = true
    if (!reading.isUnderWay) void this.#readOwn(client, this.session, reading)
  }

  #readOwn(client: object, session: Session, reading: ListReading): Promise<void> {
    return this.#readWhileDue(reading, async () => {
      const listed = await this.#listWhole(await inNameOf(session, client))
      if (!this.#isOver) this.#hooks.onOwnListed(client, this.#redactOffering(listed))
    })
  }

  /** Reads once what the server shows to legacy clients, when it differs. Never rejects. */
  meetLegacy(): Promise<void> {
    return (this.#meetingLegacy ??= this.#readLegacy())
  }

  onLegacyLists(): void {
    if (this.#isOver || this.#meetingLegacy === undefined) return
    this.#legacyLists.isDue = true
    if (!this.#legacyLists.isUnderWay) void this.#readLegacy()
  }

  async #readLegacy(): Promise<void> {
    this.#legacyLists.isDue = true
    const session = await this.session?.legacy?.()
    // A session that could not be opened may be available to the next client.
    if (session === undefined) this.#meetingLegacy = undefined
    if (session === undefined || this.#legacyLists.isUnderWay) return
    await this.#readWhileDue(this.#legacyLists, async () => {
      const listed = await this.#listWhole(session)
      if (!this.#isOver) this.#hooks.onLegacyListed(this.#redactOffering(listed))
    })
  }

  #listWhole(session: Listable): Promise<Offering> {
    const timeoutMs = this.#request.server.timeoutMs ?? REFRESH_MS
    return list(session, { clock: this.#shared.world.clock, timeoutMs })
  }

  /** Never rejects. */
  async #readWhileDue(reading: ListReading, read: () => Promise<void>): Promise<void> {
    const { clock } = this.#shared.world
    reading.isUnderWay = true
    try {
      while (reading.isDue && !this.#isOver) {
        const waitMs = reading.spacing.waitMs(clock.now())
        if (waitMs > 0) await new Promise<void>((resolve) => clock.after(waitMs, resolve, 'loose'))
        if (this.#isOver) return
        reading.isDue = false
        await read()
        reading.spacing.end(clock.now())
      }
    } catch (error) {
      this.onOddity(`the lists of some clients could not be read: ${String(error)}`)
    } finally {
      reading.isUnderWay = false
    }
  }

  /** The server forgot the session and the client made a new one: the server may offer something else now. */
  onRenewed(): void {
    this.refresh()
  }

  onOddity(text: string): void {
    this.onLog(text, 'event')
  }

  onLog(line: string, from: LogKind): void {
    const safe = this.redact(line)
    this.#request.log.write(safe, from)
    if (from === 'stderr') this.#keep(safe)
  }

  onOverheard(line: string): void {
    this.#keep(this.redact(line))
  }

  /**
   * The server starts again, since it may have died of a request that it does not know. It writes the same lines again,
   * so the old ones are dropped.
   */
  onStartedAgain(): void {
    this.lastLines.length = 0
    this.firstError = undefined
  }

  #keep(line: string): void {
    if (this.firstError === undefined && LOOKS_LIKE_ERROR.test(line)) this.firstError = line
    this.lastLines.push(line)
    if (this.lastLines.length > LAST_LINES) this.lastLines.shift()
  }

  onEnd(failure: WireFailure): void {
    this.#lost = failure
    this.#controller?.abort()
    if (!this.#isOver) this.#hooks.onLost(failure)
  }

  /** A problem of a list may quote the server, so it is redacted. The lists themselves are what the server offers. */
  #redactOffering(listed: Offering): Offering {
    if (listed.problems.length === 0) return listed
    return { ...listed, problems: listed.problems.map((problem) => redactProblem(problem, this.redact)) }
  }

  #toFailure(error: unknown): SessionFailure {
    const limitMs = this.#limit?.limitMs ?? 0
    const isLate = error instanceof SessionError && error.failure.kind === 'timeout' && limitMs > 0
    // The whole limit is over, whichever step was running.
    if (this.#isTimedOut || (isLate && this.#timer.current === 'list'))
      return { kind: 'timeout', afterMs: limitMs }
    if (error instanceof ConnectError || error instanceof SessionError) return error.failure
    return { kind: 'bad-answer', message: error instanceof Error ? error.message : String(error) }
  }
}

/** The lists that each notification makes out of date. */
const CHANGES: ReadonlyMap<string, readonly ListKind[]> = new Map<string, readonly ListKind[]>([
  ['notifications/tools/list_changed', ['tool']],
  ['notifications/resources/list_changed', ['resource', 'resource-template']],
  ['notifications/prompts/list_changed', ['prompt']],
])

/** The lists of one client, or of all clients of an era. */
interface ListReading {
  /** The lists changed since they were last read. */
  isDue: boolean
  isUnderWay: boolean
  readonly spacing: Spacing
}

function newReading(): ListReading {
  return { isDue: false, isUnderWay: false, spacing: new Spacing() }
}

/** What the server lists for that client. */
async function inNameOf(session: Session, client: object): Promise<Listable> {
  const legacy = speaksLegacy(client) ? await session.legacy?.() : undefined
  return {
    hello: (legacy ?? session).hello,
    wire: session.wire,
    request: (method, params, options) => session.request(method, params, { ...options, client }),
  }
}

const WITHHELD: ReadonlySet<string> = new Set(['resolve/credentials-failed', 'resolve/plain-http'])

function authorizationOf({ transport }: LaunchSpec): Authorization | undefined {
  return 'authorization' in transport ? transport.authorization : undefined
}

/** Redacts the secrets of the launch, and tokens that change while the session lives. */
function createRedaction(launch: LaunchSpec): (text: string) => string {
  const redact = createRedactor(launch.secrets)
  const authorization = authorizationOf(launch)
  return authorization === undefined ? redact : (text) => authorization.redact(redact(text))
}

/** Rejects on abort. Work that cannot be stopped continues, and its result is ignored. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new SessionError({ kind: 'aborted', wasSent: false }))
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** Whether the server uses a processor of this machine rather than a connection. */
function isLocal({ transport }: LaunchSpec): boolean {
  return transport.kind === 'stdio' || transport.kind === 'in-process'
}
