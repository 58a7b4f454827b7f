/**
 * http-replies: the constant answers.
 */
import type { RpcError } from '../../model/message.ts'
import type { RequestHead, WholeReply } from '../../world/world.ts'
import { say, textOf } from './door.ts'
import type { RefusalMessage } from './message-text.ts'

export const ACCEPTED: WholeReply = { status: 202, headers: {}, body: '' }

export const ONLY_POST: WholeReply = {
  ...say(405, 'Only POST is answered here.'),
  headers: { allow: 'POST' },
}

export const UNKNOWN_SESSION = toReply(404, { code: -32001, message: 'Session not found' })

/** The stream is no longer kept, or belongs to another session. */
export const UNKNOWN_EVENT = toReply(400, { code: -32000, message: 'Bad Request: unknown Last-Event-ID' })

/** Another process may take its place at once, or never. */
export const LEAVING: WholeReply = {
  ...say(503, 'This gateway is about to end.'),
  headers: { 'retry-after': '1' },
}

export const NEEDS_SESSION = toReply(400, {
  code: -32000,
  message: 'Bad Request: a session is needed; begin with initialize',
})

/** The body is no message, or the gateway does not accept it. */
export function refused(answer: RefusalMessage): WholeReply {
  return { status: 400, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) }
}

function toReply(status: number, error: RpcError): WholeReply {
  return { ...refused({ jsonrpc: '2.0', id: null, error }), status }
}

/** Whether the client accepts a stream. */
export function takesEvents({ headers }: RequestHead): boolean {
  return /text\/event-stream|\*\/\*/i.test(textOf(headers['accept']) ?? '')
}
