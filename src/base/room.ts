/**
 * room: memory for long messages, which is used again. Memory that is new costs more than what is done in it.
 *
 * in     how many bytes are needed
 * out    as many, with whatever was in there before
 * never  keeps more than 16 MB, or one room; takes memory that it has not made itself
 *
 * Who was lent a room uses it whole, gives it away once, and looks at it no more: it may hold somebody else's message.
 */

/** For more than this there is no room that stays. */
const MAX_ROOM = 16 * 1024 * 1024

/** What was made here, and may come back. */
const rooms = new WeakSet<ArrayBufferLike>()

/** The largest that came back. */
let spare: Uint8Array | undefined

/** To be read at once, before anybody asks for the next. */
export function roomFor(length: number): Uint8Array {
  if (spare !== undefined && spare.length >= length) return spare.subarray(0, length)
  const room = makeRoom(length)
  giveBack(room)
  return room
}

/** A message for one who does not read must not hold much more than it needs. */
const MOST_SPARED = 4

/** Until it is given back; or for ever. */
export function lendRoom(length: number): Uint8Array {
  const room = spare
  if (room === undefined || room.length < length || room.length > MOST_SPARED * length)
    return makeRoom(length)
  spare = undefined
  return room.subarray(0, length)
}

function makeRoom(length: number): Uint8Array {
  const room = new Uint8Array(length)
  if (length <= MAX_ROOM) rooms.add(room.buffer)
  return room
}

/** Bytes that nobody will look at again, whoever made them. */
export function giveBack({ buffer }: Uint8Array): void {
  if (rooms.has(buffer) && buffer.byteLength > (spare?.length ?? 0)) spare = new Uint8Array(buffer)
}
