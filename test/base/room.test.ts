import { beforeEach, describe, expect, it } from 'vitest'
import { giveBack, lendRoom, withhold } from '../../src/base/room.ts'
import { emptyRooms } from './rooms.ts'

const MB = 1024 * 1024

beforeEach(emptyRooms)

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
    expect(lendRoom(900).buffer).toBe(one.buffer)
    expect(lendRoom(900).buffer).not.toBe(one.buffer)
  })

  it('is kept beside others: what is sent and what comes need one each', () => {
    const [sent, came] = [lendRoom(1000), lendRoom(1200)]
    for (const room of [sent, came]) giveBack(room)
    const again = [lendRoom(1000).buffer, lendRoom(1000).buffer]
    expect(new Set(again)).toEqual(new Set([sent.buffer, came.buffer]))
  })

  it('is kept while it is among the last 8 that came back, and all of them are 16 MB at most', () => {
    const small = Array.from({ length: 9 }, () => lendRoom(1000))
    for (const room of small) giveBack(room)
    const again = small.map(() => lendRoom(1000).buffer)
    expect(again.filter((buffer) => small.some((room) => room.buffer === buffer))).toHaveLength(8)
    expect(again).not.toContain(small[0]!.buffer)
    const large = [10 * MB, 5 * MB, 2 * MB].map((length) => lendRoom(length))
    for (const room of large) giveBack(room)
    expect(
      [2 * MB, 5 * MB, 10 * MB].map((length, at) => lendRoom(length).buffer === large[2 - at]!.buffer),
    ).toEqual([true, true, false])
  })

  it('of more than 16 MB is never kept', () => {
    const huge = lendRoom(16 * MB + 1)
    giveBack(huge)
    expect(lendRoom(16 * MB + 1).buffer).not.toBe(huge.buffer)
  })

  it('is not lent for a message that needs less than a fourth of it, and may never be read', () => {
    const large = lendRoom(1000)
    giveBack(large)
    expect(lendRoom(249).buffer).not.toBe(large.buffer)
    expect(lendRoom(250).buffer).toBe(large.buffer)
  })

  it('stays away for good when somebody may still look at it', () => {
    const room = lendRoom(1000)
    withhold(room)
    giveBack(room)
    expect(lendRoom(1000).buffer).not.toBe(room.buffer)
  })

  it('is nothing that somebody else made, who may share it with others', () => {
    const theirs = new Uint8Array(1000)
    giveBack(theirs)
    giveBack(theirs.subarray(10, 20))
    expect(lendRoom(1000).buffer).not.toBe(theirs.buffer)
  })
})
