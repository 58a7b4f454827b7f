import { describe, expect, test } from 'vitest'
import { Heartbeats } from '../../../src/hosts/gateway/heartbeats.ts'
import { createMovedClock } from '../../worlds/moved-clock.ts'

const SECOND = 1000

function open() {
  const clock = createMovedClock()
  const beats: string[] = []
  const named = (name: string) => ({ beat: () => void beats.push(`${name} ${clock.now() / SECOND}`) })
  return { clock, beats, named, heartbeats: new Heartbeats(clock) }
}

describe('heartbeats', () => {
  test('each answer shows itself every ten seconds from its own beginning, with one timer for all', () => {
    const { clock, beats, named, heartbeats } = open()
    heartbeats.add(named('a'))
    clock.pass(4 * SECOND)
    heartbeats.add(named('b'))
    expect(clock.waiting).toBe(1)
    clock.pass(21 * SECOND)
    expect(beats).toEqual(['a 10', 'b 14', 'a 20', 'b 24'])
    expect(clock.waiting).toBe(1)
  })

  test('one that is over is silent, and when all are over no timer is set anew', () => {
    const { clock, beats, named, heartbeats } = open()
    const [a, b] = [heartbeats.add(named('a')), heartbeats.add(named('b'))]
    heartbeats.remove(a)
    clock.pass(11 * SECOND)
    heartbeats.remove(b)
    clock.pass(60 * SECOND)
    expect(beats).toEqual(['b 10'])
    expect(clock.waiting).toBe(0)
  })

  test('an answer that is over as soon as it shows itself is not met again', () => {
    const { clock, heartbeats } = open()
    let count = 0
    const number = heartbeats.add({
      beat() {
        count += 1
        heartbeats.remove(number)
      },
    })
    clock.pass(60 * SECOND)
    expect(count).toBe(1)
  })

  test('a clock that is set back makes nobody silent for as long', () => {
    const { clock, beats, named, heartbeats } = open()
    heartbeats.add(named('a'))
    clock.setBack(3600 * SECOND)
    clock.pass(30 * SECOND)
    expect(beats.length).toBeGreaterThanOrEqual(2)
  })

  test('thousands are not looked at thousands of times', () => {
    const { clock, beats, named, heartbeats } = open()
    let timers = 0
    const { after } = clock
    clock.after = (...given) => {
      timers += 1
      return after(...given)
    }
    for (let count = 0; count < 1000; count++) {
      heartbeats.add(named('x'))
      clock.pass(10)
    }
    timers = 0
    clock.pass(10 * SECOND)
    expect(beats.length).toBeGreaterThanOrEqual(1000)
    expect(timers).toBeLessThanOrEqual(12)
  })

  test('one that is closed by an answer showing itself is closed', () => {
    const { clock, heartbeats } = open()
    heartbeats.add({ beat: () => heartbeats.close() })
    clock.pass(11 * SECOND)
    expect(clock.waiting).toBe(0)
  })

  test('nothing is left of it when it is closed', () => {
    const { clock, beats, named, heartbeats } = open()
    heartbeats.add(named('a'))
    heartbeats.close()
    clock.pass(60 * SECOND)
    expect(beats).toEqual([])
    expect(clock.waiting).toBe(0)
  })
})
