/** A turn: scripted models on loopback in both languages, real servers behind a real board. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../src/hosts/shell/agent/events.ts'
import type { Agent, OpenModel } from '../../../src/hosts/shell/agent/agent.ts'
import { openModel } from '../../../src/hosts/shell/agent/model.ts'
import { sayCall } from '../../../src/hosts/shell/say.ts'
import { runTurn, type Turn } from '../../../src/hosts/shell/agent/turn.ts'
import type { ModelProvider } from '../../../src/model/settings.ts'
import { openTestBoard, serverEntry, type TestBoard } from '../../boards/open.ts'
import { allowAll } from '../../boards/permits.ts'
import {
  openStreamingModel,
  resultsIn,
  type Script,
  type StreamingModel,
} from '../../servers/http/streaming-model.ts'

interface Stage extends AsyncDisposable {
  readonly test: TestBoard
  readonly endpoint: StreamingModel
  /** Its board can be replaced, to change something during a turn. */
  readonly agent: { -readonly [Key in keyof Agent]: Agent[Key] }
  readonly events: SessionEvent[]
  turn(prompt: string, before?: Turn): Promise<Turn>
}

async function open(
  provider: ModelProvider,
  script: readonly Script[],
  {
    signal = new AbortController().signal,
    options = { permit: allowAll },
    servers = { x: serverEntry('outcomes') },
  }: {
    readonly signal?: AbortSignal
    readonly options?: Parameters<typeof openTestBoard>[1]
    readonly servers?: Record<string, object>
  } = {},
): Promise<Stage> {
  const endpoint = await openStreamingModel(...script)
  const test = await openTestBoard(servers, { wait: 'all', ...options })
  const model = await openTestModel(test, provider, endpoint)
  const events: SessionEvent[] = []
  const agent: Stage['agent'] = { board: test.board, model, instructions: 'Be brief.' }
  return {
    test,
    endpoint,
    agent,
    events,
    turn: (prompt, before) =>
      runTurn(agent, before?.messages ?? [], prompt, { signal, tell: (event) => void events.push(event) }),
    async [Symbol.asyncDispose]() {
      await test[Symbol.asyncDispose]()
      await endpoint[Symbol.asyncDispose]()
    },
  }
}

/** Waits between tries are over at once: how long they would be is told in the event. */
async function openTestModel(
  { scratch }: TestBoard,
  provider: ModelProvider,
  { origin }: StreamingModel,
): Promise<OpenModel> {
  const model = await openModel(scratch.world, { provider, id: 'scripted', baseUrl: `${origin}/v1` })
  return { ...model, after: (_, step) => queueMicrotask(step) }
}

const call = (name: string, input: object | string = {}): Script => ({
  kind: 'calls',
  calls: [{ name, input }],
})

