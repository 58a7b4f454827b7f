/**
 * shared-roots: the roots that a server gets whose session several clients share.
 *
 * A server keeps roots for the whole of its session, so it gets those of all clients that share it: never what depends on
 * whose request happens to be under way. The clients are those of the gateway's own user. While a guest is connected, too,
 * only the client whose request is under way is asked: the folders of one person are not for another.
 */
import { Abort, type Signal } from '../../base/abort.ts'
import type { Params } from '../../model/message.ts'
import { joinRoots } from '../../runtime/join-roots.ts'
import type { Clock } from '../../world/world.ts'

/** A client that is connected. */
export interface RootsClient {
  /** The only server that it can use. Undefined: all. */
  readonly server: string | undefined
  /** Whether it is the user's own. */
  readonly isOwners: boolean
  /** Whether it has said hello, and that it has roots. */
  readonly hasRoots: boolean
  listRoots(signal: Signal): Promise<readonly Params[]>
}

/** No person has to be asked for them. */
const ANSWER_MS = 5000

export class SharedRoots {
  readonly #clock: Clock
  readonly #clients = new Set<RootsClient>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The answer ends it. */
  join(client: RootsClient): () => void {
    this.#clients.add(client)
    return () => void this.#clients.delete(client)
  }

  /** Of all clients that share this server. Undefined: there are none, or not only those of the user. */
  of(server: string): readonly RootsClient[] | undefined {
    const here = [...this.#clients].filter((one) => one.server === undefined || one.server === server)
    const theirs = here.filter(({ hasRoots }) => hasRoots)
    return theirs.length > 0 && here.every(({ isOwners }) => isOwners) ? theirs : undefined
  }

  /** Rejects when none of them answers; one that does not is left out. */
  ask(clients: readonly RootsClient[], signal: Signal): Promise<readonly Params[]> {
    return joinRoots(clients.map((client) => this.#askOne(client, signal)))
  }

  async #askOne(client: RootsClient, signal: Signal): Promise<readonly Params[]> {
    const wanted = new Abort()
    const giveUp = (): void => wanted.abort()
    signal.addEventListener('abort', giveUp, { once: true })
    const cancel = this.#clock.after(ANSWER_MS, giveUp)
    try {
      return await client.listRoots(wanted)
    } finally {
      cancel()
      signal.removeEventListener('abort', giveUp)
    }
  }
}
