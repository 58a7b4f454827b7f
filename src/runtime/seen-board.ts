/**
 * seen-board: what there is on a board, in the eyes of clients that have servers to themselves.
 *
 * in     the servers, each with what it lists for whom
 * out    for each client the same parts of a board, with its own lists in place of those of all
 */
import type { NameStyle } from '../model/settings.ts'
import type { ServerSnapshot, Supervisor } from './supervisor.ts'
import { createToolList, type BoardTool } from './tools.ts'

/** What there is on a board, in the eyes of somebody. */
export interface SeenBoard<Snapshot extends WithServers> {
  tools(): readonly BoardTool[]
  snapshot(): Snapshot
  server(name: string): ServerSnapshot | undefined
}

interface WithServers {
  readonly servers: readonly ServerSnapshot[]
}

export interface Seeing<Snapshot extends WithServers> {
  readonly board: SeenBoard<Snapshot>
  servers(): readonly Supervisor[]
  style(): NameStyle
}

/** The same value for the same client. */
export function createSeen<Snapshot extends WithServers>({
  board,
  servers,
  style,
}: Seeing<Snapshot>): (client: object) => SeenBoard<Snapshot> {
  const made = new WeakMap<object, SeenBoard<Snapshot>>()
  const create = (client: object): SeenBoard<Snapshot> => {
    const toolList = createToolList(style)
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
