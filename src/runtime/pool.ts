/**
 * pool: the processes of servers that several boards share, and the sessions of servers that clients do not share.
 *
 * in     what a board wants to start, and which questions it can answer
 * out    a session on a process that runs already, or on a new one; where clients are kept apart, one for each of them;
 *        at a server of both eras, one of each era
 * never  starts two equal processes; passes a question of a server to a board that it may not be meant for; keeps a
 *        process that was unused for long, or that no board has a session on
 */
import { sha256 } from '../base/sha256.ts'
import type { AdmittedServer } from '../model/catalog.ts'
import { reveal, type LaunchSpec, type LaunchTransport } from '../model/launch.ts'
import { connect, type ConnectRequest } from '../pipeline/connect/connect.ts'
import type { Session } from '../model/session.ts'
import type { Connector } from './connector.ts'
import { Clients, type Begin } from './pool-clients.ts'
import { SessionsByEra } from './pool-eras.ts'
import { Pooled } from './pooled.ts'
import { countsInEnv } from './whole-env.ts'

export interface PoolOptions {
  /** A process that was unused for this time is ended. The next request starts it again. 0: never. */
  readonly idleMs: number
  /** How many instances of one server may run at once, where each client has its own. */
  readonly maxInstances: number
  /** `one`: no other project uses this pool, so the project alone decides where a process runs. */
  readonly projects?: 'one' | 'many' | undefined
  /** `apart`: an issuer identifies the users, so each person has a process of each stdio server. */
  readonly persons?: 'apart' | undefined
}

export class Pool {
  readonly #options: PoolOptions
  readonly #running = new Map<string, Pooled>()

  constructor(options: PoolOptions) {
    this.#options = options
  }

  readonly connect: Connector = (launch, request, server) =>
    this.#connectByEra(launch, request, { server, projects: this.#options.projects ?? 'many' })

  /** Connects as one of many projects, whatever the options say. */
  readonly connectAmongMany: Connector = (launch, request, server) =>
    this.#connectByEra(launch, request, { server, projects: 'many' })

  /** An in-process server has one session, of the era that it speaks. */
  async #connectByEra(launch: LaunchSpec, request: ConnectRequest, how: Sharing): Promise<Session> {
    const session = await this.#connect(launch, request, how)
    const isChoice = launch.protocol === 'auto' && launch.transport.kind !== 'in-process'
    if (!isChoice || session.hello.era === 'legacy') return session
    const { startupTimeoutMs } = launch
    const begin = (of: ConnectRequest): Promise<Session> =>
      this.#connect({ ...launch, protocol: 'legacy' }, of, how)
    return new SessionsByEra(session, request, { startupTimeoutMs, begin })
  }

  #connect(
    launch: LaunchSpec,
    request: ConnectRequest,
    { server, projects }: Sharing,
  ): ReturnType<Connector> {
    const { isolation } = server
    const { kind } = launch.transport
    const apart = isolation === 'session' || isolation === 'agent'
    if (apart && kind !== 'in-process') return Clients.open({ ...request, launch }, this.#options, 'always')
    // A session of an older server carries what one client did there, and sends its questions back to that client.
    if ((kind === 'http' || kind === 'sse') && isolation === undefined)
      return Clients.open({ ...request, launch }, this.#options, 'where-it-can-be')
    if (kind !== 'stdio') return connect(launch, request)
    const isForMany = isolation !== 'project' && projects !== 'one'
    const placed = isForMany ? inPlace(launch, request, server) : launch
    const key = keyOf(placed, request, server)
    const calls = server.supportsParallelCalls === false ? 'in-turn' : 'parallel'
    const lease: Begin = (of, person) => {
      const keyOfProcess = person === undefined ? key : `${key} ${person}`
      const pooled = this.#running.get(keyOfProcess) ?? this.#create(keyOfProcess, placed)
      return pooled.lease(of, calls)
    }
    if (this.#options.persons === undefined || isolation === 'shared') return lease(request, undefined)
    return Clients.open({ ...request, launch: placed }, this.#options, 'by-person', lease)
  }

  #create(key: string, launch: LaunchSpec): Pooled {
    const pooled = new Pooled(launch, {
      idleMs: this.#options.idleMs,
      onOver: () => {
        if (this.#running.get(key) === pooled) this.#running.delete(key)
      },
    })
    this.#running.set(key, pooled)
    return pooled
  }
}

interface Sharing {
  readonly server: AdmittedServer
  readonly projects: 'one' | 'many'
}

/** The project that came first must not decide what the process sees. */
function inPlace(launch: LaunchSpec, { world }: ConnectRequest, server: AdmittedServer): LaunchSpec {
  const transport = launch.transport as Stdio
  return isOfFolder(server, transport) ? launch : { ...launch, transport: { ...transport, cwd: world.home } }
}

type Stdio = Extract<LaunchTransport, { kind: 'stdio' }>

/** Whether the entry sets its folder, comes from the folder it runs in, or gets the folder in its arguments. */
function isOfFolder({ transport, found }: AdmittedServer, { args }: Stdio): boolean {
  if (transport.type === 'stdio' && transport.cwd !== undefined) return true
  const { scope } = found.origin
  if (scope === 'project' || scope === 'local' || scope === 'dynamic') return true
  return args.some((arg) => /^(?:--?[\w-]+=)?\.{1,2}(?:[/\\]|$)/.test(reveal(arg)))
}

/**
 * Distinguishes processes. Of the environment, only what the entry itself sets counts. What the user happens to have
 * counts only when the server inherits it.
 */
function keyOf(
  { transport, protocol }: LaunchSpec,
  { world }: ConnectRequest,
  server: AdmittedServer,
): string {
  const { command, args, env, cwd } = transport as Stdio
  const own = server.transport.type === 'stdio' ? server.transport.env : new Map<string, unknown>()
  const set = [...env]
    .map(([name, value]) => [name, reveal(value)] as const)
    .filter(
      ([name, value]) =>
        own.has(name) || world.env[name] !== value || (server.inheritEnv === true && countsInEnv(name)),
    )
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return sha256(JSON.stringify([reveal(command), args.map(reveal), cwd, set, protocol]))
}
