/**
 * tracer: exports the spans of requests to a collector, as OTLP over HTTP in JSON.
 *
 * in     the environment, with the variable names of OpenTelemetry; finished requests
 * out    batches of spans; undefined where no endpoint is configured
 * never  delays a request; holds more than `MAX_QUEUE` spans; ends the gateway because a collector does not answer
 */
import type { Env, World } from '../../world/world.ts'
import type { Seen } from './sighting.ts'
import { toSpan, type Span } from './span.ts'
import type { Begun } from './sighting.ts'

const MAX_QUEUE = 2048

const MAX_BATCH = 512

const FLUSH_MS = 2000

export interface TracerOptions {
  readonly version: string
  readonly onLost: (spans: number) => void
}

export interface Tracing {
  readonly url: URL
  readonly headers: readonly string[]
  readonly timeoutMs: number
  readonly attributes: Readonly<Record<string, string>>
  isSampled(traceId: string): boolean
}

/** Undefined: not configured, or not understood. */
export function readTracing(env: Env): Tracing | undefined {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none')
    return undefined
  const own = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT']
  const endpoint = own ?? (base === undefined || base === '' ? '' : `${base.replace(/\/$/, '')}/v1/traces`)
  if (!URL.canParse(endpoint) || !/^https?:/.test(endpoint)) return undefined
  const headers = env['OTEL_EXPORTER_OTLP_TRACES_HEADERS'] ?? env['OTEL_EXPORTER_OTLP_HEADERS'] ?? ''
  const timeout = env['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT'] ?? env['OTEL_EXPORTER_OTLP_TIMEOUT']
  const attributes = Object.fromEntries(pairsOf(env['OTEL_RESOURCE_ATTRIBUTES'] ?? ''))
  return {
    url: new URL(endpoint),
    headers: pairsOf(headers).flat(),
    timeoutMs: Number(timeout) > 0 ? Number(timeout) : 10_000,
    attributes: { 'service.name': 'plugboard', ...attributes, ...serviceIn(env) },
    isSampled: samplerOf(env),
  }
}

function serviceIn(env: Env): Readonly<Record<string, string>> {
  const name = env['OTEL_SERVICE_NAME']
  return name === undefined || name === '' ? {} : { 'service.name': name }
}

/** Parses `key=value,key=value`, with `%` escapes. */
function pairsOf(text: string): readonly (readonly [string, string])[] {
  return text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at < 1 ? [] : [[pair.slice(0, at).trim(), tryDecode(pair.slice(at + 1).trim())] as const]
  })
}

function tryDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // invalid escapes stay as written
  }
}

/** For traces that begin here. Others follow their parent (`parentbased`). */
function samplerOf(env: Env): (traceId: string) => boolean {
  const name = env['OTEL_TRACES_SAMPLER'] ?? ''
  if (name.endsWith('always_off')) return () => false
  if (!name.endsWith('traceidratio')) return () => true
  const given = Number(env['OTEL_TRACES_SAMPLER_ARG'] ?? 1)
  const ratio = given >= 0 && given <= 1 ? given : 1
  return (traceId) => Number.parseInt(traceId.slice(-8), 16) < ratio * 0x1_00_00_00_00
}

type Ended = { readonly seen: Seen; readonly span: Span }

export class Tracer {
  readonly #world: World
  readonly #tracing: Tracing
  readonly #options: TracerOptions
  #queue: Ended[] = []
  #cancel: (() => void) | undefined
  readonly #sending = new Set<Promise<void>>()

  constructor(world: World, tracing: Tracing, options: TracerOptions) {
    this.#world = world
    this.#tracing = tracing
    this.#options = options
  }

  begin({ params, headers }: Begun): Span {
    return toSpan(params, headers, {
      random: (bytes) => toHex(this.#world.keys.random(bytes)),
      isSampled: (traceId) => this.#tracing.isSampled(traceId),
    })
  }

  see(seen: Seen, span: Span): void {
    if (!span.isSampled) return
    if (this.#queue.length >= MAX_QUEUE) return this.#options.onLost(1)
    this.#queue.push({ seen, span })
    if (this.#queue.length >= MAX_BATCH && this.#sending.size === 0) this.#flush()
    this.#cancel ??= this.#world.clock.after(FLUSH_MS, () => this.#flush(), 'loose')
  }

  /** Waits until every span is sent or lost. */
  async close(): Promise<void> {
    this.#flush()
    while (this.#sending.size > 0) await Promise.all(this.#sending)
  }

  #flush(): void {
    this.#cancel?.()
    this.#cancel = undefined
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, MAX_BATCH)
      const sent = this.#sendOrLose(batch).finally(() => this.#sending.delete(sent))
      this.#sending.add(sent)
    }
  }

  async #sendOrLose(batch: readonly Ended[]): Promise<void> {
    if (!(await this.#send(batch))) this.#options.onLost(batch.length)
  }

  #send(batch: readonly Ended[]): Promise<boolean> {
    const { url, headers, timeoutMs } = this.#tracing
    return new Promise((resolve) => {
      const settle = (isSent: boolean): void => {
        cancel()
        resolve(isSent)
      }
      let status = 0
      const end = this.#world.http.request(
        {
          method: 'POST',
          origin: url.origin,
          path: url.pathname + url.search,
          headers: ['content-type', 'application/json', 'user-agent', 'plugboard', ...headers],
          body: JSON.stringify(this.#toBody(batch)),
          isUrgent: false,
        },
        {
          onHead: (head) => {
            ;({ status } = head)
            return 'nothing'
          },
          onText: () => undefined,
          onEnd: () => settle(status >= 200 && status < 300),
          onFailed: () => settle(false),
        },
      )
      const cancel = this.#world.clock.after(timeoutMs, () => {
        end()
        resolve(false)
      })
    })
  }

  #toBody(batch: readonly Ended[]): object {
    const { version } = this.#options
    return {
      resourceSpans: [
        {
          resource: { attributes: toAttributes({ 'service.version': version, ...this.#tracing.attributes }) },
          scopeSpans: [{ scope: { name: 'plugboard', version }, spans: batch.map(toOtlp) }],
        },
      ],
    }
  }
}

const SERVER_KIND = 2

const OK = 1

const ERROR = 2

function toOtlp({ seen, span }: Ended): object {
  const { method, server, name, outcome, code, at, durationMs } = seen
  const isTool = method === 'tools/call'
  const isGood = outcome === 'done' || outcome === 'asked'
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId === undefined ? {} : { parentSpanId: span.parentId }),
    ...(span.state === undefined ? {} : { traceState: span.state }),
    // Too many different URIs to use them as span names.
    name: name === undefined || method.startsWith('resources/') ? method : `${method} ${name}`,
    kind: SERVER_KIND,
    startTimeUnixNano: toNanos(at),
    endTimeUnixNano: toNanos(at + durationMs),
    attributes: toAttributes({
      'mcp.method.name': method,
      'mcp.protocol.era': seen.era,
      'plugboard.outcome': outcome,
      ...(server === undefined ? {} : { 'plugboard.server': server }),
      ...(isTool && name !== undefined ? { 'gen_ai.tool.name': name } : {}),
      ...(isGood ? {} : { 'error.type': String(code ?? outcome) }),
    }),
    status: isGood ? { code: OK } : { code: ERROR, message: outcome },
  }
}

function toAttributes(values: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: { stringValue: value } }))
}

function toNanos(ms: number): string {
  return `${BigInt(Math.round(ms * 1000))}000`
}

function toHex(base64url: string): string {
  const bytes = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Array.from(bytes, (byte) => byte.codePointAt(0)!.toString(16).padStart(2, '0')).join('')
}
