/**
 * client-identity: recognizes the client of a request without a session, as far as possible.
 *
 * in     the principal, address and program of a request, and what that program says of itself
 * out    the same value for all requests that look the same, until none has come for a long time; then `onGone` reports
 *        it
 * never  merges requests of two principals into one client; forgets a client that waits for an answer; grows without
 *        end
 *
 * Two windows of one program on one machine look the same. So this value must protect nothing that one of them must not
 * do to the other.
 */
import { digest } from '../../base/digest.ts'
import type { Params } from '../../model/message.ts'
import type { RequestClient } from '../../model/session.ts'
import { tellGone } from '../../runtime/client-life.ts'
import type { Clock } from '../../world/world.ts'
import { isOwner, type Principal } from './principal.ts'

export interface Looks {
  readonly principal: Principal
  /** The address of the client, and its `User-Agent`. */
  readonly from: string
  readonly agent?: string | undefined
  /** The endpoint of this server. Undefined: the endpoint of all servers. */
  readonly server: string | undefined
  /** `clientInfo`. */
  readonly info?: Params | undefined
}

/** Returns the same text for requests that look like the same client. */
export function identify({ principal, from, agent, server, info }: Looks): string {
  return JSON.stringify([principal.key, server, from, digest([agent, info])])
}

/** A client that is silent for this long is gone, like a client with a session. */
const IDLE_MS = 30 * 60_000

const SWEEP_MS = 60_000

/**
 * Limit for one principal, because programs can invent what they say of themselves. Beyond it, the client that has been
 * silent longest is dropped.
 */
export const MAX_CLIENTS = 200

interface Known {
  readonly client: RequestClient
  readonly principal: string
  seenAt: number
  underWay: number
}

/** The clients that send requests without a session. `onGone` is called when one is forgotten. */
export class StatelessClients {
  readonly #clock: Clock
  /** The client that has been silent longest comes first. */
  readonly #known = new Map<string, Known>()
  #cancelSweep: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#known.size
  }

  /** The client of a request that begins. The caller calls `leave` when the request is over. */
  meet(looks: Looks): { readonly client: RequestClient; leave(): void } {
    const id = identify(looks)
    const known = this.#known.get(id) ?? this.#add(looks.principal)
    this.#known.delete(id)
    this.#known.set(id, known)
    known.seenAt = this.#clock.now()
    known.underWay += 1
    return {
      client: known.client,
      leave: () => {
        known.underWay -= 1
        known.seenAt = this.#clock.now()
      },
    }
  }

  /**
   * Forgets the clients of a principal that has lost its access, by the principal's key. Clients that wait for an
   * answer stay.
   */
  dismiss(principal: string): void {
    this.#forget((one) => one.principal === principal && one.underWay === 0)
  }

  close(): void {
    this.#cancelSweep?.()
    this.#forget(() => true)
  }

  #add(principal: Principal): Known {
    const { key } = principal
    const theirs = [...this.#known.values()].filter((one) => one.principal === key)
    const oldest = theirs.length < MAX_CLIENTS ? undefined : theirs.find(({ underWay }) => underWay === 0)
    if (oldest !== undefined) this.#forget((one) => one === oldest)
    this.#sweepLater()
    const client = isOwner(principal) ? {} : { guest: key, person: principal.person }
    return { client, principal: key, seenAt: 0, underWay: 0 }
  }

  #forget(isGone: (one: Known) => boolean): void {
    for (const [id, one] of this.#known) {
      if (!isGone(one)) continue
      this.#known.delete(id)
      tellGone(one.client)
    }
  }

  #sweepLater(): void {
    this.#cancelSweep ??= this.#clock.after(SWEEP_MS, () => {
      this.#cancelSweep = undefined
      const old = this.#clock.now() - IDLE_MS
      this.#forget(({ seenAt, underWay }) => seenAt < old && underWay === 0)
      if (this.#known.size > 0) this.#sweepLater()
    })
  }
}
