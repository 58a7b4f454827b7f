/**
 * subscriber: the resources whose changes one client wants to hear of, and how to give them up.
 */
import type { ServedBoard } from './served-board.ts'
import type { View } from './view.ts'

export class Subscriber {
  readonly #board: ServedBoard
  readonly #view: View
  readonly #stops = new Map<string, () => void>()

  constructor(board: ServedBoard, view: View) {
    this.#board = board
    this.#view = view
  }

  /** Rejects as `board.subscribe` does. */
  async add(uri: string, signal: AbortSignal): Promise<boolean> {
    const [server] = this.#view.ownersOf(uri)
    if (server === undefined) return false
    const stop = await this.#board.subscribe(server, uri, { signal })
    this.remove(uri)
    this.#stops.set(uri, stop)
    return true
  }

  remove(uri: string): void {
    this.#stops.get(uri)?.()
    this.#stops.delete(uri)
  }

  /** A server may tell of a resource below the one that was asked for. */
  wants(uri: string): boolean {
    return this.#stops.has(uri) || [...this.#stops.keys()].some((known) => uri.startsWith(`${known}/`))
  }

  close(): void {
    for (const stop of this.#stops.values()) stop()
    this.#stops.clear()
  }
}
