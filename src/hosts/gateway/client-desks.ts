/**
 * client-desks: gives each client without a session its own loop guard for tool calls.
 *
 * in     a client, as far as the gateway can recognize it
 * out    the board's `call`, together with the last calls of that client
 * never  continues a series of calls after a pause: the next call may come from another window of the same program
 */
import type { Clock } from '../../world/world.ts'
import type { ToolCaller } from './caller.ts'
import type { Gateway } from './gateway.ts'

/**
 * A model that goes in circles calls again as soon as it has thought. A call after a longer pause starts a new series.
 */
export const PAUSE_MS = 2 * 60_000

interface GuardedClient {
  readonly desk: ToolCaller
  readonly limit: number
  usedAt: number
}

export class ClientLoopGuards {
  readonly #clock: Clock
  /** Keyed by client, and dropped together with it. */
  readonly #desks = new WeakMap<object, GuardedClient>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** `gateway`: the gateway with the servers that this client may use. */
  of(client: object, gateway: Pick<Gateway, 'board' | 'loopLimit'>): ToolCaller {
    const limit = gateway.loopLimit()
    if (limit === 0) return gateway.board
    const now = this.#clock.now()
    const known = this.#desks.get(client)
    if (known !== undefined && known.limit === limit && now - known.usedAt < PAUSE_MS) {
      known.usedAt = now
      return known.desk
    }
    const desk = gateway.board.fork({ loopLimit: limit })
    this.#desks.set(client, { desk, limit, usedAt: now })
    return desk
  }
}
