/**
 * client-desks: where clients without a session call tools, so that each has a loop guard of its own.
 *
 * in     a client, as far as it can be told from others
 * out    its desk: the board's, with the row of its last calls
 * never  goes on with a row after a pause: whoever comes then may be another window of the same program
 */
import type { Clock } from '../../world/world.ts'
import type { ToolDesk } from './caller.ts'
import type { Gateway } from './gateway.ts'

/** A model that goes in circles calls again as soon as it has thought; what comes later is no row. */
export const PAUSE_MS = 2 * 60_000

interface Desk {
  readonly desk: ToolDesk
  readonly limit: number
  usedAt: number
}

export class ClientDesks {
  readonly #clock: Clock
  /** Of clients; forgotten with them. */
  readonly #desks = new WeakMap<object, Desk>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** `gateway`: as this client may use it. */
  of(client: object, gateway: Pick<Gateway, 'board' | 'loopLimit'>): ToolDesk {
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
