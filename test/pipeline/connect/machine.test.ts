/**
 * machine: events in, whole lists of states and effects out.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Connection } from '../../../src/model/connection.ts'
import type { Problem } from '../../../src/model/problem.ts'
import {
  IDLE,
  step,
  type ConnectionEvent,
  type Effect,
  type Machine,
  type Tick,
} from '../../../src/pipeline/connect/machine.ts'
import { createProblem } from '../../../src/problem/problem.ts'

const GONE = createProblem({ code: 'connect/exited', message: 'it stopped' })
const NO_PROGRAM = createProblem({ code: 'connect/no-program', message: 'there is no such program' })
const SIGN_IN = createProblem({ code: 'connect/needs-auth', message: 'it needs you to sign in' })

const wanted: ConnectionEvent = { kind: 'wanted' }
const ready: ConnectionEvent = { kind: 'ready' }
const due: ConnectionEvent = { kind: 'due' }
const close: ConnectionEvent = { kind: 'close' }
const reset: ConnectionEvent = { kind: 'reset' }
const refused: ConnectionEvent = { kind: 'refused', problem: GONE }
const refusedForGood: ConnectionEvent = { kind: 'refused', problem: NO_PROGRAM, isPermanent: true }
const refusedForSignIn: ConnectionEvent = { kind: 'refused', problem: SIGN_IN, needsSignIn: true }
const dropped: ConnectionEvent = { kind: 'dropped', problem: GONE }

const EVERY_EVENT = [
  wanted,
  ready,
  due,
  close,
  reset,
  refused,
  refusedForGood,
  refusedForSignIn,
  dropped,
] as const

const OPEN: Effect = { kind: 'open' }
const DROP: Effect = { kind: 'drop-session' }
const CANCEL: Effect = { kind: 'cancel-schedule' }

/** An event at a time, with no jitter unless a number says otherwise. */
type Happening = readonly [at: number, event: ConnectionEvent, random?: number]

/** Every state passed through, with the effects that came with it. */
function run(...happenings: readonly Happening[]): readonly (readonly [Connection, ...Effect[]])[] {
  let machine = IDLE
  return happenings.map(([now, event, random = 0]) => {
    const [next, ...effects] = step(machine, event, { now, random })
    machine = next
    return [next.connection, ...effects] as const
  })
}

function last(...happenings: readonly Happening[]): readonly [Connection, ...Effect[]] {
  return run(...happenings).at(-1)!
}

function connecting(attempt: number, since: number): Connection {
  return { state: 'connecting', attempt, since }
}

function waiting(attempt: number, retryAt: number, problem: Problem = GONE): Connection {
  return { state: 'waiting', attempt, retryAt, problem }
}

function schedule(at: number): Effect {
  return { kind: 'schedule', at }
}

const FAILED: Connection = { state: 'failed', problem: GONE }

/** Five tries, each refused at once: the breaker is open at 7500. */
const FIVE_FAILURES: readonly Happening[] = [
  [0, wanted],
  [0, refused],
  [500, due],
  [500, refused],
  [1500, due],
  [1500, refused],
  [3500, due],
  [3500, refused],
  [7500, due],
  [7500, refused],
]

