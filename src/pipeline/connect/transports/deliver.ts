/**
 * deliver: a text from the wire → the messages in it, or noise.
 */
import { isObject } from '../../../base/is-object.ts'
import type { Message } from '../../../model/message.ts'
import type { WireListener } from '../../../model/wire.ts'

/** More than a log keeps of a line. The rest is never shown, because the cut may be inside a secret. */
const NOISE_LENGTH = 16 * 1024

/** Reports whether the text was a message or noise. */
export function deliver(
  text: string,
  listener: Pick<WireListener, 'onMessage' | 'onNoise'>,
): 'message' | 'noise' {
  const value = parse(text)
  if (isMessage(value)) listener.onMessage(value)
  // Revision 2025-03-26 allowed several messages in one list.
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
  // A failing parse costs as much as a message, and a server may write millions of lines that are no messages.
  if (text.charCodeAt(0) !== BRACE && !/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined // a banner or a log line: the caller reports it as noise
  }
}

/** Checks only enough to know which request the message belongs to. */
export function isMessage(value: unknown): value is Message {
  return isObject(value) && value['jsonrpc'] === '2.0'
}
