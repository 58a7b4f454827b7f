/**
 * rate-limit: limits how often one client may send requests. Each client has a bucket that fills at a steady rate.
 *
 * in     the key of a client
 * out    0, or the seconds until the client may send again
 * never  remembers clients that have been silent for a while; grows without end
 */
import type { Rate } from '../../model/gateway-setting.ts'
import type { Clock } from '../../world/world.ts'

interface Bucket {
  left: number
  at: number
}

/** More clients than send at once in practice. Beyond it, the oldest are forgotten. */
const MAX_BUCKETS = 10_000

export class RateLimit {
  readonly #clock: Clock
  readonly #rate: Rate
  readonly #buckets = new Map<string, Bucket>()

  constructor(clock: Clock, rate: Rate) {
    this.#clock = clock
    this.#rate = rate
  }

  /** Takes one from the bucket, if it holds one. */
  take(key: string): number {
    const bucket = this.#fill(key)
    if (bucket.left < 1) return this.#secondsFor(bucket)
    bucket.left -= 1
    return 0
  }

  /** As `take`, but takes nothing. */
  look(key: string): number {
    const bucket = this.#buckets.get(key)
    if (bucket === undefined) return 0
    this.#refill(bucket)
    return bucket.left < 1 ? this.#secondsFor(bucket) : 0
  }

  #fill(key: string): Bucket {
    const known = this.#buckets.get(key)
    if (known !== undefined) {
      this.#refill(known)
      return known
    }
    if (this.#buckets.size >= MAX_BUCKETS) this.#forget()
    const made = { left: this.#rate.burst, at: this.#clock.now() }
    this.#buckets.set(key, made)
    return made
  }

  #refill(bucket: Bucket): void {
    const now = this.#clock.now()
    const { perSecond, burst } = this.#rate
    // A clock that was set back neither adds nor removes.
    const gained = (Math.max(0, now - bucket.at) / 1000) * perSecond
    bucket.left = Math.min(burst, bucket.left + gained)
    bucket.at = now
  }

  #secondsFor({ left }: Bucket): number {
    return Math.max(1, Math.ceil((1 - left) / this.#rate.perSecond))
  }

  /** Forgets full buckets: a new one would be the same. If none is full, forgets the oldest half. */
  #forget(): void {
    for (const [key, bucket] of this.#buckets) {
      this.#refill(bucket)
      if (bucket.left >= this.#rate.burst) this.#buckets.delete(key)
    }
    if (this.#buckets.size < MAX_BUCKETS) return
    const oldest = [...this.#buckets.keys()].slice(0, MAX_BUCKETS / 2)
    for (const key of oldest) this.#buckets.delete(key)
  }
}
