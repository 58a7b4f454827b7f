/**
 * serve: a board with a gateway on it, for as long as somebody serves.
 */
import { openBoard } from '../../runtime/board.ts'
import { createProblem, ProblemError } from '../../problem/problem.ts'
import type { Listener, World } from '../../world/world.ts'
import type { HttpServingOptions, OpenServing, ServingRequest } from '../shared/gateway-host.ts'
import { createRelay, openGateway, type Gateway } from './gateway.ts'
import { createHttpFront, type HttpFront } from './http-front.ts'
import { serveStdio } from './stdio-front.ts'

/** One message. As much as a line over stdio would be cut at is too much here. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

const MAX_HEADER_BYTES = 64 * 1024

/** To arrive; the answer may take as long as it takes. */
const REQUEST_TIMEOUT_MS = 30_000

export async function openServing({ world, version, load }: ServingRequest): Promise<OpenServing> {
  const { relay, handlers } = createRelay(world)
  const board = await openBoard(world, {
    load,
    handlers,
    client: { name: 'plugboard', version },
    wait: 'moment',
    watch: true,
    words: 'command',
    // Each client has a guard of its own, and budgets of its own.
    loopLimit: 0,
    maxResultTokens: 0,
  })
  const gateway = openGateway({ world, board, relay }, { version })
  const fronts: { readonly front: HttpFront; readonly listener: Listener }[] = []
  return {
    board,
    overStdio: (pipe) => serveStdio(gateway, gateway.viewOf(undefined)!, pipe),
    async overHttp(options) {
      const front = createHttpFront(gateway, { token: options.token })
      const listener = await listen(world, front, options)
      fronts.push({ front, listener })
      return listener.port
    },
    [Symbol.asyncDispose]: () => close(gateway, fronts),
  }
}

/** Streams are ended in good order, then connections, then servers. */
async function close(
  gateway: Gateway,
  fronts: readonly { readonly front: HttpFront; readonly listener: Listener }[],
): Promise<void> {
  gateway.close()
  for (const { front } of fronts) front.close()
  await Promise.all(fronts.map(({ listener }) => listener.close()))
  await gateway.board.close()
}

function listen(world: World, front: HttpFront, { host, port }: HttpServingOptions): Promise<Listener> {
  const limits = {
    maxBodyBytes: MAX_BODY_BYTES,
    maxHeaderBytes: MAX_HEADER_BYTES,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
  }
  return world.serving.listen({ host, port, ...limits }, front).catch((error: unknown) => {
    throw new ProblemError(cannotListen(`${host}:${port}`, error), { cause: error })
  })
}

function cannotListen(address: string, error: unknown): ConstructorParameters<typeof ProblemError>[0] {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string }
  const isTaken = code === 'EADDRINUSE'
  return createProblem({
    code: 'serve/cannot-listen',
    message: isTaken
      ? `another program listens on \`${address}\` already`
      : `nobody can listen on \`${address}\`: ${message}`,
    hints: isTaken ? ['name another port, or 0 for any that is free'] : [],
  })
}
