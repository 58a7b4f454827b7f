/**
 * board: every server the user has configured, connected. What hosts are built on.
 *
 * in     a world and what the host asked for
 * out    a board: tools at once, sessions when they are there, one snapshot for all to see
 * never  rejects because of configuration; lets one server delay or break another; leaves a process behind
 */
// Hosts whose `lib` is older than `await using` can use the types all the same.
/// <reference lib="esnext.disposable" preserve="true" />
import { tell } from '../base/tell.ts'
import type { AdmittedServer, Catalog } from '../model/catalog.ts'
import type { CredentialSource } from '../model/launch.ts'
import type { Params, Result } from '../model/message.ts'
import { LIST_KINDS } from '../model/offering.ts'
import type { ToolResult } from '../model/outcome.ts'
import type { Permit } from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import type { ClientHandlers, RequestOptions } from '../model/session.ts'
import { NO_REPEATS } from '../pipeline/call/loop-guard.ts'
import type { ClientInfo } from '../pipeline/connect/client.ts'
import type { InProcessServers } from '../pipeline/connect/open-wire.ts'
import { capabilitiesOf } from '../pipeline/connect/questions.ts'
import { nameOf } from '../pipeline/name/name.ts'
import { createValueCache } from '../pipeline/resolve/value-cache.ts'
import { createSpill } from '../pipeline/translate/spill.ts'
import { ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import { ask, timeoutOf, untilLive } from './ask.ts'
import { callTool, type CallArguments, type CallDesk, type CallOptions } from './call-tool.ts'
import { openFork, type Fork, type ForkOptions } from './fork.ts'
import type { ToolName } from './reach-tool.ts'
import { passGate, type Wait } from './gate.ts'
import { CatalogLoader, type Load, type Reloaded } from './catalog-loader.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { openOfferingCache } from './offering-cache.ts'
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
import { createModelView } from './model-view.ts'
import { openPermissions, type OpenPermissions, type PermissionOptions } from './permissions.ts'
import { toPermit } from './permit-call.ts'
import { toReadiness, type Readiness } from './readiness.ts'
import { NOTHING, planReload, type ReloadSummary } from './reload.ts'
import type { Shared } from './shared.ts'
import { makeShowable } from './showable.ts'
import { createSlots } from './slots.ts'
import type { KnownServer } from './standing.ts'
import { Subscriptions, type ResourceChange } from './subscriptions.ts'
import { Supervisor, type ServerSnapshot } from './supervisor.ts'
import { createToolList, type BoardTool } from './tools.ts'

export interface BoardOptions extends PermissionOptions {
  /** Reads the files; asked again by every reload. */
  readonly load: Load
  /** Files that change are read again by themselves, within a second, and the difference is applied. Default: false. */
  readonly watch?: boolean | undefined
  /** What the host can answer when a server asks. */
  readonly handlers?: ClientHandlers | undefined
  readonly credentials?: CredentialSource | undefined
  /** Servers in this process, for entries of type `sdk`. */
  readonly inProcess?: InProcessServers | undefined
  readonly client?: ClientInfo | undefined
  /** The servers to connect; the others stay idle until they are asked for. Default: all. */
  readonly only?: readonly string[] | undefined
  /** How long opening takes. Default: `known`. */
  readonly wait?: Wait | undefined
  /** Opening takes no longer than this, whatever it waits for. */
  readonly deadlineMs?: number | undefined
  /** In place of the user's rules and answers: for tests, and for a board on top of another. */
  readonly permit?: Permit | undefined
  /** How often in a row a call may get the same answer to the same arguments; 0 is off. Default: 3. */
  readonly loopLimit?: number | undefined
  /** Estimated tokens of text in one result; what is longer is saved, and shown in part. 0: no limit. Default: 25,000. */
  readonly maxResultTokens?: number | undefined
  /** What the user types to change something: a command of the shell, or of the terminal. Default: `slash`. */
  readonly words?: Words | undefined
  /** `once` for a command that looks and leaves: it does not stay tuned to changes. Default: `long`. */
  readonly stay?: 'long' | 'once' | undefined
}

export interface Board extends AsyncDisposable {
  /** Servers by name, tools in the server's order. The list is the same value until something changes. */
  tools(): readonly BoardTool[]
  /**
   * Our own, through which a model gets at resources and prompts; none where no server can have any. The list is the
   * same value until it changes. `call` carries them out, as any tool.
   */
  builtinTools(): readonly BuiltinTool[]
  /** For the host's system prompt. Empty when there is no server, so that the prompt stays what it was. */
  systemPromptSection(): string
  /** What may be called, and by which rule; rejects only where the user's files cannot be written. */
  permissions(): Promise<OpenPermissions>
  /** As it is now. Lists in it that their server calls out of date are read again beside; a `change` tells. */
  snapshot(): BoardSnapshot
  /** One of `snapshot().servers`, at the price of one. */
  server(name: string): ServerSnapshot | undefined
  /** Whether what must be ready is. */
  readiness(): Readiness
  /** How the model sees something of a server called, a prompt say: as `tools()` has it for tools. */
  nameFor(server: string, name: string): string
  /**
   * One call of one tool. Resolves whatever happens, with what became of it; rejects with ToolAbortError when its signal
   * is aborted.
   */
  call(name: ToolName, args?: CallArguments, options?: CallOptions): Promise<ToolResult>
  /** For a sub-agent: the same connections, with fewer tools and stricter permissions. */
  fork(options?: ForkOptions): Fork
  /** Any method of any server, with no question asked; waits for its connection. Rejects with a ProblemError or a SessionError. */
  request(server: string, method: string, params?: Params, options?: RequestOptions): Promise<Result>
  /** What may be written for an argument. Waits for the server's connection, and rejects as a request does. */
  complete(ref: CompletionRef, argument: CompletionArgument, context?: CompletionContext): Promise<Completion>
  /**
   * From now on `resource` is told when it changes, through reconnects. The answer ends it. Waits for the server's
   * connection, and rejects as a request does, or with `connect/no-subscriptions`.
   */
  subscribe(server: string, uri: string, options?: { readonly signal?: AbortSignal }): Promise<() => void>
  /** Resolves when it is ready. Rejects with a ProblemError. */
  connect(server: string, options?: { readonly signal?: AbortSignal }): Promise<void>
  waitFor(server: string, options?: { readonly signal?: AbortSignal }): Promise<void>
  /** Ends its session; it stays idle until it is asked for. */
  disconnect(server: string): Promise<void>
  /** A new session in place of the one there is, whatever failed before. */
  restart(server: string): Promise<void>
  /** Reads every file again and applies the difference. */
  reload(): Promise<ReloadSummary>
  /** The answer takes the listener away. */
  on(event: 'change', listener: (change: BoardChange) => void): () => void
  on(event: 'notification', listener: (notification: BoardNotification) => void): () => void
  on(event: 'resource', listener: (change: ResourceChange) => void): () => void
  /** Files changed and were read again, by itself (`watch`). */
  on(event: 'reload', listener: (reload: BoardReload) => void): () => void
  /** Never rejects: one transport that fails to close keeps no other open. */
  close(): Promise<void>
}

export interface BoardSnapshot {
  readonly servers: readonly ServerSnapshot[]
  /** Of files and of the board itself; those of a server are with it. */
  readonly problems: readonly Problem[]
  readonly catalog: Catalog
}

/** All that happened in one turn: a host drops what it made of the old state once. */
export interface BoardChange {
  /** Those that are not as they were, in any respect. */
  readonly servers: readonly string[]
  /** Whether the list of tools, or of our own ones, is another one than before. */
  readonly tools: boolean
  /** Whether `systemPromptSection()` is another one than before. */
  readonly section: boolean
}

export interface BoardReload {
  /** What was other than before. */
  readonly files: readonly string[]
  /** What came of it for the servers. */
  readonly summary: ReloadSummary
}

export interface BoardNotification {
  readonly server: string
  readonly method: string
  readonly params: Params
}

/** How many may be starting at once: local ones for each processor, remote ones for all. */
const STARTING = { local: 4, remote: 20 }

const DEFAULTS = { loopLimit: 3, maxResultTokens: 25_000 }

const CLIENT: ClientInfo = { name: 'plugboard', version: '0' }

export async function openBoard(world: World, options: BoardOptions): Promise<Board> {
  const loader = new CatalogLoader(world, options.load, { isWatched: options.watch === true })
  const board = await loader.load((loaded) => new LiveBoard({ world, loader, loaded }, options))
  await board.start()
  return board
}

class LiveBoard implements Board {
  readonly #world: World
  readonly #options: BoardOptions
  readonly #loader: CatalogLoader
  readonly #shared: Shared
  readonly #openedAt: number
  #loaded: LoadedCatalog
  readonly #supervisors = new Map<string, Supervisor>()
  /** Out of use, with calls that still wait for their answer. */
  readonly #retiring = new Set<Supervisor>()
  readonly #listeners = {
    change: new Set<(change: BoardChange) => void>(),
    notification: new Set<(notification: BoardNotification) => void>(),
    resource: new Set<(change: ResourceChange) => void>(),
    reload: new Set<(reload: BoardReload) => void>(),
  }
  readonly #toolList = createToolList(() => this.#loaded.toolNames)
  readonly #modelView = createModelView()
  readonly #subscriptions: Subscriptions
  readonly #desk: CallDesk
  #permissions: Promise<OpenPermissions> | undefined
  #isClosed = false
  /** Servers that changed in this turn. */
  readonly #changed = new Set<string>()

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
      onNotification: (server, method, params) => {
        for (const listener of this.#listeners.notification) tell(() => listener({ server, method, params }))
        this.#subscriptions.hear(server, method, params)
      },
    })
    this.#subscriptions = new Subscriptions({
      clock: world.clock,
      find: (server) => this.#supervisors.get(server),
      onChange: (server) => this.#note(server),
      onResource: (change) => {
        for (const listener of this.#listeners.resource) tell(() => listener(change))
      },
    })
    this.#desk = this.#openDesk()
  }

  async start(): Promise<void> {
    for (const server of this.#loaded.catalog.servers) this.#add(server)
    if (this.#options.watch === true) await this.#loader.watch((reloaded) => this.#applyChange(reloaded))
    const { wait = 'known', deadlineMs } = this.#options
    const gate = { board: this, supervisors: this.#inOrder(), clock: this.#world.clock }
    await passGate(gate, { wait, deadlineMs })
  }

  tools(): readonly BoardTool[] {
    for (const one of this.#supervisors.values()) one.keepFresh(['tool'])
    return this.#toolList.of(this.#inOrder())
  }

  builtinTools(): readonly BuiltinTool[] {
    return this.#modelView.builtins(this.#known())
  }

  systemPromptSection(): string {
    return this.#modelView.section(this.#known())
  }

  snapshot(): BoardSnapshot {
    for (const one of this.#supervisors.values()) one.keepFresh(LIST_KINDS)
    const { catalog } = this.#loaded
    const stale = new Set(catalog.places.filter(({ isStale }) => isStale === true).map(({ file }) => file))
    return {
      servers: this.#inOrder().map((one) => {
        const snapshot = one.snapshot()
        return stale.has(snapshot.origin.file) ? { ...snapshot, isStale: true as const } : snapshot
      }),
      problems: [...catalog.problems, ...this.#shared.cache.problems(), ...this.#subscriptions.problems()],
      catalog: makeShowable(catalog),
    }
  }

  readiness(): Readiness {
    return toReadiness(this.#inOrder(), this.#world.clock.now() - this.#openedAt)
  }

  server(name: string): ServerSnapshot | undefined {
    return this.#supervisors.get(name)?.snapshot()
  }

  nameFor(server: string, name: string): string {
    return nameOf(server, name, this.#loaded.toolNames)
  }

  request(server: string, method: string, params?: Params, options?: RequestOptions): Promise<Result> {
    const one = this.#supervisors.get(server)
    if (one !== undefined) return ask(one, { method, params, options }, this.#world.clock)
    return Promise.reject(new ProblemError(this.#whyNot(server)))
  }

  call(name: ToolName, args?: CallArguments, options: CallOptions = {}): Promise<ToolResult> {
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

  async subscribe(
    server: string,
    uri: string,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<() => void> {
    return this.#subscriptions.add(this.#require(server), uri, signal)
  }

  fork(options?: ForkOptions): Fork {
    const from = { tools: () => this.tools(), permissions: () => this.permissions(), desk: this.#desk }
    return openFork({ ...from, permit: this.#options.permit }, options)
  }

  async connect(server: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    await this.#require(server).reach(signal)
  }

  waitFor(server: string, options?: { readonly signal?: AbortSignal }): Promise<void> {
    return this.connect(server, options)
  }

  async disconnect(server: string): Promise<void> {
    const one = this.#require(server)
    await one.close()
    // A reload may have replaced or removed it meanwhile.
    if (this.#supervisors.get(server) !== one) return
    this.#supervisors.set(server, new Supervisor(one.server, this.#shared))
    this.#note(server)
  }

  async restart(server: string): Promise<void> {
    const one = this.#require(server)
    one.restart()
    await one.reach()
  }

  reload(): Promise<ReloadSummary> {
    return this.#loader.load(async (loaded) => {
      if (this.#isClosed) return NOTHING
      const plan = planReload([...this.#supervisors.values()], loaded.catalog)
      await this.#apply(loaded, plan)
      return plan
    })
  }

  on(event: 'change' | 'notification' | 'resource' | 'reload', listener: never): () => void {
    this.#listeners[event].add(listener)
    return () => void this.#listeners[event].delete(listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#loader.close()
    const all = [...this.#supervisors.values(), ...this.#retiring]
    await Promise.allSettled(all.map((one) => one.close()))
    await this.#shared.cache.flush()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Opened when they are first asked for: most commands call nothing. */
  permissions(): Promise<OpenPermissions> {
    this.#permissions ??= openPermissions(this.#world, this.#loaded, this.#options)
    return this.#permissions
  }

  #openDesk(): CallDesk {
    const { permit = toPermit(() => this.permissions()), loopLimit, maxResultTokens } = this.#options
    return {
      servers: {
        clock: this.#world.clock,
        all: () => this.#supervisors.values(),
        find: (name) => this.#supervisors.get(name),
        style: () => this.#loaded.toolNames,
        whyNot: (name) => this.#whyNot(name),
      },
      permit,
      builtins: {
        host: this,
        platform: this.#world.platform,
        permissions: async () => (await this.permissions()).current(),
      },
      guard: { limit: loopLimit ?? DEFAULTS.loopLimit, repeats: NO_REPEATS },
      spill: createSpill(this.#world, this.#shared.dirs.cache),
      maxTokens: maxResultTokens ?? DEFAULTS.maxResultTokens,
    }
  }

  /**
   * Servers that are down are left to their own pace: files that agents write all the time, such as `~/.claude.json`, would
   * have them tried again and again.
   */
  async #applyChange({ loaded, files }: Reloaded): Promise<void> {
    const plan = planReload([...this.#supervisors.values()], loaded.catalog)
    const summary = { ...plan, reconnected: [] }
    await this.#apply(loaded, summary)
    for (const listener of this.#listeners.reload) tell(() => listener({ files, summary }))
  }

  async #apply(loaded: LoadedCatalog, plan: ReloadSummary): Promise<void> {
    for (const name of plan.removed) this.#retire(name)
    const fresh = new Set([...plan.added, ...plan.changed])
    for (const server of loaded.catalog.servers) if (fresh.has(server.name)) this.#replace(server)
    for (const name of plan.reconnected) this.#supervisors.get(name)!.restart()
    for (const name of [...plan.removed, ...fresh]) this.#note(name)
    // Other names are other tools, although no server changed.
    const isRenamed = loaded.toolNames !== this.#loaded.toolNames
    if (isRenamed && this.#changed.size === 0) queueMicrotask(() => this.#tellChanges())
    this.#loaded = loaded
    ;(await this.#permissions)?.update(loaded)
  }

  #inOrder(): readonly Supervisor[] {
    return [...this.#supervisors.values()].sort((a, b) => (a.server.name < b.server.name ? -1 : 1))
  }

  #known(): readonly KnownServer[] {
    return this.#inOrder().map(({ server: { name }, connection, offering }) => ({
      name,
      connection,
      offering,
    }))
  }

  #add(server: AdmittedServer): Supervisor {
    const { only } = this.#options
    const one = new Supervisor(server, this.#shared)
    this.#supervisors.set(server.name, one)
    if (only === undefined || only.includes(server.name)) one.want()
    return one
  }

  /** In place of the one of this name, if there is one. */
  #replace(server: AdmittedServer): void {
    const before = this.#supervisors.get(server.name)
    const one = this.#add(server)
    if (before === undefined) return
    before.handOver(one)
    this.#finish(before)
  }

  #retire(name: string): void {
    const one = this.#supervisors.get(name)!
    this.#supervisors.delete(name)
    this.#finish(one)
  }

  #finish(one: Supervisor): void {
    this.#retiring.add(one)
    void one.retire().finally(() => this.#retiring.delete(one))
  }

  #require(name: string): Supervisor {
    const one = this.#supervisors.get(name)
    if (one === undefined) throw new ProblemError(this.#whyNot(name))
    return one
  }

  #whyNot(name: string): Problem {
    const entry = this.#loaded.catalog.entries.find(({ entry: { found } }) => found.name === name)
    if (entry === undefined) return unknownServer(name, [...this.#supervisors.keys()])
    return notConnectable(entry, this.#options.words)
  }

  #note(server: string): void {
    if (this.#changed.size === 0) queueMicrotask(() => this.#tellChanges())
    this.#changed.add(server)
  }

  #tellChanges(): void {
    const servers = [...this.#changed]
    this.#changed.clear()
    this.#subscriptions.renew()
    const { section, builtins } = this.#modelView.update(this.#known())
    const tools = this.#toolList.update(this.#inOrder()) || builtins
    for (const listener of this.#listeners.change) tell(() => listener({ servers, tools, section }))
  }
}

function share(
  world: World,
  { dirs, project }: LoadedCatalog,
  options: BoardOptions & Pick<Shared, 'onChange' | 'onNotification'>,
): Shared {
  const { handlers = {}, inProcess = {}, client = CLIENT, credentials, stay = 'long' } = options
  return {
    world,
    dirs,
    client,
    handlers,
    inProcess,
    cache: openOfferingCache(world, dirs),
    slots: {
      local: createSlots(STARTING.local * world.processors, world.clock),
      remote: createSlots(STARTING.remote, world.clock),
    },
    capabilities: capabilitiesOf(handlers),
    listens: stay === 'long' ? 'always' : 'never',
    retries: stay === 'long' || options.deadlineMs !== undefined ? 'always' : 'never',
    resolving: {
      world,
      project,
      cache: createValueCache(),
      ...(credentials === undefined ? {} : { credentials }),
    },
    onChange: options.onChange,
    onNotification: options.onNotification,
  }
}
