/**
 * sessions: a Session that answers from a table, in memory.
 */
import type { Params, Result, RpcError } from '../../../src/model/message.ts'
import { SessionError, type Era, type RequestOptions, type Session } from '../../../src/model/session.ts'
import type { WireKind } from '../../../src/model/wire.ts'

/** Gives the result, or throws. */
export type Answer = (params: Params, options: RequestOptions) => Result | Promise<Result>

export interface Asked {
  readonly method: string
  readonly params: Params | undefined
}

export interface MemorySession extends Session {
  readonly asked: readonly Asked[]
}

export interface MemorySessionOptions {
  readonly era?: Era
  readonly wire?: WireKind
  /** What the methods below are, unless given. */
  readonly capabilities?: Readonly<Record<string, unknown>>
}

export function createMemorySession(
  answers: Readonly<Record<string, Result | Answer>>,
  { era = 'legacy', wire = 'stdio', ...options }: MemorySessionOptions = {},
): MemorySession {
  const asked: Asked[] = []
  const capabilities =
    options.capabilities ??
    Object.fromEntries(Object.keys(answers).map((method) => [method.split('/')[0]!, {}]))
  return {
    asked,
    wire,
    hello: { era, version: era === 'modern' ? '2026-07-28' : '2025-11-25', capabilities },
    async request(method, params, requestOptions = {}) {
      asked.push({ method, params })
      const answer = answers[method]
      if (answer === undefined) throw rpcError({ code: -32601, message: 'Method not found' })
      return typeof answer === 'function' ? (answer as Answer)(params ?? {}, requestOptions) : answer
    },
    notify: () => undefined,
    subscriptions: { add: async () => undefined, remove: () => undefined },
    drained: async () => undefined,
    close: async () => undefined,
  }
}

export function rpcError(error: RpcError): SessionError {
  return new SessionError({ kind: 'rpc', error })
}

/** Answers never, and rejects as a session does when it is told to stop. */
export const silence: Answer = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new SessionError({ kind: 'aborted', wasSent: true })))
  })
