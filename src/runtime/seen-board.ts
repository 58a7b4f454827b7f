/**
 * seen-board: a board as one client of a gateway sees it.
 *
 * in     the servers, each with its lists for each client
 * out    the same parts of a board: tools as their user approved them, and what a server lists for one client alone
 */
import type { Offering } from '../model/offering.ts'
import type { NameStyle } from '../model/settings.ts'
import type { ApprovedTools } from './approved-tools.ts'
import type { ServerSnapshot, Supervisor } from './supervisor.ts'
import { createToolList, type BoardTool } from './tools.ts'

/** The parts of a board that depend on the client. */
export interface SeenBoard<Snapshot extends WithServers> {
  tools(): readonly BoardTool[]
  snapshot(): Snapshot
  server(name: string): ServerSnapshot | undefined
}

interface WithServers {
  readonly servers: readonly ServerSnapshot[]
}

export interface ClientViewSource<Snapshot extends WithServers> {
  readonly board: SeenBoard<Snapshot>
  readonly approved: ApprovedTools
  servers(): readonly Supervisor[]
  find(server: string): Supervisor | undefined
  style(): NameStyle
}

/** The view of this client. Without one, the view of all clients that have no session of their own. */
export function createSeen<Snapshot extends WithServers>(
  { board, approved, servers, find, style }: ClientViewSource<Snapshot>,
  client?: object,
): SeenBoard<Snapshot> {
  const offeringOf = (one: Supervisor): Offering | undefined => {
    const offering = one.offeringFor(client)
    return offering === undefined ? undefined : approved.offering(one.server.name, offering)
  }
  const toSeen = (one: ServerSnapshot): ServerSnapshot => {
    const by = find(one.name)
    const offering = by === undefined ? undefined : offeringOf(by)
    if (offering === undefined || offering === one.offering) return one
    return { ...one, offering, era: offering.hello.era }
  }
  // The offerings are in the approved form already.
  const toolList = createToolList({ style, approved: (_server, listed) => listed })
  return {
    tools: () =>
      toolList.of(
        servers().map((one) => ({
          server: one.server,
          connection: one.connection,
          offering: offeringOf(one),
        })),
      ),
    snapshot() {
      const all = board.snapshot()
      return { ...all, servers: all.servers.map(toSeen) }
    },
    server(name) {
      const one = board.server(name)
      return one === undefined ? undefined : toSeen(one)
    },
  }
}