describe('a connection', () => {
  test('is opened when it is first wanted, and once only', () => {
    expect(run([10, wanted], [20, wanted], [30, ready], [40, wanted])).toEqual([
      [connecting(1, 10), OPEN],
      [connecting(1, 10)],
      [{ state: 'ready', attempt: 1, since: 30 }],
      [{ state: 'ready', attempt: 1, since: 30 }],
    ])
  })

  test('that fails is tried again, each time after twice as long, until the breaker opens', () => {
    expect(run(...FIVE_FAILURES)).toEqual([
      [connecting(1, 0), OPEN],
      [waiting(2, 500), schedule(500)],
      [connecting(2, 500), OPEN],
      [waiting(3, 1500), schedule(1500)],
      [connecting(3, 1500), OPEN],
      [waiting(4, 3500), schedule(3500)],
      [connecting(4, 3500), OPEN],
      [waiting(5, 7500), schedule(7500)],
      [connecting(5, 7500), OPEN],
      [FAILED],
    ])
  })

  test('that fails slowly is tried for ever, at most 30 s apart', () => {
    const happenings: Happening[] = [[0, wanted]]
    const delays: number[] = []
    let now = 0
    for (let i = 0; i < 9; i++) {
      now += 30_000
      const [connection] = last(...happenings, [now, refused, 1])
      if (connection.state !== 'waiting') throw new Error(`it is ${connection.state}`)
      delays.push(connection.retryAt - now)
      happenings.push([now, refused, 1], [connection.retryAt, due])
      now = connection.retryAt
    }
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000])
  })

  test.each([
    [0, 500],
    [200, 500],
    [7000, 7000],
    [30_000, 30_000],
    [3_600_000, 30_000],
  ])('whose server asks to be left alone for %i ms is tried again after %i', (retryAfterMs, waitMs) => {
    expect(last([0, wanted], [100, { ...refused, retryAfterMs }])).toEqual([
      waiting(2, 100 + waitMs),
      schedule(100 + waitMs),
    ])
  })

  test('whose program does not exist fails at once', () => {
    expect(last([0, wanted], [5, refusedForGood])).toEqual([{ state: 'failed', problem: NO_PROGRAM }])
  })

  test('that was refused for good backs off again once the cause is another one', () => {
    expect(last([0, wanted], [5, refusedForGood], [100, wanted], [200, refused])).toEqual([
      waiting(2, 700),
      schedule(700),
    ])
  })

  test('that needs a sign-in waits for a person, and is tried once for each who asks', () => {
    const needsAuth: Connection = { state: 'needs-auth', problem: SIGN_IN }
    expect(run([0, wanted], [5, refusedForSignIn], [9, due], [10, wanted], [15, refusedForSignIn])).toEqual([
      [connecting(1, 0), OPEN],
      [needsAuth],
      [needsAuth],
      [connecting(1, 10), OPEN],
      [needsAuth],
    ])
  })
})

describe('a wait', () => {
  test('ends at once when someone wants the server', () => {
    expect(run([0, wanted], [0, refused], [100, wanted], [500, due]).slice(2)).toEqual([
      [connecting(2, 100), CANCEL, OPEN],
      [connecting(2, 100)],
    ])
  })

  test('is between 0.5 and 1 s after the first failure, by chance', () => {
    const retryAt = (random: number): unknown => last([0, wanted], [0, refused, random])[1]
    expect([0, 0.5, 1].map(retryAt)).toEqual([schedule(500), schedule(750), schedule(1000)])
  })
})

describe('a session that drops', () => {
  test('after 2 s comes back soon, as if nothing had ever failed', () => {
    const happenings: Happening[] = [
      [0, wanted],
      [0, refused],
      [500, due],
      [500, refused],
      [1500, due],
      [1600, ready],
      [3600, dropped],
      [4100, due],
      [4100, refused],
    ]
    expect(run(...happenings).slice(5)).toEqual([
      [{ state: 'ready', attempt: 3, since: 1600 }],
      [waiting(1, 4100), schedule(4100)],
      [connecting(1, 4100), OPEN],
      [waiting(2, 4600), schedule(4600)],
    ])
  })

  test('within 2 s is one more failure of a row', () => {
    const happenings: Happening[] = [
      [0, wanted],
      [0, refused],
      [500, due],
      [600, ready],
      [2599, dropped],
    ]
    expect(last(...happenings)).toEqual([waiting(3, 3599), schedule(3599)])
  })

  test('five times within 2 s opens the breaker', () => {
    const happenings: Happening[] = [[0, wanted]]
    for (const at of [0, 2000, 5000, 10_000, 19_000])
      happenings.push([at, ready], [at + 1000, dropped], [at + 2000, due])
    const states = run(...happenings).map(([{ state }]) => state)
    expect(states.slice(-3)).toEqual(['ready', 'failed', 'failed'])
    expect(states.filter((state) => state === 'ready')).toHaveLength(5)
  })
})

