/**
 * rooms: for tests that look at which memory is used again.
 */
import { lendRoom } from '../../src/base/room.ts'

/** Whatever is spare is lent, and never comes back. */
export function emptyRooms(): void {
  for (let length = 1; length <= 16 * 1024 * 1024; length *= 2) for (let n = 0; n < 8; n++) lendRoom(length)
}
