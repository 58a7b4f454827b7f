/**
 * levels: how much each legacy server is asked to log, and each that is one to legacy clients. To a modern one it is told
 * with each request.
 *
 * in     what clients want, for good or for one request
 * out    `logging/setLevel` with what the most talkative of them wants, whenever a server has not heard it yet
 * never  lets a server that refuses hinder anybody: it logs as it likes, and nobody hears more than they want
 */
import type { Connection } from '../../model/connection.ts'
import type { ServerSnapshot } from '../../runtime/supervisor.ts'
import { mostTalkative, type Caller } from './caller.ts'
import { serverFor, type ServedBoard } from './served-board.ts'

export class Levels {
  readonly #wanted = new Map<object, string>()
  /** By what is another after each connect, when the server has forgotten. */
  readonly #told = new WeakMap<Connection, string>()

  /** What a client wants from now on. Undefined: it is gone. */
  async set(board: ServedBoard, client: object, level: string | undefined): Promise<void> {
    if (level === undefined) return void this.#wanted.delete(client)
    this.#wanted.set(client, level)
    const wanted = mostTalkative([...this.#wanted.values()])
    const { servers } = (board.seenBy(client) ?? board).snapshot()
    await Promise.all(servers.map((one) => this.#tell(board, one, wanted)))
  }

  /** Before a request of somebody who wants to hear as much. Undefined: there is nothing to tell. */
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
