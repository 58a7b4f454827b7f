/**
 * oracle: one way of talking to a server, so that two can be asked the same and compared.
 *
 * What an oracle gives is normalised only where the two differ by design; each such place is one of the exceptions
 * below, and its name stands where it is applied.
 *
 *   RESULT_TYPE      a modern result says `resultType: complete`. We give results as they came; the SDK takes it off.
 *   PROGRESS_TOKEN   progress comes with the token of its request. We keep it; the SDK takes it off.
 *   LAST_PROGRESS    progress right before the result: the SDK handles the result first and drops it. We tell it.
 *   NOT_FOUND_BODY   a modern server answers an unknown method with HTTP 404 and a JSON-RPC error in the body. We read
 *                    the error, as the specification wants; to the SDK it is a failure of the transport.
 *   OWN_META         the SDK hides `_meta` keys of the protocol in what the server tells or asks; we keep them.
 *   PAGES            a request that fails because somebody must open a page first (-32042): we ask the host and send it
 *                    once more. The SDK leaves both to its user.
 *   TASKS            a tool that can only be called as a task of 2025-11-25: we quarantine it, the SDK lists it.
 *   REFUSAL_WORDS    who cannot answer a question says so with the same code, in words of its own.
 */
import type { Params } from '../../src/model/message.ts'
import type { Era } from '../../src/model/session.ts'

export interface Oracle extends AsyncDisposable {
  readonly hello: HelloFacts
  readonly diary: Diary
  /** LAST_PROGRESS */
  readonly hearsLastProgress: 'always' | 'perhaps'
  ask(method: string, params?: Params, options?: AskOptions): Promise<Outcome>
  /** All pages, read by whatever this client has for it. */
  listTools(): Promise<readonly unknown[]>
}

export interface HelloFacts {
  readonly version: unknown
  readonly capabilities: unknown
  readonly serverInfo: unknown
  readonly instructions: unknown
}

export interface AskOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly onProgress?: (progress: Params) => void
}

export type Outcome =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  /** It never came to an answer, or to one that is none. */
  | { readonly failed: 'timeout' | 'aborted' | 'lost' | 'bad-answer' }

export interface OpenOptions {
  readonly era: Era | 'auto'
  readonly diary: Diary
  /** `none`: questions of the server find nobody to answer them. Default: `all`. */
  readonly answers?: 'all' | 'none'
  readonly logLevel?: string
}

export type Place =
  | { readonly kind: 'stdio'; readonly args: readonly string[] }
  | { readonly kind: 'http' | 'sse'; readonly url: string }

export type OpenOracle = (place: Place, options: OpenOptions) => Promise<Oracle>

/** What a server tells of its own accord, asks, and writes beside the protocol. */
export interface Diary {
  readonly told: readonly Told[]
  readonly asked: readonly Told[]
  readonly lines: readonly string[]
  write(kind: 'told' | 'asked', method: string, params: Params | undefined): void
  writeLine(line: string): void
  /** Resolves when the claim holds; it is looked at after each entry. */
  until(claim: () => boolean): Promise<void>
}

export interface Told {
  readonly method: string
  readonly params: Params
}

export function createDiary(): Diary {
  const pages = { told: [] as Told[], asked: [] as Told[] }
  const lines: string[] = []
  let waiting: (() => void)[] = []
  const wake = (): void => {
    const woken = waiting
    waiting = []
    for (const look of woken) look()
  }
  return {
    ...pages,
    lines,
    write(kind, method, params = {}) {
      const { _meta: _, ...rest } = params // OWN_META
      pages[kind].push({ method, params: rest })
      wake()
    },
    writeLine(line) {
      lines.push(line)
      wake()
    },
    async until(claim) {
      while (!claim()) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}

/** What both clients answer. */
export const ANSWERS = {
  elicit: { action: 'accept', content: { name: 'Ada' } },
  sample: { role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'test' },
  roots: [{ uri: 'file:///src/shop', name: 'shop' }],
} as const

export const CLIENT = { name: 'differential', version: '1.0.0' }
