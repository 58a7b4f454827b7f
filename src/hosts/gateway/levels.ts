/**
 * levels: sets the log level of each legacy server, and of each server of both eras that is legacy for legacy clients.
 * A modern server gets the level with each request.
 *
 * in     the levels that clients want, permanently or for one request
 * out    `logging/setLevel` with the most verbose of them, whenever a server does not have it yet
 * never  lets a server that refuses the level delay a client: that server logs as it likes, and each client still gets
 *        only the levels it wants
 */
import type { Connection } from '../../model/connection.ts'
import type { ServerSnapshot } from '../../runtime/supervisor.ts'
import { mostTalkative, type Caller } from './caller.ts'
import { serverFor, type ServedBoard } from './served-board.ts'

export class Levels {
  readonly #wanted = new Map<object, string>()
  /** Keyed by the connection: a new one starts without a level. */
  readonly #told = new WeakMap<Connection, string>()

  /** Sets what a client wants from now on. Undefined: the client is gone. */
  async set(board: ServedBoard, client: object, level: string | undefined): Promise<void> {
    if (level === undefined) return void this.#wanted.delete(client)
    this.#wanted.set(client, level)
    const wanted = mostTalkative([...this.#wanted.values()])
    const { servers } = (board.seenBy(client) ?? board).snapshot()
    await Promise.all(servers.map((one) => this.#tell(board, one, wanted)))
  }

  /**
   * Runs before a request, so that the server logs as much as its client wants. Undefined: the server has the level
   * already.
   */
  before(
    board: ServedBoard,
    server: string,
    { logLevel: ofRequest, instance }: Pick<Caller, 'logLevel' | 'instance'>,
  ): Promise<void> | undefined {
    if (ofRequest === undefined && this.#wanted.size === 0) return undefined
    const one = serverFor(board, server, instance)
    if (one === undefined || !hearsLevel(one)) return undefined
    const told = this.#told.get(one.connection)
    const all = [...this.#wanted.values(), ...[ofRequest, told].filter((level) => level !== undefined)]
    const wanted = mostTalkative(all)
    return wanted === told ? undefined : this.#tell(board, one, wanted)
  }

  async #tell(board: ServedBoard, one: ServerSnapshot, level: string): Promise<void> {
    if (!hearsLevel(one)) return
    this.#told.set(one.connection, level)
    await board.request(one.name, 'logging/setLevel', { level }).catch(() => undefined)
  }
}

function hearsLevel({ connection, era, offering }: ServerSnapshot): boolean {
  const isLegacy = connection.state === 'ready' && era === 'legacy'
  return isLegacy && offering?.hello.capabilities['logging'] !== undefined
}
