/**
 * daemon: the one gateway of a user, which all programs of that user on this machine can reach over its socket.
 *
 * in     visits: commands to run, MCP clients, status requests, stop requests
 * out    the answer to each visit; a record of the running process; a log
 * never  runs beside another daemon of the same user; runs a command that does more than connect; tells a visitor of
 *        another version anything but its own identity
 */
import { isTooDeep } from '../../base/depth.ts'
import { isObject } from '../../base/is-object.ts'
import { Lines } from '../../base/lines.ts'
import { toCrashText } from '../../problem/crash-text.ts'
import { createProblem, ProblemError } from '../../problem/problem.ts'
import { Pool } from '../../runtime/pool.ts'
import type { GatewayRecord } from '../../runtime/gateway-record.ts'
import { alreadyRuns, askStatus, type GatewayStatus } from '../../runtime/running-gateway.ts'
import { gatewayPlaceOf, type GatewayPlace } from '../../world/gateway-place.ts'
import { ALIVE_MS, definedIn, type Visit, type Wish, type Word } from '../../world/visit.ts'
import { UpdateError, type Pipe, type TlsIdentity } from '../../world/world.ts'
import type { DaemonRequest, HttpServingOptions, OpenDaemon } from '../shared/gateway-host.ts'
import { originOf } from '../shared/origin-of.ts'
import { ProjectBoards, type BoardLease } from './house.ts'
import { ProjectGateways } from './project-rooms.ts'
import type { Observability } from './seeing.ts'
import { openSeeing, openServing, type GatewayServing } from './serve.ts'
import { createVisitorTerminal, type RemoteTerminal } from './visitor-terminal.ts'

const MAX_LINE_LENGTH = 64 * 1024 * 1024

const MAX_LOG_BYTES = 1024 * 1024

/** Rejects with a ProblemError when a daemon runs already, or when clients could not reach this one. */
export async function openDaemon(request: DaemonRequest): Promise<OpenDaemon> {
  const { world } = request
  const place = gatewayPlaceOf(world)
  const daemon = new Daemon(request, place)
  // Two daemons that start at once must not each take the other for dead.
  const listening = world.files.locked(place.record, () => daemon.listen())
  await listening.catch((error: unknown) => {
    throw error instanceof UpdateError ? noSocket(place, error) : error
  })
  try {
    await daemon.start()
  } catch (error) {
    await daemon[Symbol.asyncDispose]()
    throw error
  }
  return daemon
}

function noSocket({ folder }: GatewayPlace, cause: Error): ProblemError {
  const problem = createProblem({
    code: 'serve/no-socket',
    message: `a gateway cannot be reached here: ${cause.message}`,
    where: { file: folder },
    hints: ['make sure that the folder is yours, and that you may write there'],
  })
  return new ProblemError(problem, { cause })
}

class Daemon implements OpenDaemon {
  readonly #request: DaemonRequest
  readonly #place: GatewayPlace
  readonly #house: ProjectBoards<GatewayServing>
  readonly #seeing: Observability
  readonly #pool: Pool
  readonly #startedAt: string
  readonly ended: Promise<void>
  #end!: () => void
  #isClosing = false
  #address: string | undefined
  /** The origins of its HTTP listeners. */
  readonly #origins = new Set<string>()
  #listener: { close(): Promise<void> } | undefined
  /** Commands of visitors that still run. */
  readonly #commands = new Set<Promise<unknown>>()
  /** Serves clients whose project is unknown. */
  #base: BoardLease<GatewayServing> | undefined

