/**
 * join-bytes: pieces of what came → the whole.
 */
export function joinInto(whole: Uint8Array, pieces: readonly Uint8Array[]): Uint8Array {
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** For what is more the memory is given back. */
const MAX_ROOM = 16 * 1024 * 1024

/** As large as the longest so far: memory that is new costs more than what is done in it. */
let room: Uint8Array | undefined

/** To be read at once: the next one is put together in the same place. `length` is that of all pieces together. */
export function joinBriefly(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (length > MAX_ROOM) return joinInto(new Uint8Array(length), pieces)
  if (room === undefined || room.length < length) room = new Uint8Array(length)
  return joinInto(room.subarray(0, length), pieces)
}
