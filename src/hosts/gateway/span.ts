/**
 * span: the place of a request in a trace (W3C Trace Context): its parent, and what the gateway passes on.
 *
 * in     `traceparent` as the client sent it, in `_meta` or as a header
 * out    our own span in that trace, or in a new one; the `traceparent` for the server behind
 */
import { isObject } from '../../base/is-object.ts'
import type { Params } from '../../model/message.ts'

export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 of them. */
  readonly spanId: string
  readonly parentId?: string | undefined
  readonly state?: string | undefined
  /** Whether it is exported. A span that is not exported is still passed on. */
  readonly isSampled: boolean
}

export interface SpanOptions {
  /** Returns this many random bytes, in hexadecimal digits. */
  random(bytes: number): string
  /** Whether a trace that begins here is exported, by its id. */
  isSampled(traceId: string): boolean
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** The value in the message takes precedence over the HTTP header: the client itself wrote it. */
export function toSpan(params: Params, headers: Headers | undefined, options: SpanOptions): Span {
  const meta = isObject(params['_meta']) ? params['_meta'] : {}
  const inMessage = parseParent(meta['traceparent'])
  const parent = inMessage ?? parseParent(headers?.['traceparent'])
  const spanId = options.random(8)
  if (parent === undefined) {
    const traceId = options.random(16)
    return { traceId, spanId, isSampled: options.isSampled(traceId) }
  }
  const state = inMessage === undefined ? headers?.['tracestate'] : meta['tracestate']
  return { ...parent, spanId, ...(typeof state === 'string' ? { state } : {}) }
}

/** The value that is passed on. */
export function traceparentOf({ traceId, spanId, isSampled }: Span): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

/** Undefined for an invalid value, which starts a new trace. */
function parseParent(value: unknown): Pick<Span, 'traceId' | 'parentId' | 'isSampled'> | undefined {
  if (typeof value !== 'string') return undefined
  const [, version, traceId, parentId, flags] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/.exec(value.trim()) ?? []
  if (traceId === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(parentId!))
    return undefined
  return { traceId, parentId, isSampled: (Number.parseInt(flags!, 16) & 1) === 1 }
}