  constructor(request: DaemonRequest, place: GatewayPlace) {
    const { world, version } = request
    this.#request = request
    this.#place = place
    this.#startedAt = new Date(world.clock.now()).toISOString()
    this.ended = new Promise((resolve) => (this.#end = resolve))
    const { sharing, persons } = request
    this.#pool = new Pool({ ...sharing, persons })
    this.#seeing = openSeeing(request)
    const ownOrigins = this.#origins
    this.#house = new ProjectBoards({
      world,
      idleMs: sharing.idleMs,
      load: (of) => request.load(of),
      open: (of, load) =>
        openServing(
          { world: of, version, persons, load, audit: request.audit, pool: this.#pool, ownOrigins },
          this.#seeing,
        ),
    })
  }

  async listen(): Promise<void> {
    const { world } = this.#request
    const { socket } = this.#place
    try {
      this.#listener = await world.pipes.listen(socket, (pipe) => new Visitor(this, pipe).begin())
    } catch (error) {
      if ((error as { readonly code?: string }).code === 'EADDRINUSE')
        throw new ProblemError(alreadyRuns(await askStatus(world, this.#request.version)))
      throw noSocket(this.#place, error as Error)
    }
    await this.#record()
  }

  async start(): Promise<void> {
    const { world } = this.#request
    this.#base = await this.#house.enter({ cwd: world.home, env: definedIn(world.env) })
    this.log(`started, pid ${world.daemons.pid}, version ${this.#request.version}`)
  }

  async overHttp(options: HttpServingOptions): Promise<number> {
    const rooms = new ProjectGateways(this.#house, definedIn(this.#request.world.env))
    const port = await this.#base!.serving.overHttp(options, rooms)
    this.#address = `${originOf(options, port)}/mcp`
    this.log(`serving ${this.#address}`)
    await this.#record()
    return port
  }

  async status(): Promise<GatewayStatus> {
    return { gateway: { running: true, ...this.#facts() }, servers: await this.#house.status() }
  }

  renew(tls: TlsIdentity): void {
    this.#base!.serving.renew(tls)
  }

  announceEnd(): void {
    this.#base!.serving.announceEnd()
  }

  async drain(limitMs: number): Promise<void> {
    this.#isClosing = true
    await Promise.all([this.#house.drain(limitMs), this.#untilDone(limitMs)])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    await this.#house.close()
    await this.#seeing.close()
    this.log('ended')
    this.#request.world.files.remove(this.#place.record)
    await this.#listener?.close()
  }

  // Requests of visitors.

  /** The reason why a visitor must run without this daemon. */
  refuse({ version }: Visit): string | undefined {
    if (this.#isClosing) return ''
    const own = this.#request.version
    if (version === own) return undefined
    return `the gateway that runs is version ${own}, and this is ${version}: it is not used (\`plugboard stop\` ends it)`
  }

  get pid(): number {
    return this.#request.world.daemons.pid
  }

  enter(from: Parameters<ProjectBoards['enter']>[0]): Promise<BoardLease> {
    return this.#house.enter(from)
  }

  run(argv: readonly string[], terminal: RemoteTerminal, { world, serving }: BoardLease): Promise<number> {
    return this.#request.command(argv, terminal, { world, board: serving.board })
  }

  /** Counts the command until its output is on its way. The end of a command alone does not mean that. */
  async whileUnderWay(command: Promise<void>): Promise<void> {
    this.#commands.add(command)
    try {
      await command
    } finally {
      this.#commands.delete(command)
    }
  }

  async #untilDone(limitMs: number): Promise<void> {
    let cancel = (): void => undefined
    const late = new Promise<void>((resolve) => {
      cancel = this.#request.world.clock.after(limitMs, resolve)
    })
    await Promise.race([late, Promise.allSettled(this.#commands)])
    cancel()
  }

  stop(): void {
    this.log('asked to end')
    this.#end()
  }

  after(ms: number, task: () => void): () => void {
    return this.#request.world.clock.after(ms, task)
  }

  log(text: string): void {
    const { clock, files } = this.#request.world
    const line = `${new Date(clock.now()).toISOString()} ${text}\n`
    files.append(this.#place.log, line, { mode: 0o600, maxBytes: MAX_LOG_BYTES })
  }

  #facts(): GatewayRecord {
    const { version, world } = this.#request
    return {
      pid: world.daemons.pid,
      ...(this.#address === undefined ? {} : { address: this.#address }),
      socket: this.#place.socket,
      version,
      startedAt: this.#startedAt,
    }
  }

  async #record(): Promise<void> {
    const record: GatewayRecord = { ...this.#facts(), origins: [...this.#origins] }
    await this.#request.world.files.update(this.#place.record, 0o600, () => `${JSON.stringify(record)}\n`)
  }
}

/** One connection, from its first line to its end. */
class Visitor {
  readonly #daemon: Daemon
  readonly #pipe: Pipe
  readonly #lines: Lines
  #terminal: RemoteTerminal | undefined
  /** Receives MCP text after the visitor has asked for MCP. */
  #passOn: ((text: string) => void) | undefined
  readonly #onEnd = new Set<() => void>()
  #isOver = false
  /** The visitor has answered the greeting, or is gone. */
  readonly #answered: Promise<void>
  #onAnswered!: () => void
  /** The command may run or may have run: no other process may run it again. */
  #hasBegun = false

  constructor(daemon: Daemon, pipe: Pipe) {
    this.#daemon = daemon
    this.#pipe = pipe
    this.#answered = new Promise((resolve) => (this.#onAnswered = resolve))
    let isFirst = true
    this.#lines = new Lines({
      maxLength: MAX_LINE_LENGTH,
      onLine: (line) => {
        if (!isFirst) return this.#reply(tryParse(line))
        isFirst = false
        void this.#receive(line)
      },
      onTooLong: () => pipe.end(),
    })
  }

  begin(): void {
    this.#pipe.onInput({
      onText: (text) => (this.#passOn === undefined ? this.#lines.push(text) : this.#passOn(text)),
      onEnd: () => {
        this.#isOver = true
        this.#onAnswered()
        this.#terminal?.hangUp()
        for (const tell of this.#onEnd) tell()
      },
    })
  }

  #reply(reply: unknown): void {
    if (isObject(reply) && reply['go'] === true) this.#onAnswered()
    else this.#terminal?.take(reply)
  }

  async #receive(line: string): Promise<void> {
    const visit = readVisit(line)
    if (visit === undefined) return this.#pipe.end()
    try {
      await this.#meet(visit)
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
      this.#daemon.log(`a visit failed: ${toCrashText(text)}`)
      // A connection that ends without a message would leave it unknown whether the command ran.
      if (!this.#hasBegun) this.#say({ say: 'alone', why: 'the gateway that runs could not do it' })
      this.#pipe.end()
    }
  }

  async #meet(visit: Visit): Promise<void> {
    const { wants } = visit
    if (wants.kind === 'status') {
      this.#say({ say: 'status', status: await this.#daemon.status() })
      return this.#pipe.end()
    }
    // The visitor sees the end of the connection as the answer.
    if (wants.kind === 'stop') {
      this.#say({ say: 'hello', pid: this.#daemon.pid })
      return this.#daemon.stop()
    }
    const why = this.#daemon.refuse(visit)
    if (why !== undefined) {
      this.#say({ say: 'alone', ...(why === '' ? {} : { why }) })
      return this.#pipe.end()
    }
    this.#say({ say: 'hello', pid: this.#daemon.pid })
    await (wants.kind === 'mcp' ? this.#serve(wants) : this.#daemon.whileUnderWay(this.#carryOut(wants)))
  }

  async #carryOut({ argv, terminal, ...from }: Extract<Wish, { kind: 'command' }>): Promise<void> {
    // Before the board is open, because the user may press Ctrl-C meanwhile.
    this.#terminal = createVisitorTerminal(terminal, (word) => this.#say(word))
    await this.#answered
    if (this.#isOver) return
    const stopSending = this.#sendAlive()
    try {
      await this.#runIn(await this.#daemon.enter(from), { argv, terminal: this.#terminal })
    } finally {
      stopSending()
    }
  }

  /** A visitor has no other way to notice that this process was suspended. */
  #sendAlive(): () => void {
    let cancel = (): void => undefined
    const tell = (): void => {
      if (!this.#isOver) this.#say({ say: 'alive' })
      cancel = this.#daemon.after(ALIVE_MS, tell)
    }
    cancel = this.#daemon.after(ALIVE_MS, tell)
    return () => cancel()
  }

  async #runIn(
    room: BoardLease,
    { argv, terminal }: { readonly argv: readonly string[]; readonly terminal: RemoteTerminal },
  ): Promise<void> {
    try {
      if (this.#isOver) return
      const running = this.#daemon.run(argv, terminal, room)
      this.#hasBegun = true
      const code = await running
      this.#say({ say: 'exit', code })
      this.#pipe.end()
    } finally {
      room.leave()
    }
  }

  async #serve(from: Extract<Wish, { kind: 'mcp' }>): Promise<void> {
    const room = await this.#daemon.enter(from)
    try {
      if (this.#isOver) return
      this.#say({ say: 'welcome', pid: this.#daemon.pid })
      this.#hasBegun = true
      void room.serving.board.gather({ wait: 'moment' })
      await room.serving.overStdio({
        onInput: ({ onText, onEnd }) => {
          this.#passOn = onText
          this.#onEnd.add(onEnd)
        },
        out: (text) => this.#pipe.write(text),
      })
    } finally {
      room.leave()
    }
  }

  #say(word: Word): void {
    this.#pipe.write(`${JSON.stringify(word)}\n`)
  }
}

function tryParse(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    return isTooDeep(value) ? undefined : value
  } catch {
    return undefined // no program of ours sends such a line
  }
}

/** A visitor of another version may send anything. */
function readVisit(line: string): Visit | undefined {
  const visit = tryParse(line)
  if (!isObject(visit) || typeof visit['version'] !== 'string' || !isObject(visit['wants'])) return undefined
  const { kind, cwd, env } = visit['wants']
  const isKnown = kind === 'status' || kind === 'stop'
  const isFrom = (kind === 'command' || kind === 'mcp') && typeof cwd === 'string' && isObject(env)
  return isKnown || isFrom ? (visit as unknown as Visit) : undefined
}
