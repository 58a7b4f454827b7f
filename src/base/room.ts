/**
 * room: memory for long messages, which is used again. Memory that is new costs more than what is done in it.
 *
 * in     how many bytes are needed
 * out    as many, with whatever was in there before
 * never  keeps more than 16 MB, or 8 rooms; takes memory that it has not made itself
 *
 * Who was lent a room gives it back once, or never, and looks at it no more: it may hold somebody else's message.
 */

const MAX_KEPT = 16 * 1024 * 1024
const MAX_ROOMS = 8

/** A message that nobody reads must not hold much more than it needs. */
const MOST_SPARED = 4

/** What was made here, and may come back. */
const rooms = new WeakSet<ArrayBufferLike>()

/** Those that came back, the last one first. */
let spare: readonly Uint8Array[] = []

export function lendRoom(length: number): Uint8Array {
  const found = spare.find((room) => room.length >= length && room.length <= MOST_SPARED * length)
  if (found === undefined) return makeRoom(length)
  spare = spare.filter((room) => room !== found)
  return found.subarray(0, length)
}

function makeRoom(length: number): Uint8Array {
  const room = new Uint8Array(length)
  if (length <= MAX_KEPT) rooms.add(room.buffer)
  return room
}

/** Bytes that nobody will look at again, whoever made them. */
export function giveBack({ buffer }: Uint8Array): void {
  if (!rooms.has(buffer)) return
  let kept = 0
  spare = [new Uint8Array(buffer), ...spare].filter(
    (room, at) => at < MAX_ROOMS && (kept += room.length) <= MAX_KEPT,
  )
}

/** Bytes that somebody may go on looking at, although others are done with them: nobody else gets their memory. */
export function withhold({ buffer }: Uint8Array): void {
  rooms.delete(buffer)
}
