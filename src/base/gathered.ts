/**
 * gathered: bytes that come in pieces → all of them in one.
 *
 * in     pieces, which are copied: what comes next may be read into the same memory
 * out    the whole, to be looked at before the call returns
 * never  makes room for more than twice of what came, but for what is expected: up to 16 MB of that, once 32 kB have come
 */
import { giveBack, lendRoom } from './room.ts'

/** From here on it pays to use memory again. */
const LONG = 32 * 1024

const MAX_EXPECTED = 16 * 1024 * 1024

export class Gathered {
  #room: Uint8Array = NO_ROOM
  #length = 0

  get length(): number {
    return this.#length
  }

  /** `expected`: how many bytes there may be in the end. */
  add(bytes: Uint8Array, expected = 0): void {
    const length = this.#length + bytes.length
    if (this.#room.length < length) this.#move(length, Math.min(expected, MAX_EXPECTED))
    this.#room.set(bytes, this.#length)
    this.#length = length
  }

  /** To where there is room for twice as much, so that nothing is copied often. */
  #move(length: number, expected: number): void {
    const before = this.#room
    this.#room = length < LONG ? new Uint8Array(2 * length) : lendRoom(Math.max(2 * length, expected))
    this.#room.set(before.subarray(0, this.#length))
    giveBack(before)
  }

  /** There is nothing here afterwards. */
  take<T>(read: (bytes: Uint8Array) => T): T {
    const room = this.#room
    const whole = room.subarray(0, this.#length)
    this.#room = NO_ROOM
    this.#length = 0
    const result = read(whole)
    giveBack(room)
    return result
  }
}

const NO_ROOM = new Uint8Array(0)
