/**
 * seeing: collects all observability of requests: metrics, the audit log, traces.
 *
 * in     requests as they begin, and how they end
 * out    each to every recorder that is configured; the number of running requests
 */
import { IdTable } from '../../base/id-table.ts'
import type { Rate } from '../../model/gateway-setting.ts'
import type { World } from '../../world/world.ts'
import type { Audit } from './audit.ts'
import type { Refusal } from './door.ts'
import type { Metrics } from './metrics.ts'
import { RateLimit } from './rate-limit.ts'
import { RequestRecord, type Begun } from './sighting.ts'
import type { Tracer } from './tracer.ts'

export interface ObservabilityParts {
  readonly metrics: Metrics
  readonly audit?: Audit | undefined
  readonly tracer?: Tracer | undefined
}

/** Limit of refusals that are recorded one by one for one address: a web page could cause any number. */
const TOLD: Rate = { perSecond: 1, burst: 30 }

export class Observability {
  readonly metrics: Metrics
  readonly #world: World
  readonly #audit: Audit | undefined
  readonly #tracer: Tracer | undefined
  readonly #told: RateLimit
  readonly #underWay = new IdTable<Begun>()
  /** Waiters that check their condition whenever a request ends. */
  readonly #waiting = new Set<() => void>()

  constructor(world: World, { metrics, audit, tracer }: ObservabilityParts) {
    this.#world = world
    this.metrics = metrics
    this.#audit = audit
    this.#tracer = tracer
    this.#told = new RateLimit(world.clock, TOLD)
  }

  /** The request ends with `end` in every case. */
  begin(begun: Begun): RequestRecord {
    const number = this.#underWay.add(begun)
    const span = this.#tracer?.begin(begun)
    return new RequestRecord(begun, {
      at: this.#world.clock.now(),
      span,
      tell: (seen) => {
        this.#underWay.take(number)
        this.metrics.see(seen)
        this.#audit?.see(seen)
        if (span !== undefined) this.#tracer?.see(seen, span)
        for (const look of this.#waiting) look()
      },
    })
  }

  refused(why: Refusal, from: string): void {
    this.metrics.refused(why)
    if (this.#audit !== undefined && this.#told.take(from) === 0) this.#audit.refused(why, from)
  }

  get underWay(): number {
    return this.#underWay.size
  }

  /** Resolves when no request is running, or when the time is up. */
  untilIdle(limitMs: number): Promise<void> {
    return this.#until(() => this.#underWay.size === 0, limitMs)
  }

  /** Resolves when no request of a principal is running, by its key. */
  untilDone(principal: string): Promise<void> {
    return this.#until(() => this.#underWay.all().every((one) => one.principal.key !== principal))
  }

  #until(isSo: () => boolean, limitMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel?.()
        this.#waiting.delete(look)
        resolve()
      }
      const look = (): void => {
        if (isSo()) done()
      }
      const cancel = limitMs === undefined ? undefined : this.#world.clock.after(limitMs, done)
      this.#waiting.add(look)
      look()
    })
  }

  async close(): Promise<void> {
    this.#audit?.flush()
    await this.#tracer?.close()
  }
}
