/**
 * pool-clients: a server of which each client has a process of its own.
 *
 * in     requests, each with the client that makes it, where that can be told
 * out    answers of the process of that client: started by its first request, ended when it is gone or idle
 * never  lets two clients that can be told apart share a process; starts more than its limit
 */
import type { LaunchSpec } from '../model/launch.ts'
import type { Params, Result } from '../model/message.ts'
import { SessionError, type RequestOptions, type Session } from '../model/session.ts'
import { connect, ConnectError, type ConnectRequest } from '../pipeline/connect/connect.ts'
import { onGone } from './client-life.ts'

export interface ClientsRequest extends ConnectRequest {
  readonly launch: LaunchSpec
}

export interface ClientsOptions {
  readonly idleMs: number
  readonly maxInstances: number
}

interface Instance {
  readonly session: Promise<Session>
  underWay: number
  usedAt: number
  /** Of the request that came last: they all lead to the same client. */
  handlers: RequestOptions['handlers']
  onLog: RequestOptions['onLog']
}

export class Clients implements Session {
  readonly #base: Session
  readonly #request: ClientsRequest
  readonly #options: ClientsOptions
  readonly #instances = new Map<object, Instance>()
  readonly #closing = new Set<Promise<void>>()
  #cancelSweep: (() => void) | undefined

  /** The first process is for lists, and for those who cannot be told apart. Rejects with a ConnectError. */
  static async open(request: ClientsRequest, options: ClientsOptions): Promise<Session> {
    return new Clients(await connect(request.launch, request), request, options)
  }

  constructor(base: Session, request: ClientsRequest, options: ClientsOptions) {
    this.#base = base
    this.#request = request
    this.#options = options
  }

  get hello(): Session['hello'] {
    return this.#base.hello
  }

  get wire(): Session['wire'] {
    return this.#base.wire
  }

  get subscriptions(): Session['subscriptions'] {
    return this.#base.subscriptions
  }

  async request(method: string, params?: Params, options: RequestOptions = {}): Promise<Result> {
    const { client, handlers, onLog } = options
    if (client === undefined) return this.#base.request(method, params, options)
    const instance = this.#instances.get(client) ?? this.#start(client)
    instance.handlers = handlers ?? instance.handlers
    instance.onLog = onLog ?? instance.onLog
    instance.underWay += 1
    try {
      return await (await this.#ready(client, instance)).request(method, params, options)
    } finally {
      instance.underWay -= 1
      instance.usedAt = this.#request.world.clock.now()
    }
  }

  notify(method: string, params?: Params): void {
    this.#base.notify(method, params)
  }

  async drained(): Promise<void> {
    const drainedOf = ({ session }: Instance): Promise<void> =>
      session.then(
        (one) => one.drained(),
        () => undefined, // whoever asked is told
      )
    await Promise.all([this.#base.drained(), ...[...this.#instances.values()].map(drainedOf)])
  }

  async close(): Promise<void> {
    this.#cancelSweep?.()
    for (const client of this.#instances.keys()) this.#end(client)
    await Promise.all([this.#base.close(), ...this.#closing])
  }

  async #ready(client: object, { session }: Instance): Promise<Session> {
    try {
      return await session
    } catch (error) {
      this.#instances.delete(client)
      throw error instanceof ConnectError && error.failure.kind === 'lost'
        ? new SessionError({ ...error.failure, wasSent: false })
        : lost(error instanceof Error ? error.message : String(error))
    }
  }

  #start(client: object): Instance {
    const { launch, listener, world, ...rest } = this.#request
    if (this.#instances.size >= this.#options.maxInstances)
      throw lost(
        `${this.#instances.size} clients have this server for themselves already, which is the limit`,
      )
    const controller = new AbortController()
    const instance: Instance = {
      underWay: 0,
      usedAt: world.clock.now(),
      handlers: undefined,
      onLog: undefined,
      session: connect(launch, {
        ...rest,
        world,
        signal: controller.signal,
        handlers: this.#handlersOf(() => instance.handlers),
        listener: {
          ...NOTHING,
          onLog: (line, from) => listener.onLog(line, from),
          redact: (text) => listener.redact?.(text) ?? text,
          // What it logs is for its one client, and nobody else's to hear.
          onNotification: (method, params) => {
            if (method === 'notifications/message') instance.onLog?.(params)
            else listener.onNotification(method, params)
          },
          onEnd: () => {
            if (this.#instances.get(client) === instance) this.#instances.delete(client)
          },
        },
      }),
    }
    instance.session.catch(() => undefined) // whoever asked is told
    this.#instances.set(client, instance)
    onGone(client, () => this.#end(client))
    this.#sweepLater()
    return instance
  }

  /** Whatever it asks is meant for its one client. */
  #handlersOf(find: () => RequestOptions['handlers']): ConnectRequest['handlers'] {
    const { handlers } = this.#request
    const here = (): ConnectRequest['handlers'] => find() ?? handlers
    const { roots, sample, elicit } = handlers
    return {
      ...handlers,
      ...(roots === undefined ? {} : { roots: (context) => (here().roots ?? roots)(context) }),
      ...(sample === undefined
        ? {}
        : { sample: (params, context) => (here().sample ?? sample)(params, context) }),
      ...(elicit === undefined
        ? {}
        : {
            elicit: (params, context) => {
              const answerer = here().elicit ?? elicit
              const mode = params['mode'] === 'url' ? 'url' : 'form'
              const answer = typeof answerer === 'function' ? answerer : answerer[mode]
              if (answer === undefined) throw new Error('this client does not offer it')
              return answer(params, context)
            },
          }),
    }
  }

  #end(client: object): void {
    const instance = this.#instances.get(client)
    if (instance === undefined) return
    this.#instances.delete(client)
    const over = instance.session
      .then(
        (session) => session.close(),
        () => undefined, // it never was there
      )
      .finally(() => this.#closing.delete(over))
    this.#closing.add(over)
  }

  #sweepLater(): void {
    const { idleMs } = this.#options
    if (idleMs === 0) return
    const { clock } = this.#request.world
    this.#cancelSweep ??= clock.after(
      idleMs,
      () => {
        this.#cancelSweep = undefined
        for (const [client, { underWay, usedAt }] of this.#instances)
          if (underWay === 0 && clock.now() - usedAt >= idleMs) this.#end(client)
        if (this.#instances.size > 0) this.#sweepLater()
      },
      'loose',
    )
  }
}

const NOTHING = { onFirstSign: () => undefined }

function lost(message: string): SessionError {
  return new SessionError({ kind: 'lost', wire: { kind: 'protocol', message }, wasSent: false })
}
