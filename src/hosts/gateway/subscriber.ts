/**
 * subscriber: the resources that one client is subscribed to, and how to end the subscriptions.
 */
import type { Signal } from '../../base/abort.ts'
import { invalid } from './fault.ts'
import type { Gateway } from './gateway.ts'
import { heed, mayRead } from './reading.ts'
import type { RequestRecord } from './sighting.ts'
import type { View } from './view.ts'

/** Limit for one client, or for one stream. */
export const MAX_URIS = 1000

export class Subscriber {
  readonly #gateway: Pick<Gateway, 'board' | 'world'>
  readonly #view: () => View
  /** As `Caller.instance`. */
  readonly #client: object | undefined
  readonly #stops = new Map<string, () => void>()
  #onTheWay = 0

  constructor(gateway: Pick<Gateway, 'board' | 'world'>, view: () => View, client: object | undefined) {
    this.#gateway = gateway
    this.#view = view
    this.#client = client
  }

  /** Rejects with `permit/denied`, and with the errors of `board.subscribe`. */
  async add(uri: string, signal: Signal, sighting?: RequestRecord): Promise<boolean> {
    const { board, world } = this.#gateway
    const [server] = this.#view().ownersOf(uri)
    if (server === undefined) return false
    const permission = await mayRead(board, { tool: 'readMcpResource', server }, world.platform)
    heed(permission, { server, name: uri }, sighting)
    if (this.#stops.size + this.#onTheWay >= MAX_URIS && !this.#stops.has(uri))
      throw invalid(`nobody hears of more than ${MAX_URIS} resources at once`)
    this.#onTheWay += 1
    try {
      const stop = await board.subscribe(server, uri, { signal, client: this.#client })
      this.remove(uri)
      this.#stops.set(uri, stop)
    } finally {
      this.#onTheWay -= 1
    }
    return true
  }

  remove(uri: string): void {
    this.#stops.get(uri)?.()
    this.#stops.delete(uri)
  }

  /** A server may announce a resource below the subscribed one. */
  wants(uri: string): boolean {
    return this.#stops.has(uri) || [...this.#stops.keys()].some((known) => uri.startsWith(`${known}/`))
  }

  close(): void {
    for (const stop of this.#stops.values()) stop()
    this.#stops.clear()
  }
}
