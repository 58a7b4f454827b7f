/**
 * decoder: bytes in pieces → text. Loaded when it is needed: most commands read no stream.
 */
import type { StringDecoder } from 'node:string_decoder'

export function createDecoder(): StringDecoder {
  const { StringDecoder } = process.getBuiltinModule('node:string_decoder')
  return new StringDecoder('utf8')
}
