/**
 * broken-streams: legacy clients of the built gateway whose connection breaks while a call is under way.
 */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { serverEntry } from '../../boards/open.ts'
import { openMachine, type Machine } from '../../processes/plugboard.ts'
import { startServing, tokenOf, type ServingProcess } from '../../processes/serve.ts'
import { connectClient, textOf, writeSettings } from './open.ts'

let machine: Machine
beforeEach(() => (machine = openMachine()))
afterEach(() => machine[Symbol.dispose]())

function start(): Promise<ServingProcess> {
  writeSettings(machine.home, {
    servers: { x: serverEntry('progress'), y: serverEntry('bulky') },
    gateway: { loopLimit: 0 },
  })
  return startServing(machine, '--http', '0')
}

interface Stream {
  /** The events, until `isEnough` or the end; then the connection is cut. */
  readUntil(isEnough: (event: EventSourceMessage) => boolean): Promise<readonly EventSourceMessage[]>
  readonly retryMs: () => number | undefined
}

interface RawSession {
  call(name: string, args: object): Promise<Stream>
  /** GET, with `Last-Event-ID`. */
  resume(lastEventId: string): Promise<Response>
}

async function openSession(
  gateway: ServingProcess,
  { server = 'x', version = '2025-11-25' } = {},
): Promise<RawSession> {
  const url = new URL(`/mcp/${server}`, gateway.url)
  const headers: Record<string, string> = {
    authorization: `Bearer ${tokenOf(machine)}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const post = (message: object): Promise<Response> =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })
  const clientInfo = { name: 'raw', version: '1' }
  const params = { protocolVersion: version, capabilities: {}, clientInfo }
  const greeted = await post({ id: 0, method: 'initialize', params })
  headers['mcp-session-id'] = greeted.headers.get('mcp-session-id')!
  headers['mcp-protocol-version'] = version
  await greeted.text()
  await post({ method: 'notifications/initialized' })
  return {
    async call(name, args) {
      const more = { _meta: { progressToken: 1 } }
      return toStream(await post({ id: 7, method: 'tools/call', params: { name, arguments: args, ...more } }))
    },
    resume: (id) => fetch(url, { headers: { ...headers, 'last-event-id': id } }),
  }
}

function toStream(response: Response): Stream {
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  let retryMs: number | undefined
  return {
    retryMs: () => retryMs,
    async readUntil(isEnough) {
      const events: EventSourceMessage[] = []
      let isOver = false
      const parser = createParser({
        onEvent(event) {
          if (!isOver) events.push(event)
          isOver ||= isEnough(event)
        },
        onRetry: (ms) => (retryMs = ms),
      })
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      for (;;) {
        const { value, done } = await reader.read()
        if (done) return events
        parser.feed(value)
        if (isOver) break
      }
      await reader.cancel()
      return events
    },
  }
}

const isProgress = ({ data }: EventSourceMessage): boolean => data.includes('notifications/progress')
const isAnswer = ({ data }: EventSourceMessage): boolean => data.includes('"id":7')
const never = (): boolean => false

const stepsIn = (events: readonly EventSourceMessage[]): readonly number[] =>
  events
    .filter(isProgress)
    .map(({ data }) => (JSON.parse(data) as { params: { progress: number } }).params.progress)

describe('a client of 2025-11-25', () => {
  test('is told an id and when to come back, before anything else', async () => {
    await using gateway = await start()
    const session = await openSession(gateway)
    const stream = await session.call('work', { steps: 2, ms: 1 })
    const events = await stream.readUntil(never)
    expect(events[0]).toMatchObject({ data: '', id: expect.stringMatching(/^\d+-\d+$/) as string })
    expect(stream.retryMs()).toBe(1000)
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    expect(isAnswer(events.at(-1)!)).toBe(true)
  })

  test('reads on after the last event that it read, and gets its answer once', async () => {
    await using gateway = await start()
    const session = await openSession(gateway)
    const first = await (await session.call('work', { steps: 8, ms: 100 })).readUntil(isProgress)
    const rest = await toStream(await session.resume(first.at(-1)!.id!)).readUntil(never)
    expect([...stepsIn(first), ...stepsIn(rest)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(rest.filter(isAnswer)).toHaveLength(1)
  })

  test('gets an answer that came while it was away, and again if that was lost, too', async () => {
    await using gateway = await start()
    const session = await openSession(gateway)
    const [priming] = await (await session.call('work', { steps: 3, ms: 1 })).readUntil(() => true)
    for (let times = 0; times < 2; times += 1) {
      const events = await toStream(await session.resume(priming!.id!)).readUntil(isAnswer)
      expect(stepsIn(events)).toEqual([1, 2, 3])
      expect(isAnswer(events.at(-1)!)).toBe(true)
    }
  })

  test('is told that an answer was too long to be kept', async () => {
    await using gateway = await start()
    const session = await openSession(gateway, { server: 'y' })
    const [priming] = await (
      await session.call('bulk', { bytes: 3_000_000, tell: true })
    ).readUntil(() => true)
    await expect.poll(() => answered(gateway), { timeout: 20_000 }).toBe(1)
    const events = await toStream(await session.resume(priming!.id!)).readUntil(isAnswer)
    expect(events.at(-1)!.data.slice(0, 200)).toContain('too long to be kept')
  })

  test('cannot read the stream of another session, nor one that there never was', async () => {
    await using gateway = await start()
    const session = await openSession(gateway)
    const [priming] = await (await session.call('work', { steps: 3, ms: 1 })).readUntil(() => true)
    const other = await openSession(gateway)
    for (const id of [priming!.id!, '999-1', 'x']) expect((await other.resume(id)).status).toBe(400)
  })

  test('of the SDK, whose connection is cut, gets its answer', async () => {
    await using gateway = await start()
    const transport = new StreamableHTTPClientTransport(new URL('/mcp/x', gateway.url), {
      requestInit: { headers: { Authorization: `Bearer ${tokenOf(machine)}` } },
      fetch: cutOnce(),
    })
    const { client } = await connectClient(transport, { era: 'legacy' })
    const answer = await client.callTool(
      { name: 'work', arguments: { steps: 5, ms: 100 } },
      { onprogress: () => undefined },
    )
    expect(textOf(answer)).toBe('worked 5 steps')
    await client.close()
  })
})

test('a client of 2025-06-18, which takes an event without data for a fault, gets no ids', async () => {
  await using gateway = await start()
  const session = await openSession(gateway, { version: '2025-06-18' })
  const events = await (await session.call('work', { steps: 2, ms: 1 })).readUntil(never)
  expect(events.map(({ id }) => id)).toEqual(events.map(() => undefined))
  expect(stepsIn(events)).toEqual([1, 2])
})

/** How many calls the gateway has answered. */
async function answered({ url }: ServingProcess): Promise<number> {
  const headers = { authorization: `Bearer ${tokenOf(machine)}` }
  const text = await (await fetch(new URL('/metrics', url), { headers })).text()
  return Number(/plugboard_requests_total\{method="tools\/call",outcome="done"\} (\d+)/.exec(text)?.[1] ?? 0)
}

/** Cuts the first stream that has an event with progress. */
function cutOnce(): typeof fetch {
  let isCut = false
  return async (url, init) => {
    const response = await fetch(url, init)
    if (init?.method !== 'POST' || !response.headers.get('content-type')?.includes('event-stream'))
      return response
    const cutter = new TransformStream<string, string>({
      transform(text, controller) {
        controller.enqueue(text)
        if (isCut || !text.includes('notifications/progress')) return
        isCut = true
        controller.terminate()
      },
    })
    const { status, headers } = response
    const body = response.body!.pipeThrough(new TextDecoderStream()).pipeThrough(cutter)
    return new Response(body.pipeThrough(new TextEncoderStream()), { status, headers })
  }
}
