/**
 * served-board: the part of a board that clients of the gateway can reach, also for a client that may not use every
 * server. A hidden server stays hidden everywhere, because nothing else of the board is in reach.
 */
import { createProblem, ProblemError } from '../../problem/problem.ts'
import type { Board, BoardSnapshot } from '../../runtime/board.ts'
import type { BoardEvents } from '../../runtime/board-events.ts'
import type { CallArguments, CallOptions } from '../../runtime/call-tool.ts'
import type { ForkOptions } from '../../runtime/fork.ts'
import type { OpenPermissions } from '../../runtime/permissions.ts'
import type { BoardTool } from '../../runtime/tools.ts'
import type { ToolResult } from '../../model/outcome.ts'

/** The servers and tools that a client sees. */
export interface BoardView extends Pick<Board, 'tools' | 'server'> {
  snapshot(): Pick<BoardSnapshot, 'servers'>
}

export interface ServedBoard
  extends BoardView, Pick<Board, 'nameFor' | 'request' | 'rootsChanged' | 'subscribe' | 'connect'> {
  /** The view of one client. Undefined: the same as for all. */
  seenBy(client: object): BoardView | undefined
  /** As on the board. */
  meet(client: object, server?: string): Promise<void>
  /** The permission rules, for reading only. */
  permissions(): Promise<Pick<OpenPermissions, 'current'>>
  readonly call: CallServed
  fork(options: Pick<ForkOptions, 'loopLimit'>): ServedFork
  on<Event extends ServedEvent>(event: Event, listener: (told: BoardEvents[Event]) => void): () => void
}

/** By server and tool. Our own tools reach every server, and cannot be named this way. */
export type CallServed = (
  name: { readonly server: string; readonly tool: string },
  args?: CallArguments,
  options?: CallOptions,
) => Promise<ToolResult>

export interface ServedFork {
  readonly call: CallServed
  close(): Promise<void>
}

type ServedEvent = 'change' | 'notification' | 'resource'

/** The servers for which `allows` returns false do not exist for this board. */
export function limitTo(board: ServedBoard, allows: (server: string) => boolean): ServedBoard {
  const unlessKept = async <T>(server: string, work: () => Promise<T>): Promise<T> => {
    if (!allows(server)) throw new ProblemError(notThere(server))
    return work()
  }
  const guard =
    (call: CallServed): CallServed =>
    (name, args, options) =>
      unlessKept(name.server, () => call(name, args, options))
  return {
    ...limitSight(board, allows),
    seenBy(client) {
      const seen = board.seenBy(client)
      return seen === undefined ? undefined : limitSight(seen, allows)
    },
    async meet(client, server) {
      const names = server === undefined ? board.snapshot().servers.map(({ name }) => name) : [server]
      await Promise.all(names.filter(allows).map((name) => board.meet(client, name)))
    },
    permissions: () => board.permissions(),
    nameFor: (server, name) => board.nameFor(server, name),
    call: guard((name, args, options) => board.call(name, args, options)),
    fork(options) {
      const fork = board.fork(options)
      return { call: guard((name, args, how) => fork.call(name, args, how)), close: () => fork.close() }
    },
    request: (server, ...rest) => unlessKept(server, () => board.request(server, ...rest)),
    rootsChanged(server, client) {
      if (server !== undefined && allows(server)) board.rootsChanged(server, client)
    },
    subscribe: (server, ...rest) => unlessKept(server, () => board.subscribe(server, ...rest)),
    connect: (server, options) => unlessKept(server, () => board.connect(server, options)),
    on: (event, listener) =>
      board.on(event, (told) => {
        const mine = ofAllowed(told, allows)
        if (mine !== undefined) listener(mine)
      }),
  }
}

function limitSight(seen: BoardView, allows: (server: string) => boolean): BoardView {
  return {
    tools: filtered(() => seen.tools(), allows),
    snapshot: () => ({ servers: seen.snapshot().servers.filter(({ name }) => allows(name)) }),
    server: (name) => (allows(name) ? seen.server(name) : undefined),
  }
}

/** The same board, as one client sees it. */
export function seenAs(board: ServedBoard, seen: BoardView): ServedBoard {
  return {
    tools: () => seen.tools(),
    snapshot: () => seen.snapshot(),
    server: (name) => seen.server(name),
    seenBy: (client) => board.seenBy(client),
    meet: (client, server) => board.meet(client, server),
    nameFor: (...of) => board.nameFor(...of),
    permissions: () => board.permissions(),
    call: (...call) => board.call(...call),
    fork: (options) => board.fork(options),
    request: (...request) => board.request(...request),
    rootsChanged: (...of) => board.rootsChanged(...of),
    subscribe: (...to) => board.subscribe(...to),
    connect: (...to) => board.connect(...to),
    on: (...listening) => board.on(...listening),
  }
}

function ofAllowed<Told extends BoardEvents[ServedEvent]>(
  told: Told,
  allows: (server: string) => boolean,
): Told | undefined {
  if (!('servers' in told)) return allows(told.server) ? told : undefined
  const servers = told.servers.filter(allows)
  return servers.length === 0 ? undefined : { ...told, servers }
}

/** Returns the same list object until the whole list changes. */
function filtered(
  list: () => readonly BoardTool[],
  allows: (server: string) => boolean,
): () => readonly BoardTool[] {
  let seen: readonly BoardTool[] | undefined
  let shown: readonly BoardTool[] = []
  return () => {
    const all = list()
    if (all !== seen) shown = all.filter(({ server }) => allows(server))
    seen = all
    return shown
  }
}

/** One server as this client sees it, or as all clients do. */
export function serverFor(
  board: ServedBoard,
  server: string,
  client: object | undefined,
): ReturnType<ServedBoard['server']> {
  const sight = client === undefined ? undefined : board.seenBy(client)
  return (sight ?? board).server(server)
}

/** The same words whether the server exists or not. */
function notThere(server: string): ConstructorParameters<typeof ProblemError>[0] {
  return createProblem({
    code: 'serve/not-granted',
    message: `there is no server \`${server}\` for this client`,
  })
}