describe('an open breaker', () => {
  test('allows one try for each who asks, however much later', () => {
    expect(
      run(...FIVE_FAILURES, [8000, due], [900_000, wanted], [900_100, refused], [999_000, wanted]).slice(-4),
    ).toEqual([[FAILED], [connecting(1, 900_000), OPEN], [FAILED], [connecting(1, 999_000), OPEN]])
  })

  test('stays open when the session of that try dies young', () => {
    expect(last(...FIVE_FAILURES, [9000, wanted], [9100, ready], [9200, dropped])).toEqual([FAILED])
  })

  test('closes when the session of that try proves healthy', () => {
    const healed: readonly Happening[] = [...FIVE_FAILURES, [9000, wanted], [9100, ready], [20_000, dropped]]
    expect(last(...healed)).toEqual([waiting(1, 20_500), schedule(20_500)])
    expect(last(...healed, [20_500, due], [20_500, refused])).toEqual([waiting(2, 21_000), schedule(21_000)])
  })

  test('is closed by a reset', () => {
    expect(run(...FIVE_FAILURES, [9000, reset], [9100, refused]).slice(-2)).toEqual([
      [connecting(1, 9000), OPEN],
      [waiting(2, 9600), schedule(9600)],
    ])
  })

  test('counts only failures of the last 30 s', () => {
    const slow: readonly Happening[] = [
      [0, wanted],
      [0, refused],
      ...[10_000, 20_000, 30_000].flatMap((at): Happening[] => [
        [at, wanted],
        [at, refused],
      ]),
    ]
    const fifthAt = (at: number): string => last(...slow, [at, wanted], [at, refused])[0].state
    expect([fifthAt(30_000), fifthAt(30_001)]).toEqual(['failed', 'waiting'])
  })
})

/** One way into each state. */
const WAYS: Readonly<Record<Connection['state'], readonly Happening[]>> = {
  idle: [],
  connecting: [[0, wanted]],
  ready: [
    [0, wanted],
    [1, ready],
  ],
  'needs-auth': [
    [0, wanted],
    [1, refusedForSignIn],
  ],
  waiting: [
    [0, wanted],
    [1, refused],
  ],
  failed: [
    [0, wanted],
    [1, refusedForGood],
  ],
  closed: [[0, close]],
}

function reach(state: Connection['state']): Machine {
  return WAYS[state].reduce((machine, [now, event]) => step(machine, event, { now, random: 0 })[0], IDLE)
}

const AT: Tick = { now: 9, random: 0 }
const CLOSED: Machine = { connection: { state: 'closed' }, failures: [] }
const ANEW: Machine = { connection: connecting(1, 9), failures: [] }

describe.each([
  ['idle', [], ['wanted']],
  ['connecting', [DROP], ['ready', 'refused']],
  ['ready', [DROP], ['dropped']],
  ['needs-auth', [], ['wanted']],
  ['waiting', [CANCEL], ['wanted', 'due']],
  ['failed', [], ['wanted']],
] as const)('while %s', (state, ending, applying: readonly string[]) => {
  test('a close ends in closed, and lets go of what is under way', () => {
    expect(step(reach(state), close, AT)).toEqual([CLOSED, ...ending])
  })

  test('a reset lets go of what is under way and tries anew', () => {
    expect(step(reach(state), reset, AT)).toEqual([ANEW, ...ending, OPEN])
  })

  test('an event that does not apply changes nothing', () => {
    const now = reach(state)
    expect(now.connection.state).toBe(state)
    const idleEvents = EVERY_EVENT.filter((event) => step(now, event, AT)[0] === now)
    const expected = EVERY_EVENT.filter(({ kind }) => ![...applying, 'close', 'reset'].includes(kind))
    expect(idleEvents).toEqual(expected)
    for (const event of idleEvents) expect(step(now, event, AT)).toHaveLength(1)
  })
})

test('closed is final', () => {
  const now = reach('closed')
  for (const event of EVERY_EVENT) expect(step(now, event, AT)).toEqual([now])
})

interface Moment {
  readonly event: ConnectionEvent
  readonly after: number
  readonly random: number
}

const moment: fc.Arbitrary<Moment> = fc.record({
  event: fc.constantFrom(
    ...EVERY_EVENT.filter((event) => event !== close),
    refused,
    refused,
    due,
    due,
    wanted,
  ),
  after: fc.oneof(fc.nat({ max: 3000 }), fc.nat({ max: 60_000 })),
  random: fc.double({ min: 0, max: 1, noNaN: true }),
})

const moments = fc.array(
  fc.oneof(
    { weight: 60, arbitrary: moment },
    moment.map((one) => ({ ...one, event: close })),
  ),
  {
    maxLength: 60,
  },
)

interface Passed {
  readonly before: Machine
  readonly event: ConnectionEvent
  readonly at: Tick
  readonly after: Machine
  readonly effects: readonly Effect[]
}

