/**
 * visit-board: a running board, as one command sees it.
 *
 * in     the board, and which servers the command asks for
 * out    a board on which the other servers are idle, as on a board that was opened for this command alone
 * never  closes anything but what was started for this command alone
 */
import type { Clock } from '../world/world.ts'
import type { Board, BoardSnapshot, GatherOptions } from './board.ts'
import { tellGone } from './client-life.ts'
import type { ServerReadiness } from './readiness.ts'

/** Uses what the files say now, and waits for servers as when a board is opened. */
export async function visitBoard(board: Board, clock: Clock, options: GatherOptions): Promise<Board> {
  const openedAt = clock.now()
  const client = { isPassing: true } as const
  const { only } = options
  const asked = only === undefined ? undefined : new Set(only)
  const isAsked = (server: string): boolean => asked === undefined || asked.has(server)
  const note = (server: string): void => void asked?.add(server)
  await board.catchUp()
  await board.gather(options)
  return {
    tools: () => board.tools().filter(({ server }) => isAsked(server)),
    builtinTools: () => board.builtinTools(),
    systemPromptSection: () => board.systemPromptSection(),
    permissions: () => board.permissions(),
    snapshot() {
      const all = board.snapshot()
      return { ...all, servers: all.servers.map((one) => (isAsked(one.name) ? one : toIdle(one))) }
    },
    server(name) {
      const one = board.server(name)
      return one === undefined || isAsked(name) ? one : toIdle(one)
    },
    seenBy: (one) => board.seenBy(one),
    meet: (one, server) => board.meet(one, server),
    approved: () => board.approved(),
    readiness() {
      const servers = board.readiness().servers.map((one) => (isAsked(one.name) ? one : toIdleReadiness(one)))
      const ok = servers.every(({ required, state }) => !required || state === 'ready' || state === 'idle')
      return { ok, waitedMs: clock.now() - openedAt, servers }
    },
    nameFor: (server, name) => board.nameFor(server, name),
    call: (name, args, how) => board.call(name, args, { ...how, client }),
    fork: (how) => board.fork(how),
    request: (server, method, params, how) => board.request(server, method, params, { ...how, client }),
    complete: (ref, argument, context) => board.complete(ref, argument, context),
    rootsChanged: (server, of) => board.rootsChanged(server, of),
    subscribe: (server, uri, how) => board.subscribe(server, uri, how),
    connect(server, how) {
      note(server)
      return board.connect(server, how)
    },
    waitFor(server, how) {
      note(server)
      return board.waitFor(server, how)
    },
    disconnect: (server) => board.disconnect(server),
    restart: (server) => board.restart(server),
    login: (server, how) => board.login(server, how),
    reload: () => board.reload(),
    catchUp: () => board.catchUp(),
    gather: (how) => board.gather(how),
    on: (event, listener) => board.on(event, listener),
    close: async () => tellGone(client),
    [Symbol.asyncDispose]: async () => tellGone(client),
  }
}

type Server = BoardSnapshot['servers'][number]

function toIdle({ name, origin }: Server): Server {
  return { name, origin, connection: { state: 'idle' }, stages: [], warnings: [] }
}

function toIdleReadiness({ name, required }: ServerReadiness): ServerReadiness {
  return { name, state: 'idle', required, tools: 0 }
}
