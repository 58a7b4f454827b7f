/**
 * http-replies: answers that are always the same.
 */
import { RPC_CODES, type RpcError } from '../../model/message.ts'
import type { RequestHead, WholeReply } from '../../world/world.ts'
import { say, textOf } from './door.ts'

export const ACCEPTED: WholeReply = { status: 202, headers: {}, body: '' }

export const ONLY_POST: WholeReply = {
  ...say(405, 'Only POST is answered here.'),
  headers: { allow: 'POST' },
}

export const UNKNOWN_SESSION = toReply(404, { code: -32001, message: 'Session not found' })

/** Another may take its place at once, or never. */
export const LEAVING: WholeReply = {
  ...say(503, 'This gateway is about to end.'),
  headers: { 'retry-after': '1' },
}

export const BAD_JSON = toReply(400, {
  code: RPC_CODES.parseError,
  message: 'the body is not one JSON-RPC message',
})

export const NEEDS_SESSION = toReply(400, {
  code: -32000,
  message: 'Bad Request: a session is needed; begin with initialize',
})

function toReply(status: number, error: RpcError): WholeReply {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error })
  return { status, headers: { 'content-type': 'application/json' }, body }
}

/** Whether the client can read a stream. */
export function takesEvents({ headers }: RequestHead): boolean {
  return /text\/event-stream|\*\/\*/i.test(textOf(headers['accept']) ?? '')
}
