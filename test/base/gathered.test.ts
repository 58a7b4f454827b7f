import { beforeEach, describe, expect, it } from 'vitest'
import { Gathered } from '../../src/base/gathered.ts'
import { lendRoom } from '../../src/base/room.ts'
import { emptyRooms } from './rooms.ts'

const MB = 1024 * 1024

beforeEach(emptyRooms)

const filled = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte)
const copyOf = (gathered: Gathered): Uint8Array => gathered.take((bytes) => bytes.slice())

/** The memory in which the whole was. */
const roomOf = (gathered: Gathered): ArrayBufferLike => gathered.take(({ buffer }) => buffer)

describe('gathered bytes', () => {
  it.each([1, 7, 1000, 40_000, 300_000])('are all there, in their order, in pieces of %d', (size) => {
    const whole = Uint8Array.from({ length: 3 * size }, (_, at) => at % 251)
    const gathered = new Gathered()
    for (let from = 0; from < whole.length; from += size) gathered.add(whole.subarray(from, from + size))
    expect(gathered.length).toBe(whole.length)
    expect(copyOf(gathered)).toEqual(whole)
  })

  it('are copies: what comes next may be read into the same memory', () => {
    const memory = filled(100_000, 1)
    const gathered = new Gathered()
    gathered.add(memory)
    memory.fill(2)
    gathered.add(memory.subarray(0, 3))
    memory.fill(3)
    const whole = copyOf(gathered)
    expect([whole.length, whole[0], whole[99_999], whole[100_000], whole[100_002]]).toEqual([
      100_003, 1, 1, 2, 2,
    ])
  })

  it('are gone when they were taken, and none are nothing', () => {
    const gathered = new Gathered()
    gathered.add(filled(10, 1))
    expect(copyOf(gathered).length).toBe(10)
    expect([gathered.length, copyOf(gathered).length]).toEqual([0, 0])
  })

  it('are in memory that the next ones get, when they are many', () => {
    const gathered = new Gathered()
    gathered.add(filled(100_000, 1))
    const first = roomOf(gathered)
    gathered.add(filled(100_000, 2))
    expect(roomOf(gathered)).toBe(first)
  })

  it('get as much room as is expected when much has come, and no more than 16 MB of it', () => {
    const room = (came: number, expected: number): number => {
      const gathered = new Gathered()
      gathered.add(filled(came, 1), expected)
      return roomOf(gathered).byteLength
    }
    expect([room(100, MB), room(100_000, MB), room(100_000, 64 * MB)]).toEqual([200, MB, 16 * MB])
  })

  it('are not where another message is while they come', () => {
    const gathered = new Gathered()
    gathered.add(filled(100_000, 1), 200_000)
    lendRoom(200_000).fill(9)
    gathered.add(filled(100_000, 1))
    expect(copyOf(gathered).every((byte) => byte === 1)).toBe(true)
  })
})
