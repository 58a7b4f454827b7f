/**
 * message-text: parses the text of a client into a message, and formats a message as text.
 *
 * out    a message, or the error that answers its text
 * never  accepts a message that is nested too deep; throws, whatever it has to write: one client's message must not end
 *        the gateway for all clients
 */
import { isTooDeep, MAX_DEPTH } from '../../base/depth.ts'
import { isObject } from '../../base/is-object.ts'
import { RPC_CODES, type Message, type RequestId, type RpcError } from '../../model/message.ts'

export type ReadMessage =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'refused'; readonly answer: RefusalMessage }

export interface RefusalMessage {
  readonly jsonrpc: '2.0'
  /** `null`: no request, or its id cannot be read. */
  readonly id: RequestId | null
  readonly error: RpcError
}

/** `what` names the container in error messages: the body, the line. */
export function readMessage(text: string, what: string): ReadMessage {
  const value = tryParse(text)
  if (!isObject(value) || value['jsonrpc'] !== '2.0')
    return refuse(null, { code: RPC_CODES.parseError, message: `the ${what} is not one JSON-RPC message` })
  if (!isTooDeep(value)) return { kind: 'message', message: value as unknown as Message }
  const id = typeof value['id'] === 'string' || typeof value['id'] === 'number' ? value['id'] : null
  const error = { code: RPC_CODES.invalidRequest, message: `it is nested more than ${MAX_DEPTH} levels deep` }
  // This is an answer: the side that asked waits for it.
  if (id !== null && !('method' in value)) return { kind: 'message', message: { jsonrpc: '2.0', id, error } }
  return refuse('method' in value ? id : null, error)
}

function refuse(id: RequestId | null, error: RpcError): ReadMessage {
  return { kind: 'refused', answer: { jsonrpc: '2.0', id, error } }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined // the caller reports it as an error of the protocol
  }
}

/**
 * An answer that cannot be written (too large for one string) becomes an error. Undefined: not an answer, so it is
 * dropped.
 */
export function toMessageText(message: Message): string | undefined {
  try {
    return JSON.stringify(message)
  } catch (error) {
    if ('method' in message) return undefined
    const fault = { code: RPC_CODES.internalError, message: `the answer cannot be written: ${String(error)}` }
    return JSON.stringify({ jsonrpc: '2.0', id: message.id ?? null, error: fault })
  }
}