function walk(list: readonly Moment[]): readonly Passed[] {
  let [before, now] = [IDLE, 1_000_000]
  return list.map(({ event, after: ms, random }) => {
    now += ms
    const at = { now, random }
    const [after, ...effects] = step(before, event, at)
    const passed = { before, event, at, after, effects }
    before = after
    return passed
  })
}

describe('whatever happens', () => {
  test('there is never a second open before the first has an outcome or is dropped', () => {
    fc.assert(
      fc.property(moments, (list) => {
        let isOpen = false
        for (const { before, event, effects } of walk(list)) {
          const isOutcome = event.kind === 'ready' || event.kind === 'refused'
          if (before.connection.state === 'connecting' && isOutcome) isOpen = false
          for (const { kind } of effects) {
            if (kind === 'drop-session') isOpen = false
            if (kind === 'open') expect(isOpen).toBe(false)
            if (kind === 'open') isOpen = true
          }
        }
      }),
    )
  })

  test('something is scheduled exactly while it waits, and a session or try is there exactly while it should be', () => {
    fc.assert(
      fc.property(moments, (list) => {
        let [scheduled, held] = [undefined as number | undefined, false]
        for (const { event, before, after, effects } of walk(list)) {
          if (event.kind === 'due' && before.connection.state === 'waiting') scheduled = undefined
          if (before.connection.state === 'connecting' && event.kind === 'refused') held = false
          if (before.connection.state === 'ready' && event.kind === 'dropped') held = false
          for (const effect of effects) {
            if (effect.kind === 'schedule') scheduled = effect.at
            if (effect.kind === 'cancel-schedule') scheduled = undefined
            if (effect.kind === 'open') held = true
            if (effect.kind === 'drop-session') held = false
          }
          const { connection } = after
          expect(scheduled).toBe(connection.state === 'waiting' ? connection.retryAt : undefined)
          expect(held).toBe(connection.state === 'connecting' || connection.state === 'ready')
        }
      }),
    )
  })

  test('nothing follows closed', () => {
    fc.assert(
      fc.property(moments, (list) => {
        for (const { before, after, effects } of walk(list)) {
          if (before.connection.state === 'closed') expect([after, effects]).toEqual([before, []])
        }
      }),
    )
  })

  test('a wait lasts from 0.5 s to 30 s', () => {
    fc.assert(
      fc.property(moments, (list) => {
        for (const { at, effects } of walk(list)) {
          const [first] = effects
          if (first?.kind !== 'schedule') continue
          expect(first.at - at.now).toBeGreaterThanOrEqual(500)
          expect(first.at - at.now).toBeLessThanOrEqual(30_000)
        }
      }),
    )
  })

  test('five failures in a row within 30 s are the last that nobody asked for', () => {
    const short = fc.record({
      lived: fc.option(fc.nat({ max: 1999 })),
      random: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(short, { minLength: 5, maxLength: 5 }), (tries) => {
        let [machine, ...effects] = step(IDLE, wanted, { now: 0, random: 0 })
        let now = 0
        const times: number[] = []
        for (const { lived, random } of tries) {
          expect(effects).toContainEqual(OPEN)
          if (lived !== null) [machine] = step(machine, ready, { now, random })
          now += lived ?? 0
          times.push(now)
          ;[machine, ...effects] = step(machine, lived === null ? refused : dropped, { now, random })
          if (machine.connection.state !== 'waiting') break
          now = machine.connection.retryAt
          ;[machine, ...effects] = step(machine, due, { now, random })
        }
        const isOpen = times.length === 5 && times[4]! - times[0]! <= 30_000
        expect(machine.connection.state).toBe(isOpen ? 'failed' : 'connecting')
      }),
    )
  })

  test('with the same chance, a later attempt never waits for less', () => {
    fc.assert(
      fc.property(fc.nat({ max: 100 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
        const waitAfter = (attempt: number): number => {
          const machine: Machine = { connection: connecting(attempt, 0), failures: [] }
          const [{ connection }] = step(machine, refused, { now: 0, random })
          return connection.state === 'waiting' ? connection.retryAt : NaN
        }
        expect(waitAfter(attempt + 2)).toBeGreaterThanOrEqual(waitAfter(attempt + 1))
      }),
    )
  })
})
