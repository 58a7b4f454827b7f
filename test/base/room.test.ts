import { beforeEach, describe, expect, it } from 'vitest'
import { giveBack, lendRoom, roomFor } from '../../src/base/room.ts'

const MB = 1024 * 1024

/** Whatever was there before is lent, and never comes back. */
beforeEach(() => {
  for (let length = 1; length <= 16 * MB; length *= 2) lendRoom(length)
})

describe('a room', () => {
  it('is used again once it is back, for what fits in', () => {
    const first = lendRoom(1000)
    giveBack(first)
    const again = lendRoom(400)
    expect([again.buffer === first.buffer, again.length]).toEqual([true, 400])
    giveBack(again)
    expect([lendRoom(1001).buffer === first.buffer, lendRoom(1000).buffer === first.buffer]).toEqual([
      false,
      true,
    ])
  })

  it('is in one hand only', () => {
    const [one, two] = [lendRoom(1000), lendRoom(1000)]
    expect(one.buffer).not.toBe(two.buffer)
    giveBack(one)
    expect(roomFor(10).buffer).toBe(one.buffer)
    expect(lendRoom(900).buffer).toBe(one.buffer)
    expect(roomFor(10).buffer).not.toBe(one.buffer)
  })

  it('that stays is the largest of those that came back, and 16 MB at most', () => {
    const [small, large, huge] = [lendRoom(10), lendRoom(16 * MB), lendRoom(16 * MB + 1)]
    for (const room of [small, large, small, huge]) giveBack(room)
    expect(lendRoom(8 * MB).buffer).toBe(large.buffer)
  })

  it('is not lent for a message that needs less than a fourth of it, and may never be read', () => {
    const large = lendRoom(1000)
    giveBack(large)
    expect(lendRoom(249).buffer).not.toBe(large.buffer)
    expect(lendRoom(250).buffer).toBe(large.buffer)
  })

  it('is nothing that somebody else made, who may share it with others', () => {
    const theirs = new Uint8Array(1000)
    giveBack(theirs)
    giveBack(theirs.subarray(10, 20))
    expect(lendRoom(1000).buffer).not.toBe(theirs.buffer)
  })
})
