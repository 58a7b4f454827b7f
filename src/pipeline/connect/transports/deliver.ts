/**
 * deliver: a text from the wire → the messages in it, or noise.
 */
import { isObject } from '../../../base/is-object.ts'
import type { Message } from '../../../model/message.ts'
import type { WireListener } from '../../../model/wire.ts'

/** More than a log keeps of a line: what is cut here, perhaps inside a secret, is never shown. */
const NOISE_LENGTH = 16 * 1024

/** Says which of the two it was. */
export function deliver(
  text: string,
  listener: Pick<WireListener, 'onMessage' | 'onNoise'>,
): 'message' | 'noise' {
  const value = parse(text)
  if (isMessage(value)) listener.onMessage(value)
  // Revision 2025-03-26 allowed several in one list.
  else if (Array.isArray(value) && value.length > 0 && value.every(isMessage))
    for (const message of value) listener.onMessage(message)
  else {
    listener.onNoise?.(text.slice(0, NOISE_LENGTH))
    return 'noise'
  }
  return 'message'
}

const BRACE = '{'.charCodeAt(0)

function parse(text: string): unknown {
  // A failing parse costs as much as a message, and a server may write millions of lines that are none.
  if (text.charCodeAt(0) !== BRACE && !/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined // a banner, a log line: told as noise
  }
}

/** Nothing is known yet but that it can be told whose it is. */
export function isMessage(value: unknown): value is Message {
  return isObject(value) && value['jsonrpc'] === '2.0'
}
