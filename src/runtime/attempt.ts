/**
 * attempt: one try to reach a server, and the session that came of it.
 *
 * in     an admitted server, and what all servers of the board share
 * out    told through hooks: for whom it speaks and what it launches, then ready or refused, then lists that changed, then that it was lost
 * never  tells anything after `end`; leaves a session open that nobody was told of
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
  /** What must be over before it begins. */
  readonly after: Promise<unknown>
}

export interface AttemptHooks {
  /** It is known for whom it speaks; its values may not be yet. Says whether what it offers is known from last time. */
  onMarked(credentialMark: string): 'known' | 'unknown'
  /** Every value is known; nothing is started yet. */
  onLaunch(launch: LaunchSpec): void
  /** A package runner installs the server, or does so no longer. */
  onInstallation(state: 'begun' | 'over'): void
  onReady(listed: Offering): void
  onRefused(failure: SessionFailure, stage: Stage): void
  /** Neither could be told, because of a bug. */
  onBroken(error: unknown): void
  /** After it was ready: its lists are other ones now. */
  onListed(listed: Offering): void
  /** What one client has for itself. Undefined: nothing that others have not. */
  onOwnListed(client: object, listed: Offering | undefined): void
  /** What legacy clients are shown at a server of both eras. */
  onLegacyListed(listed: Offering): void
  onNotification(method: string, params: Params, audience?: Audience): void
  /** After it was ready: the session is gone. */
  onLost(failure: WireFailure): void
}

/** How long values may take to look up, where the entry has no limit of its own. */
const RESOLVE_MS = 30_000

/** So long a package runner may take to find out that there is nothing to install: nobody needs to hear of it. */
const RUNNER_MS = 2500

/** How long lists may take that are read again. */
const REFRESH_MS = 60_000

/** However short-lived a server calls its lists: a host may look at them whenever something changes. */
const SHORTEST_TTL_MS = 1000

/** Of what a server writes, kept for the problem that may follow. */
const LAST_LINES = 10

/** Not of a stack, whose lines begin with `at`. */
const LOOKS_LIKE_ERROR =
  /^(?!\s*at )(?=.*\b(?:\w*Error|\w*Exception|ERR!?|FATAL|fatal|panic|panicked|[Cc]annot|[Cc]ould not|[Ff]ailed|denied|not found)\b)/

const NO_KINDS: readonly ListKind[] = []

export class Attempt implements ConnectListener {
  /** What it last wrote to stderr, redacted. */
  readonly lastLines: string[] = []
  /** The first line there that looks like an error, redacted. */
  firstError: string | undefined
  readonly startedAt: number
  redact: (text: string) => string = (text) => text
  session: Session | undefined
  readonly #request: AttemptRequest
  readonly #shared: Shared
  readonly #hooks: AttemptHooks
  /** While something is under way that can be given up: a session that is merely there needs none. */
  #controller: AbortController | undefined = new AbortController()
  readonly #timer: StageTimer
  #giveSlot: (() => void) | undefined
  readonly #done: Promise<void>
  #isOver = false
  #isTimedOut = false
  #cancelTelling: (() => void) | undefined
  /** The one that runs, or ran last. */
  #limit: StartupLimit | undefined
  /** Why its session is gone, perhaps before anyone was told that there is one. */
  #lost: WireFailure | undefined
  #lists = NO_LISTS
  /** Of those that their server vouches for, for some time. */
  #readAt: Map<ListKind, number> | undefined
  /** Lists to read again, once those are there that are being read. */
  #due: readonly ListKind[] = NO_KINDS
  #isRefreshing = false
  /** Between two readings, where a server changes its lists without end. */
  readonly #spacing = new Spacing()
  #cancelRefresh: (() => void) | undefined
  /** Clients that have lists of their own. */
  readonly #reading = new WeakMap<object, ListReading>()
  /** Of legacy clients, at a server of both eras. */
  readonly #legacyLists = newReading()
  /** Undefined: no such client has come, or there is no session for it. */
  #meetingLegacy: Promise<void> | undefined
  #authorization: Authorization | undefined
  /** Why there is none, although there might be one. */
  #withheld: Problem | undefined
  /** Of a server that was asked without a sign-in. */
  #unsigned: { readonly request: CredentialRequest; readonly account: string | undefined } | undefined

