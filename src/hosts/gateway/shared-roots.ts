/**
 * shared-roots: the roots for a server whose session several clients share.
 *
 * A server keeps roots for its whole session, so it gets those of all clients that share it. They never depend on which
 * request happens to run. These clients belong to the gateway's own user. While a guest is connected too, only the
 * client of the running request is asked: the folders of one person are not for another.
 */
import { Abort, type Signal } from '../../base/abort.ts'
import type { Params } from '../../model/message.ts'
import { joinRoots } from '../../runtime/join-roots.ts'
import type { Clock } from '../../world/world.ts'

/** A client that is connected. */
export interface RootsClient {
  /** The only server that it can use. Undefined: all. */
  readonly server: string | undefined
  /** Whether the client belongs to the gateway's own user. */
  readonly isOwners: boolean
  /** Whether it has sent `initialized`, and declared roots. */
  readonly hasRoots: boolean
  listRoots(signal: Signal): Promise<readonly Params[]>
}

/** Short, because a program answers, not a user. */
const ANSWER_MS = 5000

export class SharedRoots {
  readonly #clock: Clock
  readonly #clients = new Set<RootsClient>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Call the returned function to end it. */
  join(client: RootsClient): () => void {
    this.#clients.add(client)
    return () => void this.#clients.delete(client)
  }

  /** All clients that share this server. Undefined: there are none, or some are not the user's own. */
  of(server: string): readonly RootsClient[] | undefined {
    const here = [...this.#clients].filter((one) => one.server === undefined || one.server === server)
    const theirs = here.filter(({ hasRoots }) => hasRoots)
    return theirs.length > 0 && here.every(({ isOwners }) => isOwners) ? theirs : undefined
  }

  /** Rejects when no client answers. A client that does not answer is left out. */
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
