/**
 * sighting: the record of one running request, for metrics, the audit log and traces.
 *
 * in     what the code that carries out the request learns
 * out    one Seen value, when the request ends
 * never  reports a request twice
 */
import type { Params } from '../../model/message.ts'
import { ToolAbortError, type ToolResult } from '../../model/outcome.ts'
import type { Evidence, Permission } from '../../model/permission.ts'
import type { Era } from '../../model/session.ts'
import { toFault } from './fault.ts'
import type { Principal } from './principal.ts'
import type { Span } from './span.ts'

export interface Begun {
  readonly principal: Principal
  readonly era: Era
  readonly method: string
  readonly params: Params
  /** The name that the client gives itself. */
  readonly client?: string | undefined
  /** Size of the request. */
  readonly bytes: number
  /** `traceparent` and `tracestate` from the HTTP request. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined
}

/** A finished request. */
export interface Seen extends Omit<Begun, 'bytes' | 'headers'> {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly durationMs: number
  readonly server?: string | undefined
  /** The server's own name for it: a tool or a prompt; or a URI. */
  readonly name?: string | undefined
  readonly verdict?: { readonly action: 'allow' | 'deny'; readonly by?: Evidence | undefined } | undefined
  readonly outcome: SeenOutcome
  /** The reason why a call was not sent; for an error of the protocol, its number. */
  readonly code?: string | number | undefined
  readonly bytesIn: number
  readonly bytesOut: number
  readonly traceId?: string | undefined
}

/** As for calls. `asked`: the client has to answer a question first. */
export type SeenOutcome = ToolResult['outcome'] | 'asked'

export class RequestRecord {
  readonly begun: Begun
  readonly span: Span | undefined
  readonly #at: number
  readonly #startedAt: number
  readonly #tell: (seen: Seen) => void
  #server: string | undefined
  #name: string | undefined
  #verdict: Seen['verdict']
  #outcome: SeenOutcome | undefined
  #code: string | number | undefined
  #isOver = false

  constructor(
    begun: Begun,
    how: { readonly at: number; readonly span: Span | undefined; readonly tell: (seen: Seen) => void },
  ) {
    this.begun = begun
    this.span = how.span
    this.#at = how.at
    this.#startedAt = performance.now()
    this.#tell = how.tell
  }

  /** Records the server and the item that the request is for. */
  at(server: string, name: string): void {
    this.#server = server
    this.#name = name
  }

  judged(permission: Permission): void {
    this.#verdict = { action: permission.kind === 'allowed' ? 'allow' : 'deny', by: permission.by }
  }

  became({ outcome, code }: Pick<ToolResult, 'outcome' | 'code'>): void {
    this.#outcome = outcome
    this.#code = code
  }

  asked(): void {
    this.#outcome = 'asked'
  }

  failed(error: unknown): void {
    if (this.#outcome !== undefined) return
    if (error instanceof ToolAbortError) this.#outcome = 'aborted'
    else {
      this.#outcome = 'failed'
      this.#code = toFault(error).fault.code
    }
  }

  aborted(): void {
    this.#outcome ??= 'aborted'
  }

  end(bytesOut: number): void {
    if (this.#isOver) return
    this.#isOver = true
    // Field by field: this runs for every request, and spreading costs more than all the rest.
    const { principal, era, method, params, client, bytes } = this.begun
    this.#tell({
      principal,
      era,
      method,
      params,
      client,
      at: this.#at,
      durationMs: performance.now() - this.#startedAt,
      server: this.#server,
      name: this.#name,
      verdict: this.#verdict,
      outcome: this.#outcome ?? 'done',
      code: this.#code,
      bytesIn: bytes,
      bytesOut,
      traceId: this.span?.traceId,
    })
  }
}