  constructor(request: AttemptRequest, shared: Shared, hooks: AttemptHooks) {
    this.#request = request
    this.#shared = shared
    this.#hooks = hooks
    this.startedAt = shared.world.clock.now()
    this.#timer = new StageTimer(shared.world.clock.now)
    // All in one turn, step by step: so programs are started one right behind the other. After each start the system
    // copies what is written to next, and values that are looked up in between are written to many places.
    this.#done = request.after
      .then(() => this.#run())
      .catch((error: unknown) => {
        // Whoever waits for this server would wait for ever, and a host would end with what no one caught.
        if (!this.#isOver) hooks.onBroken(error)
      })
  }

  /** Why a sign-in that was kept is of no use, or was left at home. */
  get whyNoSignIn(): Pick<Problem, 'message' | 'hints'> | undefined {
    const why = this.#authorization?.whyNot()
    return why === undefined ? this.#withheld : { message: why, hints: [] }
  }

  get stages(): readonly StageTime[] {
    return this.#timer.stages
  }

  /** Settles when everything it began is gone. */
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
      this.#endReading()
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

  /** Whether somebody has signed in since it was tried. */
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
    // Beside: what is known of the server is offered while a slow command still looks for its token.
    const work = Promise.all([launching, this.#recall(launching)])
    const [launch, offering] = await unlessAborted(work, this.#signal())
    this.#limit?.stop()
    this.#timer.finish()
    this.#authorization = authorizationOf(launch)
    this.#withheld = launch.problems.find(({ code }) => WITHHELD.has(code))
    this.redact = createRedaction(launch)
    this.#hooks.onLaunch(launch)
    // Whoever waits only for what is known goes on before anything is started, which takes its time.
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

  /** Two times: while values are looked up, and, once it is its turn, from the start to the first lists. */
  #startLimit(ms: number): void {
    this.#limit = new StartupLimit(this.#shared.world.clock, ms, () => {
      this.#isTimedOut = true
      this.#controller?.abort()
    })
  }

  /**
   * In what the handshake has left of the limit. Each list keeps to it by itself from here on: when it ends, the tools that
   * came are not lost because the prompts never did.
   */
  #listFirst(session: Session): Promise<Offering> {
    this.#timer.begin('list')
    this.#limit?.stop()
    // A server may say at once that a list changed: read beside this one, either would lack what the other brought.
    this.#isRefreshing = true
    return this.#list(session, LIST_KINDS, this.#limit?.leftMs ?? 0)
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

  // What the session tells.

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

  /** A package runner still installs the server, or did when this try was given up. */
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
   * Somebody looks at these lists: those that the server itself no longer vouches for are read again, beside. A time of 0
   * says nothing that helps: it would be out of date before anyone could look.
   */
  keepFresh(kinds: readonly ListKind[]): void {
    const now = this.#shared.world.clock.now()
    const old = kinds.filter((kind) => {
      const { ttlMs = 0 } = this.#lists[kind].hints ?? {}
      return ttlMs > 0 && now >= this.#readAt!.get(kind)! + Math.max(ttlMs, SHORTEST_TTL_MS)
    })
    if (old.length > 0) this.refresh(old)
  }

  /** Reads lists again, once for any number of wishes: one reading is under way, and at most one more is due. */
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
    // Nobody asks for them again before this is over, however it ends.
    this.#noteTimes(wanted)
    this.#list(session, wanted, this.#request.server.timeoutMs ?? REFRESH_MS)
      .then(
        // What was read of a session that went is not all there is.
        (listed) =>
          this.#isOver || this.#lost !== undefined || this.#hooks.onListed(this.#redactOffering(listed)),
        (error: unknown) => this.onOddity(`its lists could not be read again: ${String(error)}`),
      )
      .finally(() => {
        this.#spacing.end(this.#shared.world.clock.now())
        this.#endReading()
      })
  }

  #endReading(): void {
    this.#isRefreshing = false
    if (this.#due.length > 0) this.refresh(NO_KINDS)
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

  /** Reads once what legacy clients are shown, where that is something of its own. Never rejects. */
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
    // A session that could not be had may be there for the next client.
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

  /** A session that its server forgot was made anew: what it offers may be something else. */
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

  /** Started again, since it may have died of a question that it does not know: what it wrote before, it writes again. */
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

  /** What went wrong in a list may be in the server's own words; the lists themselves are what it offers. */
  #redactOffering(listed: Offering): Offering {
    if (listed.problems.length === 0) return listed
    return { ...listed, problems: listed.problems.map((problem) => redactProblem(problem, this.redact)) }
  }

  #toFailure(error: unknown): SessionFailure {
    const limitMs = this.#limit?.limitMs ?? 0
    const isLate = error instanceof SessionError && error.failure.kind === 'timeout' && limitMs > 0
    // Whichever step was waited for: it is the whole limit that is over.
    if (this.#isTimedOut || (isLate && this.#timer.current === 'list'))
      return { kind: 'timeout', afterMs: limitMs }
    if (error instanceof ConnectError || error instanceof SessionError) return error.failure
    return { kind: 'bad-answer', message: error instanceof Error ? error.message : String(error) }
  }
}

/** Which lists are other ones when a server says so. */
const CHANGES: ReadonlyMap<string, readonly ListKind[]> = new Map<string, readonly ListKind[]>([
  ['notifications/tools/list_changed', ['tool']],
  ['notifications/resources/list_changed', ['resource', 'resource-template']],
  ['notifications/prompts/list_changed', ['prompt']],
])

/** The lists of one client, or of all of an era. */
interface ListReading {
  /** They changed since they were last asked for. */
  isDue: boolean
  isUnderWay: boolean
  readonly spacing: Spacing
}

function newReading(): ListReading {
  return { isDue: false, isUnderWay: false, spacing: new Spacing() }
}

/** As that client sees it. */
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

/** Of what the launch holds, and of tokens that change while the session lives. */
function createRedaction(launch: LaunchSpec): (text: string) => string {
  const redact = createRedactor(launch.secrets)
  const authorization = authorizationOf(launch)
  return authorization === undefined ? redact : (text) => authorization.redact(redact(text))
}

/** Work that cannot be stopped is left to itself. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new SessionError({ kind: 'aborted', wasSent: false }))
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** Those that take a processor of this machine, rather than a connection. */
function isLocal({ transport }: LaunchSpec): boolean {
  return transport.kind === 'stdio' || transport.kind === 'in-process'
}
