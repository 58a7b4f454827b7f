/**
 * board: every server that the user has configured, connected. Hosts build on this module.
 *
 * in     a world and the host's options
 * out    a board: tools at once, sessions when they are ready, one snapshot for all readers
 * never  rejects because of configuration; lets one server delay or break another; leaves a process behind
 */
// Hosts whose `lib` is older than `await using` can use the types, too.
/// <reference lib="esnext.disposable" preserve="true" />
import type { Catalog } from '../model/catalog.ts'
import type { CredentialSource } from '../model/launch.ts'
import type { Params, Result } from '../model/message.ts'
import { LIST_KINDS } from '../model/offering.ts'
import type { ToolResult } from '../model/outcome.ts'
import type { Permit } from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import type { ClientHandlers, RequestClient, RequestOptions } from '../model/session.ts'
import { NO_REPEATS } from '../pipeline/call/loop-guard.ts'
import type { ClientInfo } from '../pipeline/connect/client.ts'
import type { InProcessServers } from '../pipeline/connect/open-wire.ts'
import { nameOf } from '../pipeline/name/name.ts'
import { createSpill } from '../pipeline/translate/spill.ts'
import { ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import { ask, timeoutOf, untilLive } from './ask.ts'
import { callTool, type CallArguments, type CallContext, type CallOptions } from './call-tool.ts'
import { openFork, type Fork, type ForkOptions } from './fork.ts'
import type { ToolName } from './reach-tool.ts'
import { passGate, type Wait } from './gate.ts'
import type { Connector } from './connector.ts'
import { CatalogLoader, type Load, type Reloaded } from './catalog-loader.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { Listeners, type BoardChange, type BoardEvents } from './board-events.ts'
import { notConnectable, unknownServer, type Words } from './board-problems.ts'
import type { BuiltinTool } from './builtin-tools.ts'
import {
  complete,
  toCompletionParams,
  type Completion,
  type CompletionArgument,
  type CompletionContext,
  type CompletionRef,
} from './complete.ts'
import type { LoginOptions, SignedIn } from './login-host.ts'
import { createModelView } from './model-view.ts'
import { openPermissions, type OpenPermissions, type PermissionOptions } from './permissions.ts'
import { toPermit } from './permit-call.ts'
import { toReadiness, type Readiness } from './readiness.ts'
import { NOTHING, planReload, type ReloadSummary } from './reload.ts'
import { Roster } from './roster.ts'
import { share, type Shared } from './shared.ts'
import { makeShowable } from './showable.ts'
import { SignInWatch } from './sign-in-watch.ts'
import { Subscriptions, type SubscribeOptions } from './subscriptions.ts'
import type { ServerSnapshot, Supervisor } from './supervisor.ts'
import { createApprovedTools, type ApprovedTools } from './approved-tools.ts'
import { openPermissionStores, type PermissionStores } from './permission-stores.ts'
import { pinFile } from './pin-store.ts'
import { createFingerprints, type FingerprintOf } from './trust-fingerprint.ts'
import { createToolList, type BoardTool, type ToolList } from './tools.ts'
import { createSeen, type SeenBoard } from './seen-board.ts'

export interface BoardOptions extends PermissionOptions {
  /** Reads the files. Every reload calls it again. */
  readonly load: Load
  /** The board reads files that change again by itself, within a second, and applies the difference. Default: false. */
  readonly watch?: boolean | undefined
  /** The answers of the host to requests from servers. */
  readonly handlers?: ClientHandlers | undefined
  /** Replaces the user's own sign-ins. */
  readonly credentials?: CredentialSource | undefined
  /** Servers in this process, for entries of type `sdk`. */
  readonly inProcess?: InProcessServers | undefined
  readonly client?: ClientInfo | undefined
  /** The servers to connect. The others stay idle until a caller needs them. Default: all. */
  readonly only?: readonly string[] | undefined
  /** How long opening takes. Default: `known`. */
  readonly wait?: Wait | undefined
  /** Opening takes no longer than this, whatever it waits for. */
  readonly deadlineMs?: number | undefined
  /** A package runner started or finished installing this server. Also called while the board opens. */
  readonly onInstallation?: ((server: string, state: 'begun' | 'over') => void) | undefined
  /** Replaces the user's rules and answers: for tests, and for a board on top of another. */
  readonly permit?: Permit | undefined
  /** How often in a row a call may get the same answer to the same arguments. 0: no limit. Default: 3. */
  readonly loopLimit?: number | undefined
  /**
   * Estimated tokens of text in one result. A longer result is saved, and shown in part. 0: no limit. Default: 25,000.
   */
  readonly maxResultTokens?: number | undefined
  /** What the user types to change something: a command of the shell, or of the terminal. Default: `slash`. */
  readonly words?: Words | undefined
  /** Shares server processes with other boards. Default: no sharing. */
  readonly pool?: { readonly connect: Connector } | undefined
  /** `once` for a command that reads and exits: it does not follow changes. Default: `long`. */
  readonly stay?: 'long' | 'once' | undefined
}

export interface Board extends AsyncDisposable {
  /** Servers by name, tools in the server's order. The list is the same value until something changes. */
  tools(): readonly BoardTool[]
  /**
   * Our own tools, through which a model reads resources and prompts. Empty when no server can have any. The list is
   * the same value until it changes. `call` runs them like any tool.
   */
  builtinTools(): readonly BuiltinTool[]
  /** For the host's system prompt. Empty without servers, so that the prompt does not change. */
  systemPromptSection(): string
  /** What may be called, and by which rule. Rejects only when the user's files cannot be written. */
  permissions(): Promise<OpenPermissions>
  /**
   * The current state. Lists that their server calls out of date are read again in the background; `change` reports
   * them.
   */
  snapshot(): BoardSnapshot
  /** One of `snapshot().servers`, without the cost of the others. */
  server(name: string): ServerSnapshot | undefined
  /**
   * The board as one client sees it. It differs when a server that the client has to itself lists something else for
   * it, or for all clients of its era. Undefined: the client sees the same as the others. `client`: as for a request.
   * Tools are as in `approved()`.
   */
  seenBy(client: object): SeenBoard<BoardSnapshot> | undefined
  /**
   * A legacy client has connected: the board asks one server or all servers of both eras what they show to such
   * clients. Resolves when that is known of the servers that are connected or connecting. Never rejects.
   */
  meet(client: object, server?: string): Promise<void>
  /**
   * The same board for clients of a gateway. A tool that changed is shown as the user approved it, until the user
   * accepts the change. `tools()` does the same; `snapshot()` and `server()` have what servers list.
   */
  approved(): SeenBoard<BoardSnapshot>
  /** Whether the required servers are ready. */
  readiness(): Readiness
  /** The name under which the model sees something of a server, such as a prompt: as `tools()` has it for tools. */
  nameFor(server: string, name: string): string
  /**
   * One call of one tool. Resolves with the outcome, whatever it is. Rejects with ToolAbortError when its signal is
   * aborted.
   */
  call(name: ToolName, args?: CallArguments, options?: CallOptions): Promise<ToolResult>
  /** For a sub-agent: the same connections, with fewer tools and stricter permissions. */
  fork(options?: ForkOptions): Fork
  /**
   * Any method of any server, without a permission question. Waits for the connection. Rejects with a ProblemError or a
   * SessionError.
   */
  request(server: string, method: string, params?: Params, options?: RequestOptions): Promise<Result>
  /** Suggests values for an argument. Waits for the server's connection, and rejects as a request does. */
  complete(ref: CompletionRef, argument: CompletionArgument, context?: CompletionContext): Promise<Completion>
  /**
   * From now on `resource` reports changes of this resource, through reconnects. The returned function ends it. Waits
   * for the server's connection, and rejects as a request does, or with `connect/no-subscriptions`.
   */
  subscribe(server: string, uri: string, options?: SubscribeOptions): Promise<() => void>
  /**
   * `handlers.roots` answers something else now: servers that keep roots read them again. Default: all servers.
   * `client`: whose roots they are, for servers at which each client has a session of its own.
   */
  rootsChanged(server?: string, client?: RequestClient): void
  /** Resolves when the server is ready. Rejects with a ProblemError. */
  connect(server: string, options?: { readonly signal?: AbortSignal }): Promise<void>
  waitFor(server: string, options?: { readonly signal?: AbortSignal }): Promise<void>
  /**
   * Ends the server's session; the server stays idle until a caller needs it. Of this, `connect`, `waitFor`, `restart`
   * and requests, the later call counts: the board refuses callers that wait for the server, and later callers connect
   * it again.
   */
  disconnect(server: string): Promise<void>
  /** A new session in place of the current one, whatever failed before. */
  restart(server: string): Promise<void>
  /**
   * Signs the user in, in a browser unless `way` says otherwise, and connects again. Only this method opens a browser
   * or a port. Rejects with a ProblemError; when aborted, with the reason of its signal.
   */
  login(server: string, options?: LoginOptions): Promise<SignedIn>
  /** Reads every file again and applies the difference. */
  reload(): Promise<ReloadSummary>
  /**
   * With `watch`: changes of files before this call count when it resolves. Checks the files, and reads those that
   * changed.
   */
  catchUp(): Promise<void>
  /** Tries these servers, all by default, that are not connected, and waits for them as opening a board does. */
  gather(options?: GatherOptions): Promise<void>
  /** The returned function removes the listener. */
  on<Event extends keyof BoardEvents>(event: Event, listener: (told: BoardEvents[Event]) => void): () => void
  /** Never rejects: a transport that fails to close does not keep the others open. */
  close(): Promise<void>
}

export type GatherOptions = Pick<BoardOptions, 'only' | 'wait' | 'deadlineMs'>

export interface BoardSnapshot {
  readonly servers: readonly ServerSnapshot[]
  /** Of files and of the board itself. The problems of a server are with the server. */
  readonly problems: readonly Problem[]
  readonly catalog: Catalog
}

const NOTHING_SEEN = { tools: false, section: false }

/** One object for all calls. */
const NO_OPTIONS: CallOptions = {}

const DEFAULTS = { loopLimit: 3, maxResultTokens: 25_000 }

export async function openBoard(world: World, options: BoardOptions): Promise<Board> {
  const loader = new CatalogLoader(world, options.load, { isWatched: options.watch === true })
  const board = await loader.load((loaded) => new LiveBoard({ world, loader, loaded }, options))
  try {
    await board.start()
  } catch (error) {
    await board.close()
    throw error
  }
  return board
}

class LiveBoard implements Board {
  readonly #world: World
  readonly #options: BoardOptions
  readonly #loader: CatalogLoader
  readonly #shared: Shared
  readonly #openedAt: number
  #loaded: LoadedCatalog
  readonly #roster: Roster
  readonly #listeners = new Listeners()
  readonly #approved: ApprovedTools
  readonly #toolList: ToolList
  readonly #modelView = createModelView()
  readonly #subscriptions: Subscriptions
  readonly #desk: CallContext
  readonly #signIns: SignInWatch | undefined
  #fingerprintOf: FingerprintOf
  #stores: PermissionStores | undefined
  #permissions: Promise<OpenPermissions> | undefined
  #stopWatchingPins: (() => void) | undefined
  #shown: SeenBoard<BoardSnapshot> | undefined
  readonly #shownTo = new WeakMap<object, SeenBoard<BoardSnapshot>>()
  /** Stands for all legacy clients to which no server shows lists of their own. */
  readonly #anyLegacy: RequestClient = { era: 'legacy' }
  /**
   * Until then only the gate listens, so the board does not compare what the model sees for each server that connects.
   */
  #isOpen = false
  #isClosed = false
  /** The servers that changed in this turn. Undefined: there is nothing to report. */
  #changed: Set<string> | undefined

  constructor(
    from: { readonly world: World; readonly loader: CatalogLoader; readonly loaded: LoadedCatalog },
    options: BoardOptions,
  ) {
    const { world, loader, loaded } = from
    this.#world = world
    this.#options = options
    this.#loader = loader
    this.#loaded = loaded
    this.#openedAt = world.clock.now()
    this.#shared = share(world, loaded, {
      ...options,
      onChange: (server) => this.#note(server),
      onNotification: (told) => {
        this.#listeners.tell('notification', told)
        this.#subscriptions.hear(told)
      },
      find: (name) => this.#loaded.catalog.servers.find((one) => one.name === name),
    })
    this.#roster = new Roster(this.#shared, options.only)
    this.#fingerprintOf = createFingerprints(world, loaded)
    this.#approved = createApprovedTools({
      pins: () => this.#openStores().read().pins,
      fingerprintOf: (server) => this.#fingerprintOf(server),
    })
    this.#toolList = createToolList({
      style: () => this.#loaded.toolNames,
      approved: (server, listed) => this.#approved.tools(server, listed),
    })
    this.#subscriptions = new Subscriptions({
      clock: world.clock,
      find: (server) => this.#roster.find(server),
      onChange: (server) => this.#note(server),
      onResource: (change) => this.#listeners.tell('resource', change),
    })
    if (options.stay !== 'once') this.#signIns = new SignInWatch(world.clock, () => this.#roster.all())
    this.#desk = this.#openDesk()
  }

  async start(): Promise<void> {
    for (const server of this.#loaded.catalog.servers) this.#roster.add(server)
    if (this.#options.watch === true) await this.#watch()
    await this.#pass(this.#roster.inOrder(), this.#options)
    this.#modelView.begin(this.#roster.known())
    this.#toolList.update(this.#roster.inOrder())
    this.#isOpen = true
  }

  catchUp(): Promise<void> {
    return this.#loader.catchUp()
  }

  gather({ only, ...how }: GatherOptions = {}): Promise<void> {
    const asked = this.#roster
      .inOrder()
      .filter(({ server }) => only === undefined || only.includes(server.name))
    for (const one of asked) one.want()
    return this.#pass(asked, how)
  }

  tools(): readonly BoardTool[] {
    for (const one of this.#roster.all()) one.keepFresh(['tool'])
    return this.#toolList.of(this.#roster.inOrder())
  }

  builtinTools(): readonly BuiltinTool[] {
    return this.#modelView.builtins(this.#roster.known())
  }

  systemPromptSection(): string {
    return this.#modelView.section(this.#roster.known())
  }

  snapshot(): BoardSnapshot {
    for (const one of this.#roster.all()) one.keepFresh(LIST_KINDS)
    const { catalog } = this.#loaded
    const stale = new Set(catalog.places.filter(({ isStale }) => isStale === true).map(({ file }) => file))
    return {
      servers: this.#roster.inOrder().map((one) => {
        const snapshot = one.snapshot()
        return stale.has(snapshot.origin.file) ? { ...snapshot, isStale: true as const } : snapshot
      }),
      problems: [...catalog.problems, ...this.#shared.cache.problems(), ...this.#subscriptions.problems()],
      catalog: makeShowable(catalog),
    }
  }

  seenBy(client: object): SeenBoard<BoardSnapshot> | undefined {
    const shows = this.#roster.shows(client)
    if (shows === 'as-to-all') return undefined
    const whose = shows === 'own' ? client : this.#anyLegacy
    const shown = this.#shownTo.get(whose) ?? this.#show(whose)
    this.#shownTo.set(whose, shown)
    return shown
  }

  async meet(client: object, server?: string): Promise<void> {
    const met = this.#roster.inOrder().filter((one) => server === undefined || one.server.name === server)
    await Promise.all(met.map((one) => one.meet(client)))
  }

  approved(): SeenBoard<BoardSnapshot> {
    return (this.#shown ??= this.#show())
  }

  #show(client?: object): SeenBoard<BoardSnapshot> {
    const seeing = {
      board: this,
      approved: this.#approved,
      servers: () => this.#roster.inOrder(),
      find: (name: string) => this.#roster.find(name),
      style: () => this.#loaded.toolNames,
    }
    return createSeen(seeing, client)
  }

  readiness(): Readiness {
    return toReadiness(this.#roster.inOrder(), this.#world.clock.now() - this.#openedAt)
  }

  server(name: string): ServerSnapshot | undefined {
    return this.#roster.find(name)?.snapshot()
  }

  nameFor(server: string, name: string): string {
    return nameOf(server, name, this.#loaded.toolNames)
  }

  request(server: string, method: string, params?: Params, options?: RequestOptions): Promise<Result> {
    const one = this.#roster.find(server)
    if (one !== undefined) return ask(one, { method, params, options }, this.#world.clock)
    return Promise.reject(new ProblemError(this.#whyNot(server)))
  }

  rootsChanged(server?: string, client?: RequestClient): void {
    const named = server === undefined ? this.#roster.inOrder() : [this.#roster.find(server)]
    for (const session of named.map((one) => one?.liveSession)) {
      // In the era of stateless requests, a server asks for roots with each request.
      if (session?.hello.era === 'legacy')
        session.notify('notifications/roots/list_changed', undefined, client)
    }
  }

  call(name: ToolName, args?: CallArguments, options: CallOptions = NO_OPTIONS): Promise<ToolResult> {
    return callTool(this.#desk, { name, args, options })
  }

  async complete(
    ref: CompletionRef,
    argument: CompletionArgument,
    context: CompletionContext = {},
  ): Promise<Completion> {
    const { session, by } = await untilLive(this.#require(ref.server), context, this.#world.clock)
    const { timeoutMs = timeoutOf(by), signal } = context
    return complete(session, toCompletionParams(ref, argument, context), { timeoutMs, signal })
  }

  async subscribe(server: string, uri: string, options: SubscribeOptions = {}): Promise<() => void> {
    return this.#subscriptions.add(this.#require(server), uri, options)
  }

  fork(options?: ForkOptions): Fork {
    return openFork(
      {
        tools: () => this.tools(),
        builtinTools: () => this.builtinTools(),
        permissions: () => this.permissions(),
        onChange: (listener) => this.on('change', listener),
        desk: this.#desk,
        permit: this.#options.permit,
      },
      options,
    )
  }

  async connect(server: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    await this.#require(server).reach(signal)
  }

  waitFor(server: string, options?: { readonly signal?: AbortSignal }): Promise<void> {
    return this.connect(server, options)
  }

  async disconnect(server: string): Promise<void> {
    const ending = this.#roster.rest(this.#require(server))
    this.#note(server)
    await ending
  }

  async login(server: string, options: LoginOptions = {}): Promise<SignedIn> {
    this.#require(server)
    const { loginByName, toSignedIn } = await import('./login-by-name.ts')
    const { onStep = () => undefined, onTyped, way = 'browser', ...rest } = options
    const host = { onStep, ...(onTyped === undefined ? {} : { onTyped }) }
    const request = { ...rest, way, name: server }
    const outcome = await loginByName(this.#world, this.#loaded, { request, host })
    await this.restart(server)
    return toSignedIn(outcome)
  }

  async restart(server: string): Promise<void> {
    const one = this.#require(server)
    one.restart()
    await one.reach()
  }

  reload(): Promise<ReloadSummary> {
    return this.#loader.load(async (loaded) => {
      if (this.#isClosed) return NOTHING
      const plan = planReload([...this.#roster.all()], loaded.catalog)
      await this.#apply(loaded, plan)
      return plan
    })
  }

  on<Event extends keyof BoardEvents>(
    event: Event,
    listener: (told: BoardEvents[Event]) => void,
  ): () => void {
    return this.#listeners.on(event, listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#signIns?.close()
    this.#stopWatchingPins?.()
    this.#loader.close()
    // In parallel: servers take a moment to end, and the disk takes one to write.
    await Promise.all([this.#roster.close(), this.#shared.cache.flush()])
    // For what the board learned of a server while it ended.
    await this.#shared.cache.flush()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Opened at the first use: most commands call nothing. */
  permissions(): Promise<OpenPermissions> {
    this.#permissions ??= openPermissions(this.#world, this.#loaded, {
      ...this.#options,
      stores: this.#openStores(),
    })
    return this.#permissions
  }

  #openStores(): PermissionStores {
    return (this.#stores ??= openPermissionStores(this.#world, this.#loaded.dirs, () => this.#noteSome([])))
  }

  /** Watches the files of servers, and what the user accepts in another process. */
  async #watch(): Promise<void> {
    await this.#loader.watch((reloaded) => this.#applyChange(reloaded))
    const { file } = pinFile(this.#world, this.#loaded.dirs)
    const paths = { files: [file], folders: [] }
    this.#stopWatchingPins = await this.#world.files.watch(paths, () => this.#openStores().refresh())
    if (this.#isClosed) this.#stopWatchingPins()
  }

  #pass(
    supervisors: readonly Supervisor[],
    { wait = 'known', deadlineMs }: Pick<BoardOptions, 'wait' | 'deadlineMs'>,
  ): Promise<void> {
    return passGate({ board: this, supervisors, clock: this.#world.clock }, { wait, deadlineMs })
  }

  #openDesk(): CallContext {
    const { permit, loopLimit, maxResultTokens } = this.#options
    return {
      servers: {
        clock: this.#world.clock,
        all: () => this.#roster.all(),
        find: (name) => this.#roster.find(name),
        style: () => this.#loaded.toolNames,
        declared: () => this.#loaded.catalog.entries.map(({ entry }) => entry.found.name),
        whyNot: (name) => this.#whyNot(name),
      },
      permit: permit ?? toPermit(() => this.permissions()),
      builtins: {
        host: this,
        platform: this.#world.platform,
        permissions: async () => (await this.permissions()).current(),
        permit,
      },
      guard: { limit: loopLimit ?? DEFAULTS.loopLimit, repeats: NO_REPEATS },
      spill: createSpill(this.#world, this.#shared.dirs.cache),
      maxTokens: maxResultTokens ?? DEFAULTS.maxResultTokens,
    }
  }

  /**
   * Servers that are down keep their own pace. Agents write files such as `~/.claude.json` all the time, and each
   * change would retry those servers again.
   */
  async #applyChange({ loaded, files }: Reloaded): Promise<void> {
    const plan = planReload([...this.#roster.all()], loaded.catalog)
    const summary = { ...plan, reconnected: [] }
    await this.#apply(loaded, summary)
    this.#listeners.tell('reload', { files, summary })
  }

  async #apply(loaded: LoadedCatalog, plan: ReloadSummary): Promise<void> {
    for (const name of plan.removed) this.#roster.retire(name)
    const fresh = new Set([...plan.added, ...plan.changed])
    for (const server of loaded.catalog.servers) if (fresh.has(server.name)) this.#roster.replace(server)
    for (const name of plan.reconnected) this.#roster.find(name)!.restart()
    for (const name of [...plan.removed, ...fresh]) this.#note(name)
    // With other names the tools are other tools, although no server changed.
    if (loaded.toolNames !== this.#loaded.toolNames) this.#noteSome([])
    this.#loaded = loaded
    this.#fingerprintOf = createFingerprints(this.#world, loaded)
    ;(await this.#permissions)?.update(loaded)
  }

  #require(name: string): Supervisor {
    const one = this.#roster.find(name)
    if (one === undefined) throw new ProblemError(this.#whyNot(name))
    return one
  }

  #whyNot(name: string): Problem {
    const entry = this.#loaded.catalog.entries.find(({ entry: { found } }) => found.name === name)
    if (entry === undefined) return unknownServer(name, this.#roster.names())
    return notConnectable(entry, this.#options.words)
  }

  #note(server: string): void {
    this.#noteSome([server])
  }

  /** Without a server: the tools may have changed all the same. */
  #noteSome(servers: readonly string[]): void {
    if (this.#changed === undefined) queueMicrotask(() => this.#tellChanges())
    this.#changed ??= new Set()
    for (const server of servers) this.#changed.add(server)
  }

  #tellChanges(): void {
    const servers = [...(this.#changed ?? [])]
    this.#changed = undefined
    this.#subscriptions.renew()
    if (!this.#isClosed) this.#signIns?.update()
    const seen = this.#isOpen ? this.#compare() : NOTHING_SEEN
    if (servers.length > 0 || seen.tools || seen.section) this.#listeners.tell('change', { servers, ...seen })
  }

  /**
   * A command that reads and exits keeps no prompt that could be out of date, so nothing is named or formatted for it.
   */
  #compare(): Omit<BoardChange, 'servers'> {
    if (this.#options.stay === 'once') return { tools: true, section: true }
    const { section, builtins } = this.#modelView.update(this.#roster.known())
    const tools = this.#toolList.update(this.#roster.inOrder()) || builtins
    return { tools, section }
  }
}
