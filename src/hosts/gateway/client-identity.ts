/**
 * client-identity: which client a request without a session is of, as far as can be told.
 *
 * in     on whose behalf, from where and with what program a request comes, and what that program says of itself
 * out    the same value for all requests that look the same, until none has come for long; then it is told to be gone
 * never  takes requests of two principals for those of one client; forgets one that waits for an answer; grows without end
 *
 * Two windows of one program on one machine look the same. Nothing may rest on this that one of them must not do to the
 * other.
 */
import { digest } from '../../base/digest.ts'
import type { Params } from '../../model/message.ts'
import type { RequestClient } from '../../model/session.ts'
import { tellGone } from '../../runtime/client-life.ts'
import type { Clock } from '../../world/world.ts'
import { isOwner, type Principal } from './principal.ts'

export interface Looks {
  readonly principal: Principal
  /** The address it comes from, and what its `User-Agent` says. */
  readonly from: string
  readonly agent?: string | undefined
  /** At which endpoint. Undefined: at that of all servers. */
  readonly server: string | undefined
  /** `clientInfo`. */
  readonly info?: Params | undefined
}

/** The same text for what looks like the same client. */
export function identify({ principal, from, agent, server, info }: Looks): string {
  return JSON.stringify([principal.key, server, from, digest([agent, info])])
}

/** A client that is silent for so long is gone, as one with a session would be. */
const IDLE_MS = 30 * 60_000

const SWEEP_MS = 60_000

/** Of one principal: what programs say of themselves is theirs to invent. Beyond, the longest silent one has to go. */
export const MAX_CLIENTS = 200

interface Known {
  readonly client: RequestClient
  readonly principal: string
  seenAt: number
  underWay: number
}

/** Those who ask without a session. `onGone` of a client is told when it is forgotten. */
export class StatelessClients {
  readonly #clock: Clock
  /** The longest silent first. */
  readonly #known = new Map<string, Known>()
  #cancelSweep: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#known.size
  }

  /** The client of a request that begins; `leave` is called when it is over. */
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

  /** Those of a principal that may not come in any more, by its key; all but those that wait for an answer. */
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
