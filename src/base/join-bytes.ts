/**
 * join-bytes: pieces of what comes → the whole.
 *
 * in     pieces of any size, gathered with `addPiece`
 * out    the whole, in a room that is used again: to be read at once, before anybody joins the next
 */
import { roomFor } from './room.ts'

/** `length` is that of all pieces together. */
export function joinBytes(pieces: readonly Uint8Array[], length: number): Uint8Array {
  return joinInto(roomFor(length), pieces)
}

const SMALL = 16 * 1024

/**
 * Each piece takes a hundred bytes beside its own: of what comes byte by byte, small ones are put together, those of like
 * size, so that hardly anything is copied often.
 */
export function addPiece(pieces: Uint8Array[], bytes: Uint8Array): void {
  let piece = bytes
  while (piece.length < SMALL && pieces.length > 0 && pieces.at(-1)!.length <= piece.length) {
    const before = pieces.pop()!
    piece = joinInto(new Uint8Array(before.length + piece.length), [before, piece])
  }
  pieces.push(piece)
}

function joinInto(whole: Uint8Array, pieces: readonly Uint8Array[]): Uint8Array {
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
