/**
 * http: exchanges on undici's dispatcher, which costs half of `node:http` and a third of `fetch` per message.
 *
 * out    connections are kept and used again, per origin
 * never  loads undici before the first request; keeps a body beyond the limit
 */
import type { StringDecoder } from 'node:string_decoder'
import type { Dispatcher } from 'undici'
import {
  MAX_BODY_BYTES,
  TOO_LARGE,
  type BodyUse,
  type Http,
  type HttpError,
  type HttpListener,
  type HttpRequest,
} from '../world.ts'

export const nodeHttp: Http = {
  request(request, listener) {
    const exchange = new Exchange(request, listener)
    if (agents !== undefined) exchange.start(agents)
    else {
      loading ??= loadAgents()
      void loading.then((loaded) => exchange.start(loaded))
    }
    return () => exchange.abort()
  },
}

interface Agents {
  /** For what can wait until a connection is free. */
  readonly patient: Dispatcher
  readonly urgent: Dispatcher
}

let agents: Agents | undefined
let loading: Promise<Agents> | undefined

async function loadAgents(): Promise<Agents> {
  const { default: Agent } = await import('undici/lib/dispatcher/agent.js')
  const options = {
    pipelining: 1,
    // A stream may be silent for hours; the session has its own limits.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Where the server does not say: shorter than what the usual proxies allow, longer than a model thinks.
    keepAliveTimeout: 30_000,
  }
  agents = { patient: new Agent({ ...options, connections: 128 }), urgent: new Agent(options) }
  return agents
}

/** Loaded with the first stream: most commands read none. */
function createDecoder(): StringDecoder {
  const { StringDecoder } = process.getBuiltinModule('node:string_decoder')
  return new StringDecoder('utf8')
}

/** Where an exchange has been completed: the next one may get the same connection. */
const known = new Set<string>()

class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest
  readonly #listener: HttpListener
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #isAborted = false
  #use: BodyUse = 'nothing'
  #first: Buffer | undefined
  #rest: Buffer[] | undefined
  #bytes = 0
  #decoder: StringDecoder | undefined
  #hasText = false

  constructor(request: HttpRequest, listener: HttpListener) {
    this.#request = request
    this.#listener = listener
  }

  start({ patient, urgent }: Agents): void {
    if (this.#isOver) return
    const { method, origin, path, headers, body, isUrgent } = this.#request
    const options = { method, origin, path, headers: headers as string[], body: body ?? null }
    ;(isUrgent ? urgent : patient).dispatch(options, this)
  }

  abort(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cutOff()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isAborted) controller.abort(ABORTED)
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // 1xx: the answer is still to come.
    if (this.#isOver || status < 200) return
    this.#use = this.#listener.onHead({ status, headers })
    if (this.#use === 'whole' && Number(headers['content-length']) > MAX_BODY_BYTES) this.#refuse()
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver || this.#use === 'nothing') return
    if (this.#use === 'pieces') {
      this.#decoder ??= createDecoder()
      return this.#tell(this.#decoder.write(chunk))
    }
    this.#bytes += chunk.length
    if (this.#bytes > MAX_BODY_BYTES) this.#refuse()
    else if (this.#first === undefined) this.#first = chunk
    else (this.#rest ??= [this.#first]).push(chunk)
  }

  onResponseEnd(): void {
    if (this.#isOver) return
    known.add(this.#request.origin)
    const body = this.#rest === undefined ? this.#first : Buffer.concat(this.#rest, this.#bytes)
    if (body !== undefined) this.#tell(body.toString())
    // The listener may have had enough.
    if (this.#isOver) return
    this.#isOver = true
    this.#listener.onEnd()
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (!this.#isOver) return this.#fail(toHttpError(error, known.has(this.#request.origin)))
    // undici catches what a listener throws; a mistake of ours must not vanish in there.
    if (!this.#isAborted) queueMicrotask(() => raise(error))
  }

  /** Some servers begin with a byte order mark, which neither JSON nor an event may begin with. */
  #tell(text: string): void {
    if (text === '') return
    const isMarked = !this.#hasText && text.codePointAt(0) === 0xfeff
    this.#hasText = true
    this.#listener.onText(isMarked ? text.slice(1) : text)
  }

  #refuse(): void {
    this.#fail({
      code: TOO_LARGE,
      message: `the answer is larger than ${MAX_BODY_BYTES >> 20} MB`,
      mayBeStale: false,
    })
    this.#cutOff()
  }

  /** Closes the connection; one that has none yet is cut off when it gets it. */
  #cutOff(): void {
    this.#isAborted = true
    this.#controller?.abort(ABORTED)
  }

  #fail(error: HttpError): void {
    this.#isOver = true
    this.#listener.onFailed(error)
  }
}

const ABORTED = new Error('aborted')

function raise(error: Error): never {
  throw error
}

function toHttpError(error: Error, mayBeStale: boolean): HttpError {
  // One error for several addresses of a host that were tried: the first says enough.
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : []
  const { code } = error as NodeJS.ErrnoException
  return { code: code ?? 'UNKNOWN', message: error.message || (first?.message ?? 'unknown'), mayBeStale }
}
