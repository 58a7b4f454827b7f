/**
 * serve: a board with a gateway on it, for as long as somebody serves.
 */
import { originOf as originOfServer } from '../../model/signature.ts'
import { openBoard, type Board } from '../../runtime/board.ts'
import { createProblem, ProblemError } from '../../problem/problem.ts'
import type { NamedTokens } from '../../runtime/named-tokens.ts'
import { Pool } from '../../runtime/pool.ts'
import { definedIn } from '../../world/visit.ts'
import type { Listener, UnreadLimits, World } from '../../world/world.ts'
import type { HttpServingOptions, IssuerWish, OpenServing, ServingRequest } from '../shared/gateway-host.ts'
import { originOf } from '../shared/origin-of.ts'
import { sharingOf } from '../shared/sharing.ts'
import { Audit } from './audit.ts'
import { createCounter } from './counter.ts'
import { Door } from './door.ts'
import { createRelay, openGateway, type Gateway } from './gateway.ts'
import { House } from './house.ts'
import { createHttpFront, type HttpFront } from './http-front.ts'
import { openIssuer, type Issuer } from './issuer.ts'
import { Metrics } from './metrics.ts'
import { keyOfToken } from './principal.ts'
import { ProjectRooms } from './project-rooms.ts'
import type { Relay } from './relay.ts'
import { Seeing } from './seeing.ts'
import { seenAs } from './served-board.ts'
import { serveStdio, type StdioFront } from './stdio-front.ts'
import { readTracing, Tracer } from './tracer.ts'

/** One message. As much as a line over stdio would be cut at is too much here. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

const MAX_HEADER_BYTES = 64 * 1024

/** To arrive; the answer may take as long as it takes. */
const REQUEST_TIMEOUT_MS = 30_000

const MEGABYTE = 1024 * 1024

/** What clients have not read yet is in memory. One answer of the usual servers is far from the least of these. */
const UNREAD: UnreadLimits = {
  waitBytes: 64 * MEGABYTE,
  clientBytes: 128 * MEGABYTE,
  totalBytes: 256 * MEGABYTE,
}

/** After its last token went, a project stays for so long, since a new one may be on its way. */
const PROJECT_IDLE_MS = 10_000

/** At the end, for what was given up to be written down. */
const GIVEN_UP_MS = 1000

/** How often in a row a client may get the same answer to the same call, unless the settings say otherwise. */
const LOOP_LIMIT = 3

/** As on any board: estimated tokens of text in one result, unless the settings say otherwise. */
const MAX_RESULT_TOKENS = 25_000

/** As others of the gateway see it. */
export interface GatewayServing extends OpenServing {
  readonly gateway: Gateway
  /** `rooms`: where tokens lead that are bound to a project. Default: to some of its own. */
  overHttp(options: HttpServingOptions, rooms?: ProjectRooms): Promise<number>
}

/** `seen`: by whom everything is seen, who outlives this; default: one of its own. Throws `serve/audit`. */
export async function openServing(request: ServingRequest, seen?: Seeing): Promise<GatewayServing> {
  const { world, version, load, ownOrigins = new Set() } = request
  const seeing = seen ?? openSeeing(request)
  const { relay, handlers } = createRelay(world)
  let loopLimit = LOOP_LIMIT
  let maxResultTokens = MAX_RESULT_TOKENS
  let sharing = sharingOf()
  const own = {
    projects: 'one',
    persons: request.persons,
    get idleMs() {
      return sharing.idleMs
    },
    get maxInstances() {
      return sharing.maxInstances
    },
  } as const
  const ownPool = new Pool(own)
  const { pool = ownPool } = request
  const board = await openBoard(world, {
    async load(how) {
      const loaded = await load({ ...how, ownOrigins })
      loopLimit = loaded.gateway?.loopLimit ?? LOOP_LIMIT
      maxResultTokens = loaded.gateway?.maxResultTokens ?? MAX_RESULT_TOKENS
      sharing = sharingOf(loaded.gateway)
      return loaded
    },
    handlers,
    pool,
    client: { name: 'plugboard', version },
    wait: 'moment',
    watch: true,
    words: 'command',
    // Each client has a guard of its own. The budget is for clients: commands of the user, which come this way too, print everything.
    loopLimit: 0,
    maxResultTokens: 0,
  })
  const gateway = openGateway(
    { world, board: seenAs(board, board.approved()), relay },
    {
      version,
      seeing,
      loopLimit: () => loopLimit,
      maxResultTokens: () => maxResultTokens,
    },
  )
  const serving: Serving = {
    world,
    version,
    board,
    gateway,
    seeing,
    ownOrigins,
    house: new House({
      world,
      idleMs: PROJECT_IDLE_MS,
      load: () => request.loadAnew?.() ?? load,
      open: (of, loadOf) => {
        const among = { connect: ownPool.connectAmongMany }
        return openServing(
          { ...request, world: of, load: loadOf, pool: request.pool ?? among, ownOrigins },
          seeing,
        )
      },
    }),
    fronts: [],
    pipes: new Set(),
    isLeaving: false,
  }
  return {
    board: counted(board, relay),
    gateway,
    async overStdio(pipe) {
      const front = serveStdio(gateway, gateway.viewOf(undefined)!, pipe)
      serving.pipes.add(front)
      await front.isOver
      serving.pipes.delete(front)
    },
    async overHttp(options, rooms) {
      // Its servers may run already, for everybody.
      if (options.issuer !== undefined && request.persons === undefined)
        throw new Error('a gateway with an issuer must be opened with `persons: apart`')
      return overHttp(serving, options, rooms)
    },
    renew: (tls) => serving.fronts.forEach(({ listener }) => listener.renew(tls)),
    announceEnd: () => void (serving.isLeaving = true),
    drain: (limitMs) => drain(serving, limitMs),
    async [Symbol.asyncDispose]() {
      await close(serving)
      if (seen === undefined) await seeing.close()
    },
  }
}

