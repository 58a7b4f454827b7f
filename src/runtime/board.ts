/**
 * board: every server the user has configured, connected. What hosts are built on.
 *
 * in     a world and what the host asked for
 * out    a board: tools at once, sessions when they are there, one snapshot for all to see
 * never  rejects because of configuration; lets one server delay or break another; leaves a process behind
 */
import type { AdmittedServer, Catalog } from '../model/catalog.ts'
import type { CredentialSource } from '../model/launch.ts'
import type { Params, Result } from '../model/message.ts'
import type { ListedTool } from '../model/offering.ts'
import type { Problem } from '../model/problem.ts'
import type { ClientHandlers, RequestOptions, Session } from '../model/session.ts'
import type { ClientInfo } from '../pipeline/connect/client.ts'
import type { InProcessServers } from '../pipeline/connect/open-wire.ts'
import { capabilitiesOf } from '../pipeline/connect/questions.ts'
import { toParamHeaders } from '../pipeline/list/param-headers.ts'
import { fingerprintOf } from '../pipeline/resolve/fingerprint.ts'
import { createValueCache } from '../pipeline/resolve/value-cache.ts'
import { ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import { passGate, type Wait } from './gate.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { openOfferingCache } from './offering-cache.ts'
import { notConnectable, notReady, unknownServer } from './board-problems.ts'
import { toReadiness, type Readiness } from './readiness.ts'
import type { Shared } from './shared.ts'
import { createSlots } from './slots.ts'
import { createSupervisor, type ServerSnapshot, type Supervisor } from './supervisor.ts'
import { createToolList, type BoardTool } from './tools.ts'

export interface BoardOptions {
  /** Reads the files; asked again by every reload. */
  readonly load: () => Promise<LoadedCatalog>
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
  /** `once` for a command that looks and leaves: it does not stay tuned to changes. Default: `long`. */
  readonly stay?: 'long' | 'once' | undefined
}

export interface Board extends AsyncDisposable {
  /** Servers by name, tools in the server's order. The list is the same value until something changes. */
  tools(): readonly BoardTool[]
  snapshot(): BoardSnapshot
  /** Whether what must be ready is. */
  readiness(): Readiness
  /** Any method of any server; waits for its connection. Rejects with a ProblemError or a SessionError. */
  request(server: string, method: string, params?: Params, options?: RequestOptions): Promise<Result>
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
  /** Never rejects: one transport that fails to close keeps no other open. */
  close(): Promise<void>
}

export interface BoardSnapshot {
  readonly servers: readonly ServerSnapshot[]
  /** Of files and of the board itself; those of a server are with it. */
  readonly problems: readonly Problem[]
  readonly catalog: Catalog
}

export interface BoardChange {
  readonly server: string
  /** Whether the list of tools is another one than before. */
  readonly tools: boolean
}

export interface BoardNotification {
  readonly server: string
  readonly method: string
  readonly params: Params
}

export interface ReloadSummary {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
  /** Unchanged, and tried again because they were not connected. */
  readonly reconnected: readonly string[]
}

/** How many may be starting at once. */
const STARTING = { local: 4, remote: 20 }

const CLIENT: ClientInfo = { name: 'plugboard', version: '0' }

export async function openBoard(world: World, options: BoardOptions): Promise<Board> {
  const openedAt = world.clock.now()
  const { load, only, wait = 'known', deadlineMs } = options
  let loaded = await load()
  const listeners = {
    change: new Set<(change: BoardChange) => void>(),
    notification: new Set<(n: BoardNotification) => void>(),
  }
  const supervisors = new Map<string, Supervisor>()
  /** Out of use, with calls that still wait for their answer. */
  const retiring = new Set<Supervisor>()
  const shared = share(world, loaded, { ...options, onChange, onNotification })
  const { cache } = shared

  const toolList = createToolList()
  let tools: readonly BoardTool[] = []
  /** Servers that changed in this turn: hosts are told once, however much happens at the same moment. */
  const changed = new Set<string>()
  function onChange(server: string): void {
    if (changed.size === 0) queueMicrotask(tellChanges)
    changed.add(server)
  }
  function tellChanges(): void {
    const names = [...changed]
    changed.clear()
    const before = tools
    tools = toolList.of(inOrder().map((one) => one.snapshot()))
    for (const server of names)
      for (const listener of listeners.change) listener({ server, tools: tools !== before })
  }
  function onNotification(server: string, method: string, params: Params): void {
    for (const listener of listeners.notification) listener({ server, method, params })
  }
  const inOrder = (): readonly Supervisor[] =>
    [...supervisors.values()].sort((a, b) => (a.server.name < b.server.name ? -1 : 1))

  const add = (server: AdmittedServer): Supervisor => {
    const one = createSupervisor(server, shared)
    supervisors.set(server.name, one)
    if (only === undefined || only.includes(server.name)) one.want()
    return one
  }
  const retire = (one: Supervisor): void => {
    retiring.add(one)
    void one.retire().finally(() => retiring.delete(one))
  }
  const require = (name: string): Supervisor => {
    const one = supervisors.get(name)
    if (one !== undefined) return one
    const entry = loaded.catalog.entries.find(({ entry: { found } }) => found.name === name)
    throw new ProblemError(
      entry === undefined ? unknownServer(name, [...supervisors.keys()]) : notConnectable(entry),
    )
  }

  const board: Board = {
    tools() {
      if (changed.size > 0) tellChanges()
      return tools
    },
    snapshot: () => ({
      servers: inOrder().map((one) => one.snapshot()),
      problems: [...loaded.catalog.problems, ...cache.problems()],
      catalog: loaded.catalog,
    }),
    readiness: () => toReadiness(inOrder(), world.clock.now() - openedAt),
    request(name, method, params, request) {
      const one = supervisors.get(name)
      const session = one?.live()
      if (session !== undefined) return ask(one!, session, { method, params, request })
      return askLater(name, { method, params, request })
    },
    async connect(name, { signal } = {}) {
      await require(name).session(signal)
    },
    async waitFor(name, { signal } = {}) {
      await require(name).session(signal)
    },
    async disconnect(name) {
      const one = require(name)
      await one.close()
      // A reload may have replaced or removed it meanwhile.
      if (supervisors.get(name) !== one) return
      supervisors.set(name, createSupervisor(one.server, shared))
      onChange(name)
    },
    async restart(name) {
      const one = require(name)
      one.restart()
      await one.session()
    },
    async reload() {
      const next = await load()
      const summary = await apply(next)
      loaded = next
      return summary
    },
    on(event: 'change' | 'notification', listener: never) {
      listeners[event].add(listener)
      return () => void listeners[event].delete(listener)
    },
    async close() {
      await Promise.allSettled([...supervisors.values(), ...retiring].map((one) => one.close()))
      await cache.flush()
    },
    [Symbol.asyncDispose]: () => board.close(),
  }

  interface Asked {
    readonly method: string
    readonly params: Params | undefined
    readonly request: RequestOptions | undefined
  }

  async function askLater(name: string, asked: Asked): Promise<Result> {
    const one = require(name)
    const { timeoutMs = timeoutOf(one), signal } = asked.request ?? {}
    return ask(one, await inTime(one.session(signal), name, timeoutMs), asked)
  }

  /** A call waits for its server no longer than it would for the answer. */
  function inTime<T>(work: Promise<T>, name: string, timeoutMs: number): Promise<T> {
    if (timeoutMs === 0) return work
    return new Promise((resolve, reject) => {
      const cancel = world.clock.after(timeoutMs, () => reject(new ProblemError(notReady(name, timeoutMs))))
      work.then(resolve, reject).finally(cancel)
    })
  }

  /** Compares by fingerprint: what did not change keeps its connection. */
  async function apply(next: LoadedCatalog): Promise<ReloadSummary> {
    const summary = {
      added: [] as string[],
      removed: [] as string[],
      changed: [] as string[],
      reconnected: [] as string[],
    }
    const wanted = new Map(next.catalog.servers.map((server) => [server.name, server]))
    for (const [name, one] of supervisors) {
      if (wanted.has(name)) continue
      supervisors.delete(name)
      summary.removed.push(name)
      retire(one)
      onChange(name)
    }
    for (const [name, server] of wanted) {
      const one = supervisors.get(name)
      if (one === undefined) summary.added.push(name)
      else if (!isSame(one.server, server)) {
        summary.changed.push(name)
        retire(one)
      } else {
        const { state } = one.snapshot().connection
        if (state !== 'ready' && state !== 'connecting' && state !== 'idle') {
          summary.reconnected.push(name)
          one.restart()
        }
        continue
      }
      add(server)
      onChange(name)
    }
    return summary
  }

  for (const server of loaded.catalog.servers) add(server)
  await passGate({ board, supervisors: inOrder(), clock: world.clock }, { wait, deadlineMs })
  return board
}

/** Whether the connection there is would be made in the same way, and treated alike. */
function isSame(a: AdmittedServer, b: AdmittedServer): boolean {
  const treatmentOf = ({ timeoutMs, includeTools, excludeTools, required }: AdmittedServer): string =>
    JSON.stringify([timeoutMs, includeTools, excludeTools, required])
  return fingerprintOf(a) === fingerprintOf(b) && treatmentOf(a) === treatmentOf(b)
}

function ask(
  one: Supervisor,
  session: Session,
  {
    method,
    params,
    request,
  }: { method: string; params: Params | undefined; request: RequestOptions | undefined },
): Promise<Result> {
  const timeoutMs = timeoutOf(one)
  const headers =
    session.wire === 'http' && method === 'tools/call' ? headersFor(one, session, params) : undefined
  return session.request(method, params, { timeoutMs, headers, ...request })
}

/** Without a word from the server. */
const DEFAULT_TIMEOUT_MS = 60_000

function timeoutOf({ server }: Supervisor): number {
  return server.timeoutMs ?? DEFAULT_TIMEOUT_MS
}

/** A modern server may ask that arguments of a tool be repeated in headers. */
function headersFor(
  one: Supervisor,
  { hello }: Session,
  params: Params | undefined,
): Readonly<Record<string, string>> | undefined {
  if (hello.era === 'legacy') return undefined
  const tool = one.snapshot().offering?.tools.find(({ name }: ListedTool) => name === params?.['name'])
  return tool === undefined ? undefined : toParamHeaders(tool, (params?.['arguments'] ?? {}) as Params)
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
      local: createSlots(STARTING.local, world.clock),
      remote: createSlots(STARTING.remote, world.clock),
    },
    capabilities: capabilitiesOf(handlers),
    listens: stay === 'long' ? 'always' : 'never',
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
