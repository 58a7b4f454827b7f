/**
 * channel: on a wire in memory, and a clock that is moved by hand.
 */
import { describe, expect, it } from 'vitest'
import type { Message, Params, Result } from '../../../src/model/message.ts'
import type { SessionError } from '../../../src/model/session.ts'
import type { SendOptions, Wire, WireFailure, WireListener } from '../../../src/model/wire.ts'
import { RpcFaultError } from '../../../src/model/rpc-fault.ts'
import { Channel } from '../../../src/pipeline/connect/channel.ts'
import type { Clock } from '../../../src/world/world.ts'
import { exposeCollector } from '../../memory/collector.ts'

interface Hand extends Clock {
  /** Runs what is due on the way, in its order. */
  advance(ms: number): void
  /** How many steps are still to come, and how many of them keep a process alive. */
  count(): number
  held(): number
}

function createHand(): Hand {
  let now = 1000
  const due = new Map<object, { readonly at: number; readonly step: () => void; readonly isHeld: boolean }>()
  return {
    now: () => now,
    random: () => 0.5,
    after(ms, step, hold) {
      const key = {}
      due.set(key, { at: now + ms, step, isHeld: hold !== 'loose' })
      return () => void due.delete(key)
    },
    advance(ms) {
      const end = now + ms
      for (;;) {
        const next = [...due].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0]
        if (next === undefined) break
        due.delete(next[0])
        now = Math.max(now, next[1].at)
        next[1].step()
      }
      now = end
    },
    count: () => due.size,
    held: () => [...due.values()].filter(({ isHeld }) => isHeld).length,
  }
}

interface Bench {
  readonly channel: Channel
  readonly clock: Hand
  /** Everything that went out. */
  readonly sent: {
    readonly message: Message
    readonly options: SendOptions | undefined
    /** Its own stream, where it has one. */
    readonly isEnded: boolean
  }[]
  /** As if the server had said it. */
  say(message: object): void
  end(failure: WireFailure): void
  readonly heard: unknown[]
}

type OnQuestion = (method: string, params: Params, signal: AbortSignal) => Promise<Result>

function open(onQuestion: OnQuestion = async () => ({}), kind: Wire['kind'] = 'stdio'): Bench {
  const clock = createHand()
  const sent: Bench['sent'] = []
  const heard: unknown[] = []
  let listener: WireListener | undefined
  const wire: Wire = {
    kind,
    send(message, options) {
      const one = { message, options, isEnded: false }
      sent.push(one)
      return kind === 'http' ? { abort: () => void (one.isEnded = true) } : undefined
    },
    close: async () => undefined,
  }
  const openWire = (given: WireListener): Wire => {
    listener = given
    return wire
  }
  const channel = new Channel(openWire, clock, {
    onNotification: (method, params) => heard.push([method, params]),
    onQuestion: ({ method, params, signal }) => onQuestion(method, params, signal),
    onOddity: (text) => heard.push(text),
    onEnd: (failure) => heard.push(failure),
  })
  return {
    channel,
    clock,
    sent,
    heard,
    say: (message) => listener!.onMessage({ jsonrpc: '2.0', ...message } as Message),
    end: (failure) => listener!.onEnd(failure),
  }
}

const BY_MESSAGE = { cancelBy: 'message' } as const

/** What became of a request, as soon as it is known. */
function watch(work: Promise<Result>): { outcome: unknown } {
  const seen: { outcome: unknown } = { outcome: 'waiting' }
  work.then(
    (result) => (seen.outcome = result),
    (error: SessionError) => (seen.outcome = error.failure),
  )
  return seen
}