/** Whoever uses the board past the gateway is under way as well: what a server asks then is not meant for any client. */
function counted(board: Board, relay: Relay): Board {
  const mine: Pick<Board, 'call' | 'request'> = {
    call(name, ...rest) {
      const server =
        typeof name === 'string' ? board.tools().find((tool) => tool.name === name)?.server : name.server
      const call = (): ReturnType<Board['call']> => board.call(name, ...rest)
      return server === undefined ? call() : relay.whileBusy(server, call)
    },
    request: (server, ...rest) => relay.whileBusy(server, () => board.request(server, ...rest)),
  }
  return new Proxy(board, {
    get(target, key) {
      if (key === 'call' || key === 'request') return mine[key]
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

interface Serving {
  readonly world: World
  readonly version: string
  readonly board: Board
  readonly gateway: Gateway
  readonly seeing: Seeing
  readonly ownOrigins: Set<string>
  /** Projects of tokens. */
  readonly house: House<GatewayServing>
  readonly fronts: Front[]
  readonly pipes: Set<StdioFront>
  /** Whoever asks whether it is ready is told no. */
  isLeaving: boolean
}

interface Front {
  readonly front: HttpFront
  readonly listener: Listener
  readonly tokens: NamedTokens | undefined
}

/** Throws `serve/audit`. */
export function openSeeing({
  world,
  version,
  audit,
}: Pick<ServingRequest, 'world' | 'version' | 'audit'>): Seeing {
  const metrics = new Metrics()
  const tracing = readTracing(world.env)
  return new Seeing(world, {
    metrics,
    ...(audit === undefined
      ? {}
      : { audit: new Audit(world, { ...audit, onLost: (lines) => metrics.lost('audit', lines) }) }),
    ...(tracing === undefined
      ? {}
      : {
          tracer: new Tracer(world, tracing, { version, onLost: (spans) => metrics.lost('traces', spans) }),
        }),
  })
}

async function overHttp(
  serving: Serving,
  options: HttpServingOptions,
  rooms = new ProjectRooms(serving.house, definedIn(serving.world.env)),
): Promise<number> {
  const { world, version, board, gateway, seeing } = serving
  const { host, token, tokens, rate, hosts = [] } = options
  const place = { origin: originOf(options, options.port) }
  const issuer = options.issuer === undefined ? undefined : await openIssuerFor(world, options.issuer, place)
  const door = new Door({
    clock: world.clock,
    token,
    tokens,
    rate,
    issuer,
    hosts: [...hosts, ...hostsIn(options.issuer?.publicUrl)],
    isOpenToAddresses: !isLoopback(host),
    onRefused: (why, from) => seeing.refused(why, from),
  })
  const isLeaving = (): boolean => serving.isLeaving
  const counter = createCounter({ board, seeing, issuer, version, isLeaving })
  const front = createHttpFront(gateway, { door, counter, rooms })
  tokens?.onRemoved(({ hash, project }, left) => {
    const key = keyOfToken(hash)
    front.dismiss(key, project)
    if (project !== undefined && !left.some((one) => one.project === project))
      rooms.leave(project, seeing.untilDone(key))
  })
  const listener = await listen(serving, front, options)
  place.origin = originOf(options, listener.port)
  serving.fronts.push({ front, listener, tokens })
  await disown(serving, originsOf(options, listener.port))
  // Ids of sessions need Node's cryptography, which takes it 5 ms to load: the first client would wait for it.
  world.clock.after(0, () => void world.keys.random(1), 'loose')
  return listener.port
}

/** An entry that leads back here would be a loop. Which port it is may be known only now, after everything was read. */
async function disown({ world, board, ownOrigins }: Serving, origins: readonly string[]): Promise<void> {
  for (const origin of origins) ownOrigins.add(origin)
  const { servers } = board.snapshot().catalog
  if (servers.some((server) => origins.includes(originOfServer(server, world.env) ?? '')))
    await board.reload()
}

/** All that lead to this listener, as far as this process can know: a name that somebody else gave it, it cannot. */
function originsOf(options: HttpServingOptions, port: number): readonly string[] {
  const { host, issuer } = options
  const isAny = host === '0.0.0.0' || host === '::'
  const local = isAny ? ['127.0.0.1', '::1', 'localhost'] : isLoopback(host) ? ['localhost'] : []
  const urls = [host, ...local].map((name) => originOf({ ...options, host: name }, port))
  return [...urls, issuer?.publicUrl ?? '']
    .filter((url) => URL.canParse(url))
    .map((url) => new URL(url).origin)
}

function openIssuerFor(
  world: World,
  { publicUrl, ...wish }: IssuerWish,
  place: { readonly origin: string },
): Promise<Issuer> {
  return openIssuer(world, { ...wish, origin: () => publicUrl?.replace(/\/+$/, '') ?? place.origin })
}

function hostsIn(publicUrl: string | undefined): readonly string[] {
  return publicUrl === undefined || !URL.canParse(publicUrl) ? [] : [new URL(publicUrl).hostname]
}

function isLoopback(host: string): boolean {
  return host === '::1' || host.startsWith('127.')
}

async function drain(serving: Serving, limitMs: number): Promise<void> {
  serving.isLeaving = true
  for (const { front, listener } of serving.fronts) {
    front.drain()
    listener.stop()
  }
  serving.gateway.leave()
  await Promise.all([serving.house.drain(limitMs), serving.seeing.untilIdle(limitMs)])
}

/** Streams are ended in good order, then connections, then servers. */
async function close({ gateway, fronts, pipes, seeing, board, house }: Serving): Promise<void> {
  gateway.close()
  for (const { front, listener, tokens } of fronts) {
    listener.stop()
    tokens?.close()
    front.close()
  }
  for (const pipe of pipes) pipe.close()
  if (fronts.length + pipes.size > 0) await seeing.untilIdle(GIVEN_UP_MS)
  await Promise.all(fronts.map(({ listener }) => listener.close()))
  await Promise.all([board.close(), house.close()])
}

function listen(
  { world, seeing }: Serving,
  front: HttpFront,
  { host, port, tls }: HttpServingOptions,
): Promise<Listener> {
  const limits = {
    unread: UNREAD,
    onSlowClient: () => seeing.metrics.slowClient(),
    maxBodyBytes: MAX_BODY_BYTES,
    maxHeaderBytes: MAX_HEADER_BYTES,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
  }
  return world.serving.listen({ host, port, tls, ...limits }, front).catch((error: unknown) => {
    throw new ProblemError(cannotListen(`${host}:${port}`, error), { cause: error })
  })
}

const HINTS: Readonly<Record<string, readonly string[]>> = {
  EADDRINUSE: ['name another port, or 0 for any that is free'],
  EACCES: ['ports below 1024 are for the administrator of the machine: name another'],
  EADDRNOTAVAIL: ['the address is none of this machine: name one that it has'],
}

function cannotListen(address: string, error: unknown): ConstructorParameters<typeof ProblemError>[0] {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string }
  if (/^ERR_(?:OSSL|SSL|TLS)/.test(code)) {
    return createProblem({
      code: 'serve/bad-tls',
      message: 'certificate and key cannot be used together',
      notes: [message],
      hints: ['give the certificate and the private key that belongs to it, both as PEM'],
    })
  }
  return createProblem({
    code: 'serve/cannot-listen',
    message:
      code === 'EADDRINUSE'
        ? `another program listens on \`${address}\` already`
        : `nobody can listen on \`${address}\`: ${message}`,
    hints: HINTS[code] ?? [],
  })
}