describe.each<ModelProvider>(['anthropic', 'openai'])('a turn with %s', (provider) => {
  it('streams the answer, calls the tool, and the model answers from what the tool returned', async () => {
    const marker = randomUUID()
    await using stage = await open(provider, [
      { kind: 'calls', text: 'Let me look.', calls: [{ name: 'mcp__x__echo', input: { text: marker } }] },
      (request) => ({
        kind: 'text',
        text: `The tool said ${/[0-9a-f-]{36}/.exec(resultsIn(request).at(-1) ?? '')?.[0]}.`,
      }),
    ])
    const turn = await stage.turn('What does it say?')
    expect(turn.end).toEqual({ kind: 'done' })
    expect(turn.text).toBe(`The tool said ${marker}.`)
    expect(textOf(stage.events)).toBe(`Let me look.The tool said ${marker}.`)
    expect(stage.events.filter(({ type }) => type === 'tool-call')).toEqual([
      { type: 'tool-call', id: expect.any(String) as unknown, name: 'mcp__x__echo', input: { text: marker } },
    ])
    expect(resultOf(stage.events)).toMatchObject({
      outcome: 'done',
      isError: false,
      text: expect.stringContaining(marker) as unknown,
    })
    expect(turn.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  })

  it('makes the calls of one step at the same time, and answers them in their order', async () => {
    const calls = [
      { name: 'mcp__x__busy', input: { ms: 300 } },
      { name: 'mcp__x__busy', input: { ms: 200 } },
      { name: 'mcp__x__echo', input: { text: 'quick' } },
    ]
    await using stage = await open(provider, [
      { kind: 'calls', calls },
      { kind: 'text', text: 'done' },
    ])
    await stage.turn('all of them')
    const finished = stage.events.flatMap((event) => (event.type === 'tool-result' ? [event.name] : []))
    expect(finished).toEqual(['mcp__x__echo', 'mcp__x__busy', 'mcp__x__busy'])
    // The server counted how many were under way: both, however long one of them takes.
    const results = resultsIn(stage.endpoint.requests[1]!)
    expect(results.map((text) => /quick|\d/.exec(text)?.[0])).toEqual(['2', '2', 'quick'])
  })

  it('makes many calls, one after the other and at once, without a word of Node about it', async () => {
    const warnings: string[] = []
    const onWarning = ({ message }: Error): void => void warnings.push(message)
    process.on('warning', onWarning)
    const steps = Array.from({ length: 15 }, (_, i) => call('mcp__x__echo', { text: `step ${i}` }))
    const calls = Array.from({ length: 15 }, (_, i) => ({
      name: 'mcp__x__echo',
      input: { text: `call ${i}` },
    }))
    await using stage = await open(provider, [
      ...steps,
      { kind: 'calls', calls },
      { kind: 'text', text: 'done' },
    ])
    const { end } = await stage.turn('a lot')
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', onWarning)
    expect({ end, warnings }).toEqual({ end: { kind: 'done' }, warnings: [] })
  })

  it('refuses arguments that are nested too deep, and goes on after some that even `ai` cannot read', async () => {
    const deep = (depth: number): string => `{"text":${'['.repeat(depth)}${']'.repeat(depth)}}`
    await using stage = await open(provider, [
      call('mcp__x__echo', deep(1000)),
      { kind: 'text', text: 'I see.' },
      call('mcp__x__echo', deep(20_000)),
      { kind: 'text', text: 'Again.' },
    ])
    const refused = await stage.turn('go deep')
    expect([refused.end, refused.text]).toEqual([{ kind: 'done' }, 'I see.'])
    expect(resultsIn(stage.endpoint.requests[1]!).at(-1)).toContain('nested too deep')
    const [asked] = stage.events.filter((event) => event.type === 'tool-call')
    expect(sayCall(asked!)).toContain('nested too deep to show')
    const failed = await stage.turn('deeper', refused)
    expect(failed.end.kind).toBe('failed')
    expect((await stage.turn('and now?', failed)).text).toBe('Again.')
  })

  it('stops a model that makes the same call again and again, and tells it so', async () => {
    const again = call('mcp__x__echo', { text: 'same' })
    await using stage = await open(provider, [again, again, again, again, { kind: 'text', text: 'I see.' }])
    const turn = await stage.turn('loop')
    expect(turn.text).toBe('I see.')
    const outcomes = stage.events.flatMap((event) =>
      event.type === 'tool-result' ? [event.result.outcome] : [],
    )
    expect(outcomes).toEqual(['done', 'done', 'done', 'not-sent'])
    expect(resultsIn(stage.endpoint.requests.at(-1)!).at(-1)).toMatch(/same/)
  })

  it('sends the same bytes before what is new, turn after turn, also after a server was away', async () => {
    await using stage = await open(provider, [
      call('mcp__x__echo', { text: 'x' }),
      { kind: 'text', text: 'one' },
      { kind: 'text', text: 'two' },
      { kind: 'text', text: 'three' },
    ])
    const first = await stage.turn('first')
    const second = await stage.turn('second', first)
    await stage.test.board.restart('x')
    await stage.turn('third', second)
    const { requests } = stage.endpoint
    const fixed = requests.map(({ tools, system }) => JSON.stringify({ tools, system: withoutMarks(system) }))
    expect(new Set(fixed).size).toBe(1)
    const said = requests.map(({ messages }) => JSON.stringify(withoutMarks(messages)).slice(0, -1))
    for (const [i, messages] of said.slice(1).entries()) expect(messages.startsWith(said[i]!)).toBe(true)
  })

  it('tells the model what was denied, and goes on', async () => {
    await using stage = await open(
      provider,
      [call('mcp__x__echo', { text: 'x' }), { kind: 'text', text: 'It was denied.' }],
      { options: {} },
    )
    const turn = await stage.turn('try')
    expect(turn.end).toEqual({ kind: 'done' })
    expect(resultOf(stage.events)).toMatchObject({ outcome: 'not-sent', code: 'denied', isError: true })
    expect(resultsIn(stage.endpoint.requests[1]!).at(-1)).toMatch(/plugboard|permission/)
  })

  it('gives every call a result when it is aborted, so that the conversation can go on', async () => {
    const controller = new AbortController()
    await using stage = await open(
      provider,
      [
        {
          kind: 'calls',
          calls: [
            { name: 'mcp__x__hangs', input: {} },
            { name: 'mcp__x__echo', input: { text: 'quick' } },
          ],
        },
        { kind: 'text', text: 'as you like' },
      ],
      { signal: controller.signal },
    )
    const running = stage.turn('hang')
    await untilTold(stage.events, (event) => event.type === 'tool-result')
    controller.abort()
    const turn = await running
    expect(turn.end).toEqual({ kind: 'aborted' })
    expect(turn.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    const outcomes = stage.events.flatMap((event) =>
      event.type === 'tool-result' ? [event.result.outcome] : [],
    )
    expect(outcomes.toSorted()).toEqual(['aborted', 'done'])
    const next = await runTurn(stage.agent, turn.messages, 'never mind', {
      signal: new AbortController().signal,
      tell: () => undefined,
    })
    expect(next.text).toBe('as you like')
    expect(resultsIn(stage.endpoint.requests[1]!)).toHaveLength(2)
  })

  it('stops in the middle of an answer, and keeps what was said', async () => {
    const controller = new AbortController()
    await using stage = await open(provider, [{ kind: 'hang', text: 'Once upon a time' }], {
      signal: controller.signal,
    })
    const running = stage.turn('tell me a story')
    await untilTold(stage.events, () => textOf(stage.events) === 'Once upon a time')
    controller.abort()
    const turn = await running
    expect(turn.end).toEqual({ kind: 'aborted' })
    expect(turn.messages.at(-1)).toEqual({ role: 'assistant', content: 'Once upon a time' })
  })

  it.each([429, 500, 503])('asks again after HTTP %i, and says so', async (status) => {
    await using stage = await open(provider, [
      { kind: 'status', status, headers: { 'retry-after': '2' } },
      { kind: 'status', status },
      { kind: 'text', text: 'at last' },
    ])
    const turn = await stage.turn('hello')
    expect(turn.text).toBe('at last')
    const retries = stage.events.flatMap((event) => (event.type === 'retry' ? [event] : []))
    expect(retries.map(({ afterMs, attempt }) => [attempt, afterMs])).toEqual([
      [1, 2000],
      [2, 2000],
    ])
    expect(retries[0]!.problem.message).toContain(`${provider}/scripted`)
  })

  it('gives up after three more tries, and the session goes on', async () => {
    const down: Script = { kind: 'status', status: 500 }
    await using stage = await open(provider, [down, down, down, down, { kind: 'text', text: 'back' }])
    const turn = await stage.turn('hello')
    expect(turn.end).toMatchObject({ kind: 'failed', problem: { code: 'shell/model-failed' } })
    expect(stage.endpoint.requests).toHaveLength(4)
    expect((await stage.turn('again', turn)).text).toBe('back')
  })

  it.each([
    [401, 'shell/model-refused'],
    [404, 'shell/model-unknown-model'],
    [400, 'shell/model-bad-request'],
  ])('does not repeat what cannot help: HTTP %i', async (status, code) => {
    await using stage = await open(provider, [{ kind: 'status', status }])
    const { end } = await stage.turn('hello')
    expect(end).toMatchObject({ kind: 'failed', problem: { code } })
    expect(end.kind === 'failed' && end.problem.notes.join(' ')).toContain(`scripted ${status}`)
    expect(stage.endpoint.requests).toHaveLength(1)
  })

  it('keeps what was said of an answer that broke off, and does not say it twice', async () => {
    await using stage = await open(provider, [
      { kind: 'cut', text: 'Half of' },
      { kind: 'text', text: 'the rest' },
    ])
    const turn = await stage.turn('hello')
    expect(turn.end).toMatchObject({
      kind: 'failed',
      problem: { code: expect.stringMatching(/^shell\/model-/) as unknown },
    })
    expect(turn.messages.at(-1)).toEqual({ role: 'assistant', content: 'Half of' })
    expect((await stage.turn('go on', turn)).text).toBe('the rest')
  })

  it('says so when what came is no answer', async () => {
    await using stage = await open(
      provider,
      Array.from({ length: 4 }, (): Script => ({ kind: 'garbage' })),
    )
    const { end } = await stage.turn('hello')
    expect(end).toMatchObject({
      kind: 'failed',
      problem: { code: expect.stringMatching(/^shell\/model-/) as unknown },
    })
  })

  it('says so when nobody is there', async () => {
    await using stage = await open(provider, [])
    await stage.endpoint[Symbol.asyncDispose]()
    const { end } = await stage.turn('hello')
    expect(end).toMatchObject({ kind: 'failed', problem: { code: 'shell/model-unreachable' } })
  })

  it('answers a call that cannot be read, and a tool that does not exist', async () => {
    await using stage = await open(provider, [
      call('mcp__x__echo', '{"text": '),
      call('mcp__x__ecko', { text: 'x' }),
      { kind: 'text', text: 'sorry' },
    ])
    const turn = await stage.turn('hello')
    expect(turn.text).toBe('sorry')
    const results = stage.events.flatMap((event) => (event.type === 'tool-result' ? [event.result] : []))
    expect(results).toMatchObject([
      { outcome: 'not-sent', code: 'bad-arguments', problem: { code: 'call/bad-arguments' } },
      { outcome: 'not-sent', code: 'unknown-tool', problem: { code: 'call/unknown-tool' } },
    ])
    const told = resultsIn(stage.endpoint.requests[2]!)
    expect(told).toEqual([
      expect.stringContaining('the arguments are no JSON object, but: {'),
      expect.stringContaining('did you mean `mcp__x__echo`?'),
    ])
  })

  it.each([
    ['a tool that does not exist', call('mcp__x__ecko', { text: 'x' })],
    ['arguments that cannot be read', call('mcp__x__echo', '{"text": ')],
    ['arguments that do not fit', call('mcp__x__strict', {})],
  ])('stops a model that calls %s again and again', async (_, again) => {
    await using stage = await open(provider, [again, again, again, again, { kind: 'text', text: 'I see.' }])
    await stage.turn('loop')
    const codes = stage.events.flatMap((event) => (event.type === 'tool-result' ? [event.result.code] : []))
    expect(codes).toEqual([codes[0], codes[0], codes[0], 'loop-guard'])
    expect(resultsIn(stage.endpoint.requests[4]!).at(-1)).toContain('was refused 3 times in a row')
  })

  it('says of a tool whose server was disabled during the turn that it is, and names no other tool', async () => {
    const servers = { x: serverEntry('outcomes'), y: serverEntry('outcomes') }
    await using stage = await open(
      provider,
      [
        call('mcp__y__busy', { ms: 1 }),
        call('mcp__y__echo', { text: 'y' }),
        { kind: 'text', text: 'It is off.' },
      ],
      { servers },
    )
    const { board } = stage.test
    stage.agent.board = {
      ...toAgentBoard(board),
      async call(...given) {
        const result = await board.call(...given)
        stage.test.servers['y'] = { ...servers.y, enabled: false }
        await board.reload()
        return result
      },
    }
    await stage.turn('both')
    const [first, second] = stage.endpoint.requests
    expect(JSON.stringify(first!.tools)).toContain('mcp__y__echo')
    expect(JSON.stringify(second!.tools)).not.toContain('mcp__y__echo')
    const told = resultsIn(stage.endpoint.requests[2]!).at(-1)
    expect(told).toContain('is disabled. Run /mcp enable y first.')
    expect(told).not.toContain('did you mean')
  })

  it('has tools that came during a turn in the next request', async () => {
    await using stage = await open(provider, [
      call('mcp__x__echo', { text: 'x' }),
      call('mcp__y__echo', { text: 'from y' }),
      { kind: 'text', text: 'two' },
    ])
    const { board } = stage.test
    stage.agent.board = {
      ...toAgentBoard(board),
      async call(...given) {
        const result = await board.call(...given)
        stage.test.servers['y'] = serverEntry('outcomes')
        await board.reload()
        await board.waitFor('y')
        return result
      },
    }
    await stage.turn('first')
    const has = stage.endpoint.requests.map(({ tools }) => JSON.stringify(tools).includes('mcp__y__echo'))
    expect(has).toEqual([false, true, true])
    expect(resultsIn(stage.endpoint.requests[2]!).at(-1)).toContain('from y')
  })

  it('sends the same tools with each request as long as nothing changes', async () => {
    const names = (at: number, stage: Stage): readonly string[] =>
      (stage.endpoint.requests[at]!.tools ?? []).map((tool) => JSON.stringify(tool))
    await using stage = await open(provider, [
      call('mcp__x__echo', { text: 'x' }),
      { kind: 'text', text: 'one' },
      call('mcp__y__echo', { text: 'y' }),
      { kind: 'text', text: 'two' },
    ])
    const first = await stage.turn('first')
    expect(names(0, stage)).toEqual(names(1, stage))
    stage.test.servers['y'] = serverEntry('outcomes')
    await stage.test.board.reload()
    await stage.test.board.waitFor('y')
    await stage.turn('second', first)
    expect(names(2, stage).join()).toContain('mcp__y__echo')
    expect(stage.endpoint.requests[3]!.tools).toEqual(stage.endpoint.requests[2]!.tools)
  })
})

describe('the system prompt', () => {
  it('is the same with and without a board that has nothing', async () => {
    await using stage = await open('openai', [{ kind: 'text', text: 'hi' }], { servers: {} })
    await stage.turn('hello')
    const { messages, tools } = stage.endpoint.requests[0]!
    expect(messages[0]).toEqual({ role: 'system', content: 'Be brief.' })
    expect(tools).toBeUndefined()
  })
})

/** Its own methods, which a spread of a class would leave behind. */
function toAgentBoard(board: TestBoard['board']): Agent['board'] {
  return {
    tools: () => board.tools(),
    builtinTools: () => board.builtinTools(),
    systemPromptSection: () => board.systemPromptSection(),
    call: (...given) => board.call(...given),
  }
}

/** Where a cache is to end is told anew with every request, and no part of what is cached. */
function withoutMarks(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null), (key, one: unknown) =>
    key === 'cache_control' ? undefined : one,
  )
}

function textOf(events: readonly SessionEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('')
}

function resultOf(events: readonly SessionEvent[]): unknown {
  return events.flatMap((event) => (event.type === 'tool-result' ? [event.result] : []))[0]
}

/** Looks after every turn of the loop: events are told by a callback that tests do not share. */
async function untilTold(
  events: readonly SessionEvent[],
  isIt: (event: SessionEvent) => boolean,
): Promise<void> {
  while (!events.some(isIt)) await new Promise((resolve) => setImmediate(resolve))
}
