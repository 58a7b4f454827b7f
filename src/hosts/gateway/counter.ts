/**
 * counter: answers requests to the gateway itself, outside MCP: health, readiness, metrics, and where clients get
 * tokens.
 */
import type { Board } from '../../runtime/board.ts'
import type { WholeReply } from '../../world/world.ts'
import { say } from './door.ts'
import type { Counter } from './http-front.ts'
import type { Issuer } from './issuer.ts'
import type { Observability } from './seeing.ts'
import { statusOf } from './status.ts'

export interface CounterParts {
  readonly board: Board
  readonly seeing: Observability
  readonly issuer: Issuer | undefined
  readonly version: string
  readonly isLeaving: () => boolean
}

export function createCounter({ board, seeing, issuer, version, isLeaving }: CounterParts): Counter {
  return (target, sessions) => {
    switch (target.kind) {
      case 'health':
        return say(200, 'ok')
      case 'ready':
        if (isLeaving()) return say(503, 'draining')
        return board.readiness().ok ? say(200, 'ok') : say(503, 'starting')
      case 'metrics': {
        const { servers } = statusOf(board)
        return text(seeing.metrics.toText({ version, sessions, underWay: seeing.underWay, servers }))
      }
      case 'description':
        return issuer === undefined
          ? say(404, 'No issuer is needed here.')
          : json(issuer.describe(target.server))
    }
  }
}

function text(body: string): WholeReply {
  return { status: 200, headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }, body }
}

function json(value: object): WholeReply {
  const headers = { 'content-type': 'application/json', 'access-control-allow-origin': '*' }
  return { status: 200, headers, body: JSON.stringify(value) }
}
