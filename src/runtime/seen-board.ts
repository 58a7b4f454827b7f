/**
 * seen-board: what there is on a board, in the eyes of clients that have servers to themselves.
 *
 * in     the servers, each with what it lists for whom
 * out    for each client the same parts of a board, with its own lists in place of those of all
 */
import type { NameStyle } from '../model/settings.ts'
import type { SeenBoard } from './board.ts'
import type { ServerSnapshot, Supervisor } from './supervisor.ts'
import { createToolList, type ToolList } from './tools.ts'

export interface Seeing {
  readonly board: SeenBoard
  servers(): readonly Supervisor[]
  style(): NameStyle
}

/** The same value for the same client. */
export function createSeen({ board, servers, style }: Seeing): (client: object) => SeenBoard {
  const made = new WeakMap<object, SeenBoard>()
  const create = (client: object): SeenBoard => {
    const toolList: ToolList = createToolList(style)
    const offeringOf = (name: string): ServerSnapshot['offering'] =>
      servers()
        .find(({ server }) => server.name === name)
        ?.offeringFor(client)
    const toOwn = (one: ServerSnapshot): ServerSnapshot => {
      const offering = offeringOf(one.name)
      return offering === undefined ? one : { ...one, offering }
    }
    return {
      tools: () =>
        toolList.of(
          servers().map((one) => ({
            server: one.server,
            connection: one.connection,
            offering: one.offeringFor(client),
          })),
        ),
      snapshot() {
        const all = board.snapshot()
        return { ...all, servers: all.servers.map(toOwn) }
      },
      server(name) {
        const one = board.server(name)
        return one === undefined ? undefined : toOwn(one)
      },
    }
  }
  return (client) => {
    const known = made.get(client) ?? create(client)
    made.set(client, known)
    return known
  }
}