/** Lets promises that are settled have their say. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a request', () => {
  it('with something that is no signal is refused, and hinders no other', async () => {
    const { channel, sent, clock, heard, end } = open()
    const signal = {} as AbortSignal
    await expect(channel.request('a', undefined, { signal, timeoutMs: 50 })).rejects.toThrow(TypeError)
    const next = watch(channel.request('b', undefined, { timeoutMs: 100 }))
    const last = watch(channel.request('c', undefined, {}))
    clock.advance(100)
    await settle()
    expect(next.outcome).toEqual({ kind: 'timeout', afterMs: 100 })
    end({ kind: 'closed' })
    await settle()
    expect(last.outcome).toMatchObject({ kind: 'lost', wire: { kind: 'closed' } })
    expect(heard).toEqual([{ kind: 'closed' }])
    expect(sent.map(({ message }) => 'method' in message && message.method)).toEqual([
      'b',
      'c',
      'notifications/cancelled',
    ])
  })

  it('that is answered is not kept with its answer, though a wire remembers it', async () => {
    const { channel, say, sent } = open(undefined, 'http')
    const collect = exposeCollector()
    const result = await (async () => {
      const answered = channel.request('a', undefined, {})
      say({ id: 1, result: { content: [] } })
      return new WeakRef(await answered)
    })()
    await settle()
    collect()
    expect(sent).toHaveLength(1)
    expect(result.deref()).toBeUndefined()
  })

  it('gets the answer with its id, as it came, whatever the order', async () => {
    const { channel, say, sent } = open()
    const first = channel.request('a', undefined, BY_MESSAGE)
    const second = channel.request('b', { x: 1 }, BY_MESSAGE)
    expect(sent.map(({ message }) => message)).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'a' },
      { jsonrpc: '2.0', id: 2, method: 'b', params: { x: 1 } },
    ])
    say({ id: 2, result: { two: true, unknown: [null] } })
    say({ id: 1, result: { one: true } })
    expect(await Promise.all([first, second])).toEqual([{ one: true }, { two: true, unknown: [null] }])
  })

  it.each([
    [
      { error: { code: -5, message: 'no', data: 1 } },
      { kind: 'rpc', error: { code: -5, message: 'no', data: 1 } },
    ],
    [{ error: { code: -5 } }, { kind: 'rpc', error: { code: -5, message: '' } }],
    [
      { error: 'broken' },
      {
        kind: 'rpc',
        error: { code: -32603, message: 'the server answered with an error that is none', data: 'broken' },
      },
    ],
    [{ result: null }, { kind: 'bad-answer', message: 'the answer has no result' }],
    [{ result: [1] }, { kind: 'bad-answer', message: 'the answer has no result' }],
    [{}, { kind: 'bad-answer', message: 'the answer has no result' }],
  ])('that is answered with %j is rejected', async (answer, failure) => {
    const { channel, say } = open()
    const seen = watch(channel.request('a', {}, BY_MESSAGE))
    say({ id: 1, ...answer })
    await settle()
    expect(seen.outcome).toEqual(failure)
  })

  it('is not answered by ids that are not its own', async () => {
    const { channel, say, heard } = open()
    const seen = watch(channel.request('a', {}, BY_MESSAGE))
    for (const id of [2, '1', null, undefined, [1], {}]) say({ id, result: {} })
    await settle()
    expect(seen.outcome).toBe('waiting')
    expect(heard).toEqual(
      ['2', '"1"', 'null', 'undefined', '[1]', '{}'].map(
        (id) => `an answer that nobody asked for (id ${id})`,
      ),
    )
  })

  it('that is lost with the wire says so; one after that was never sent', async () => {
    const { channel, end, heard, sent } = open()
    const before = watch(channel.request('a', {}, BY_MESSAGE))
    end({ kind: 'exit', exitCode: 1 })
    end({ kind: 'closed' })
    const after = watch(channel.request('b', {}, BY_MESSAGE))
    channel.notify('c')
    await settle()
    const wire = { kind: 'exit', exitCode: 1 }
    expect(before.outcome).toEqual({ kind: 'lost', wire, wasSent: true })
    expect(after.outcome).toEqual({ kind: 'lost', wire, wasSent: false })
    expect(heard).toEqual([wire])
    expect(sent).toHaveLength(1)
    expect(channel.gone.aborted).toBe(true)
  })

  it.each([
    [{ kind: 'network', code: 'ECONNREFUSED', message: 'x' }, false, true],
    [{ kind: 'network', code: 'ECONNRESET', message: 'x' }, true, false],
    [{ kind: 'http', status: 429, body: '' }, false, false],
    [{ kind: 'http', status: 502, body: '' }, true, false],
  ] as const)(
    'that the wire fails to deliver (%j) says whether it may have arrived',
    async (wire, wasSent, isOver) => {
      const { channel, sent, heard } = open()
      const seen = watch(channel.request('a', {}, BY_MESSAGE))
      sent[0]!.options!.onFailure!(wire)
      await settle()
      expect(seen.outcome).toEqual({ kind: 'lost', wire, wasSent })
      expect(heard).toEqual(isOver ? [wire] : [])
    },
  )
})

describe('the time limit', () => {
  it('ends a request without a word, tells the server, and leaves no timer', async () => {
    const { channel, clock, sent, say, heard } = open()
    const seen = watch(channel.request('a', {}, { ...BY_MESSAGE, timeoutMs: 100 }))
    clock.advance(99)
    await settle()
    expect(seen.outcome).toBe('waiting')
    clock.advance(1)
    await settle()
    expect(seen.outcome).toEqual({ kind: 'timeout', afterMs: 100 })
    expect(sent[1]!.message).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: 1, reason: 'no word for 100 ms' },
    })
    expect(clock.count()).toBe(0)
    say({ id: 1, result: {} })
    expect(heard).toEqual(['an answer that nobody asked for (id 1)'])
  })

  it('is each request\u2019s own, with one timer for all', async () => {
    const { channel, clock } = open()
    const limits = [500, 100, 0, 300]
    const seen = limits.map((timeoutMs) => watch(channel.request('a', {}, { ...BY_MESSAGE, timeoutMs })))
    const rounds: unknown[] = []
    for (let round = 0; round < 5; round++) {
      expect(clock.count()).toBeLessThanOrEqual(1)
      clock.advance(100)
      await settle()
      rounds.push(seen.map(({ outcome }) => outcome === 'waiting'))
    }
    expect(rounds).toEqual([
      [true, false, true, true],
      [true, false, true, true],
      [true, false, true, false],
      [true, false, true, false],
      [false, false, true, false],
    ])
    expect(clock.count()).toBe(0)
  })

  it('leaves a timer for the next request, which nobody has to wait for, until it is due or the wire is gone', async () => {
    const { channel, clock, say, end } = open()
    const ask = async (id: number): Promise<void> => {
      const work = channel.request('a', {}, { ...BY_MESSAGE, timeoutMs: 100 })
      expect([clock.count(), clock.held()]).toEqual([1, 0])
      say({ id, result: {} })
      await work
      expect([clock.count(), clock.held()]).toEqual([1, 0])
    }
    await ask(1)
    await ask(2)
    clock.advance(100)
    expect(clock.count()).toBe(0)
    await ask(3)
    end({ kind: 'closed' })
    expect(clock.count()).toBe(0)
  })

  it('leaves no timer behind where nothing else would keep a process alive for an answer', async () => {
    const { channel, clock, say } = open(undefined, 'in-process')
    const work = channel.request('a', {}, { ...BY_MESSAGE, timeoutMs: 100 })
    expect(clock.held()).toBe(1)
    say({ id: 1, result: {} })
    await work
    expect(clock.count()).toBe(0)
  })

  it('of a request is its own, also behind the timer of one before it', async () => {
    const { channel, clock, say } = open()
    const first = channel.request('a', {}, { ...BY_MESSAGE, timeoutMs: 100 })
    say({ id: 1, result: {} })
    await first
    clock.advance(60)
    const seen = watch(channel.request('a', {}, { ...BY_MESSAGE, timeoutMs: 100 }))
    clock.advance(99)
    await settle()
    expect(seen.outcome).toBe('waiting')
    clock.advance(1)
    await settle()
    expect(seen.outcome).toEqual({ kind: 'timeout', afterMs: 100 })
  })

  it('has a token although somebody says that there is no `_meta`', () => {
    const { channel, sent } = open()
    const onProgress = (): void => undefined
    void channel.request('a', { x: 1, _meta: undefined }, { onProgress })
    expect(sent[0]!.message).toMatchObject({ params: { x: 1, _meta: { progressToken: 1 } } })
  })

  it('begins anew with every sign of progress', async () => {
    const { channel, clock, say, sent } = open()
    const told: Params[] = []
    const onProgress = (progress: Params): void => void told.push(progress)
    const seen = watch(
      channel.request('a', { _meta: { trace: 'x' } }, { ...BY_MESSAGE, timeoutMs: 100, onProgress }),
    )
    expect(sent[0]!.message).toMatchObject({ params: { _meta: { trace: 'x', progressToken: 1 } } })
    for (let progress = 1; progress <= 3; progress++) {
      clock.advance(90)
      say({ method: 'notifications/progress', params: { progressToken: 1, progress } })
    }
    await settle()
    expect([seen.outcome, told.length]).toEqual(['waiting', 3])
    clock.advance(100)
    await settle()
    expect(seen.outcome).toEqual({ kind: 'timeout', afterMs: 100 })
  })

  it('stands still while a question is open, and begins anew with its answer', async () => {
    let answer: ((result: Result) => void) | undefined
    const { channel, clock, say } = open(() => new Promise((resolve) => (answer = resolve)))
    const seen = watch(channel.request('a', {}, { ...BY_MESSAGE, timeoutMs: 100 }))
    say({ id: 'q', method: 'elicitation/create', params: {} })
    clock.advance(390)
    answer!({ action: 'accept' })
    await settle()
    clock.advance(99)
    await settle()
    expect(seen.outcome).toBe('waiting')
    clock.advance(1)
    await settle()
    expect(seen.outcome).toEqual({ kind: 'timeout', afterMs: 100 })
  })
})

describe('the limit of a request in all', () => {
  const LATE = { kind: 'timeout', afterMs: 250, limit: 'duration' }

  it('is not put off by progress', async () => {
    const { channel, clock, say } = open()
    const limits = { ...BY_MESSAGE, timeoutMs: 100, maxDurationMs: 250 }
    const seen = watch(channel.request('a', {}, { ...limits, onProgress: () => undefined }))
    for (let progress = 1; progress <= 3; progress++) {
      await settle()
      expect(seen.outcome).toBe('waiting')
      clock.advance(80)
      say({ method: 'notifications/progress', params: { progressToken: 1, progress } })
    }
    clock.advance(10)
    await settle()
    expect(seen.outcome).toEqual(LATE)
  })

  it.each([
    ['elicitation/create', 'waiting'],
    ['sampling/createMessage', 'waiting'],
    ['roots/list', LATE],
  ] as const)('does not count the time in which people are asked (%s)', async (method, outcome) => {
    let answer: ((result: Result) => void) | undefined
    const { channel, clock, say } = open(() => new Promise((resolve) => (answer = resolve)))
    const seen = watch(channel.request('a', {}, { ...BY_MESSAGE, maxDurationMs: 250 }))
    clock.advance(100)
    say({ id: 'q', method, params: {} })
    clock.advance(1000)
    answer!({})
    await settle()
    clock.advance(149)
    await settle()
    expect(seen.outcome).toEqual(outcome)
    clock.advance(1)
    await settle()
    expect(seen.outcome).toEqual(LATE)
  })

  it('counts what was spent before', async () => {
    const { channel, clock } = open()
    const seen = watch(channel.request('a', {}, { ...BY_MESSAGE, maxDurationMs: 250, spentMs: 200 }))
    clock.advance(49)
    await settle()
    expect(seen.outcome).toBe('waiting')
    clock.advance(1)
    await settle()
    expect(seen.outcome).toEqual(LATE)
  })
})

describe('what a server asks', () => {
  it('does not put off the idle limit of its requests', async () => {
    const { channel, clock, say } = open()
    const seen = watch(channel.request('a', {}, { ...BY_MESSAGE, timeoutMs: 100 }))
    clock.advance(60)
    say({ id: 'r', method: 'roots/list' })
    await settle()
    clock.advance(40)
    await settle()
    expect(seen.outcome).toEqual({ kind: 'timeout', afterMs: 100 })
  })
})

describe('a question that nobody answers', () => {
  it('does not keep requests waiting for ever', async () => {
    const { channel, clock, say } = open(() => new Promise(() => undefined))
    const seen = watch(channel.request('a', {}, { ...BY_MESSAGE, timeoutMs: 60_000 }))
    say({ id: 'q', method: 'elicitation/create', params: {} })
    clock.advance(10 * 60_000)
    await settle()
    expect(seen.outcome).toBe('waiting')
    clock.advance(10 * 60_000)
    await settle()
    expect(seen.outcome).toEqual({ kind: 'timeout', afterMs: 60_000 })
  })
})

describe('giving up', () => {
  it.each([
    ['message', 'stdio', 1, false],
    ['nothing', 'stdio', 0, false],
    // Or the connection would be taken for ever, by an answer that nobody waits for.
    ['message', 'http', 1, true],
    ['stream', 'http', 0, true],
    ['nothing', 'http', 0, true],
  ] as const)('tells the server by %s (%s)', async (cancelBy, kind, messages, isEnded) => {
    const { channel, sent } = open(undefined, kind)
    const controller = new AbortController()
    const seen = watch(channel.request('a', {}, { cancelBy, signal: controller.signal }))
    controller.abort()
    await settle()
    expect(seen.outcome).toEqual({ kind: 'aborted', wasSent: true })
    expect(sent.slice(1)).toHaveLength(messages)
    expect(sent[0]!.isEnded).toBe(isEnded)
  })

  it('says so when a request is no JSON', async () => {
    const { channel } = open()
    channel.wire.send = (message) => void JSON.stringify(message)
    const seen = watch(channel.request('a', { n: 1n }, { ...BY_MESSAGE, timeoutMs: 0 }))
    await settle()
    expect(seen.outcome).toMatchObject({ kind: 'bad-answer' })
  })

  it('is not put off by pings', async () => {
    const { channel, clock, say } = open()
    const seen = watch(channel.request('a', {}, { ...BY_MESSAGE, timeoutMs: 100 }))
    clock.advance(60)
    say({ id: 'p', method: 'ping' })
    await settle()
    clock.advance(60)
    await settle()
    expect(seen.outcome).toEqual({ kind: 'timeout', afterMs: 100 })
  })

  it('before it begins sends nothing, and after the answer means nothing', async () => {
    const { channel, say, sent } = open()
    const controller = new AbortController()
    const done = channel.request('a', {}, { ...BY_MESSAGE, signal: controller.signal })
    say({ id: 1, result: {} })
    await done
    controller.abort()
    const never = watch(channel.request('b', {}, { ...BY_MESSAGE, signal: controller.signal }))
    await settle()
    expect(never.outcome).toEqual({ kind: 'aborted', wasSent: false })
    expect(sent).toHaveLength(1)
  })
})

describe('a question of the server', () => {
  const outOf = ({ sent }: Bench): readonly unknown[] => sent.map(({ message }) => message)

  it('is answered, also with an id that one of ours has', async () => {
    const bench = open(async (method, params) => ({ method, params }))
    const seen = watch(bench.channel.request('a', {}, BY_MESSAGE))
    bench.say({ id: 1, method: 'roots/list' })
    await settle()
    expect(outOf(bench)[1]).toEqual({ jsonrpc: '2.0', id: 1, result: { method: 'roots/list', params: {} } })
    expect(seen.outcome).toBe('waiting')
  })

  it('is refused with our reason, and with no more than that when the host fails', async () => {
    const refusal = { code: -32601, message: 'no' }
    const bench = open((method) =>
      Promise.reject(method === 'a' ? new RpcFaultError(refusal) : new Error('detail')),
    )
    bench.say({ id: 1, method: 'a' })
    bench.say({ id: 2, method: 'b' })
    await settle()
    expect(outOf(bench)).toEqual([
      { jsonrpc: '2.0', id: 1, error: refusal },
      { jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'the host failed to answer' } },
    ])
    expect(bench.heard).toEqual(['the host failed to answer b: Error: detail'])
  })

  it('that is taken back is not answered', async () => {
    const signals: AbortSignal[] = []
    const bench = open((_, __, signal) => {
      signals.push(signal)
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({})))
    })
    bench.say({ id: 'q', method: 'sampling/createMessage', params: {} })
    bench.say({ method: 'notifications/cancelled', params: { requestId: 'q' } })
    await settle()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect(bench.sent).toEqual([])
  })
})

describe('notifications', () => {
  it('go to the listener, but progress of nothing is odd', () => {
    const { say, heard } = open()
    say({ method: 'notifications/message', params: { data: 'x' } })
    say({ method: 'notifications/tools/list_changed' })
    say({ method: 'notifications/progress', params: { progressToken: 9, progress: 1 } })
    expect(heard).toEqual([
      ['notifications/message', { data: 'x' }],
      ['notifications/tools/list_changed', {}],
      'progress of a request that is over',
    ])
  })
})

describe('the yes to a subscription', () => {
  const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'

  it('goes to the request that it names, and to nobody else', () => {
    const { channel, say, heard } = open()
    const agreed: unknown[] = []
    for (const name of ['first', 'second']) {
      const onAgreed = (params: Params): void => void agreed.push([name, params['notifications']])
      void channel.request('subscriptions/listen', {}, { ...BY_MESSAGE, onAgreed })
    }
    const acknowledge = (meta: unknown, notifications: object): void =>
      say({ method: ACKNOWLEDGED, params: { _meta: meta, notifications } })
    acknowledge({ 'io.modelcontextprotocol/subscriptionId': 2 }, { toolsListChanged: true })
    acknowledge({ 'io.modelcontextprotocol/subscriptionId': 9 }, {})
    acknowledge(undefined, {})
    acknowledge(null, {})
    expect(agreed).toEqual([['second', { toolsListChanged: true }]])
    expect(heard).toEqual([])
  })
})
