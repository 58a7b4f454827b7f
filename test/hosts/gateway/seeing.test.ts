/**
 * seeing: what can be known of a gateway and of what went through it: numbers, audit log, traces, whether it is there.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import parsePrometheus from 'parse-prometheus-text-format'
import { describe, expect, it } from 'vitest'
import { Audit } from '../../../src/hosts/gateway/audit.ts'
import { Metrics } from '../../../src/hosts/gateway/metrics.ts'
import type { Seen } from '../../../src/hosts/gateway/sighting.ts'
import type { Era } from '../../../src/model/session.ts'
import { serverEntry } from '../../boards/open.ts'
import { answerLegacy, serve, type Loopback } from '../../servers/http/loopback.ts'
import { createScratch } from '../../worlds/scratch.ts'
import { connectClient, httpTransport, openTestGateway, sdkEntry, TOKEN, type TestGateway } from './open.ts'

/** On a busy machine. */
const SOON = { timeout: 20_000 }

const ERAS: readonly Era[] = ['legacy', 'modern']

const ECHO = { name: 'echo', arguments: { text: 'well' } }

const textOf = (result: unknown): string =>
  (result as { readonly content: { readonly text: string }[] }).content[0]!.text

interface Family {
  readonly name: string
  readonly type: string
  readonly metrics: readonly {
    readonly value?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly buckets?: Readonly<Record<string, string>>
  }[]
}

async function metricsOf(gateway: TestGateway): Promise<readonly Family[]> {
  const response = await fetch(gateway.url('/metrics'), { headers: { authorization: `Bearer ${TOKEN}` } })
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return parsePrometheus(await response.text()) as readonly Family[]
}

function valueOf(families: readonly Family[], name: string, labels: object = {}): number {
  const found = families
    .find((family) => family.name === name)
    ?.metrics.find((one) => Object.entries(labels).every(([key, value]) => one.labels?.[key] === value))
  return Number(found?.value ?? found?.buckets?.['+Inf'] ?? 0)
}

describe.each(ERAS)('the numbers, with a %s client', (era) => {
  it('count calls by what became of them, bytes, sessions, servers and refusals', async () => {
    const rules = [
      { tool: 'mcp__x__echo', action: 'allow' },
      { tool: 'mcp__x__fail', action: 'deny' },
    ]
    await using gateway = await openTestGateway(
      { x: sdkEntry('modern'), gone: { command: 'no-such-program-4711' } },
      { rules },
    )
    await using test = await connectClient(httpTransport(gateway.url('/mcp/x')), { era, capabilities: {} })
    const { tools } = await test.client.listTools()
    for (const _ of [1, 2, 3]) await test.client.callTool(ECHO)
    const denied = tools.map(({ name }) => name).find((name) => name !== 'echo')!
    await test.client.callTool({ name: denied, arguments: {} })
    await fetch(gateway.url(), { method: 'POST', headers: { authorization: 'Bearer wrong' } })
    const now = await metricsOf(gateway)
    const calls = 'plugboard_calls_total'
    expect(valueOf(now, calls, { server: 'x', tool: 'echo', outcome: 'done' })).toBe(3)
    expect(valueOf(now, calls, { server: 'x', tool: denied, outcome: 'not-sent' })).toBe(1)
    expect(valueOf(now, 'plugboard_requests_total', { method: 'tools/call', outcome: 'done' })).toBe(3)
    expect(valueOf(now, 'plugboard_call_duration_seconds')).toBe(4)
    expect(valueOf(now, 'plugboard_requests_in_flight')).toBe(0)
    expect(valueOf(now, 'plugboard_sessions')).toBe(era === 'legacy' ? 1 : 0)
    expect(valueOf(now, 'plugboard_request_bytes_total')).toBeGreaterThan(300)
    expect(valueOf(now, 'plugboard_response_bytes_total')).toBeGreaterThan(1000)
    expect(valueOf(now, 'plugboard_refused_total', { reason: 'token' })).toBe(1)
    expect(valueOf(now, 'plugboard_server_state', { server: 'x', state: 'ready' })).toBe(1)
    expect(valueOf(now, 'plugboard_server_state', { server: 'gone', state: 'failed' })).toBe(1)
    expect(valueOf(now, 'plugboard_server_tools', { server: 'x' })).toBe(tools.length)
  })
})

const SEEN: Seen = {
  principal: { who: 'ada', key: 'ada' },
  era: 'modern',
  method: 'tools/call',
  params: {},
  at: 0,
  durationMs: 12,
  server: 'x',
  name: 'echo',
  outcome: 'done',
  bytesIn: 1,
  bytesOut: 1,
}

const NOW = { version: '1', sessions: 0, underWay: 0, servers: [] }

describe('the numbers', () => {
  it('are for those who have the token', async () => {
    await using gateway = await openTestGateway({})
    expect((await fetch(gateway.url('/metrics'))).status).toBe(401)
  })

  it('can be read whatever tools are called, and stay few whatever is called', () => {
    const metrics = new Metrics()
    metrics.see({ ...SEEN, name: 'a "quoted"\\ name\nin two lines' })
    for (let i = 0; i < 5000; i++) metrics.see({ ...SEEN, name: `tool-${i}`, server: `server-${i}` })
    for (let i = 0; i < 5000; i++) metrics.see({ ...SEEN, method: `made/up-${i}` })
    const text = metrics.toText(NOW)
    const families = parsePrometheus(text) as readonly Family[]
    const calls = families.find(({ name }) => name === 'plugboard_calls_total')!
    expect(calls.metrics.length).toBeLessThanOrEqual(2001)
    expect(valueOf(families, 'plugboard_calls_total', { tool: 'other' })).toBe(5001 - 2000)
    expect(text.split('\n').length).toBeLessThan(7000)
    const sum = calls.metrics.reduce((all, { value }) => all + Number(value), 0)
    expect(sum).toBe(5001)
  })

  it('have buckets that add up', () => {
    const metrics = new Metrics()
    for (const durationMs of [0.5, 3, 3, 400, 100_000]) metrics.see({ ...SEEN, durationMs })
    const [histogram] = (parsePrometheus(metrics.toText(NOW)) as readonly Family[]).filter(
      ({ type }) => type === 'HISTOGRAM',
    )
    const { buckets = {} } = histogram!.metrics[0]!
    expect(metrics.toText(NOW)).toContain('plugboard_call_duration_seconds_count{server="x"} 5\n')
    expect(metrics.toText(NOW)).toContain('plugboard_call_duration_seconds_sum{server="x"} 100.4065\n')
    expect([buckets['0.001'], buckets['0.005'], buckets['0.5'], buckets['60'], buckets['+Inf']]).toEqual([
      '1',
      '3',
      '4',
      '4',
      '5',
    ])
  })
})

function linesOf(file: string): readonly Record<string, unknown>[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('the audit log', () => {
  it.each(ERAS)('says who called what, by whose leave, and what became of it: %s', async (era) => {
    const rules = [{ tool: 'mcp__x__echo', action: 'allow' }]
    await using gateway = await openTestGateway({ x: sdkEntry('modern') }, { rules, audit: {} })
    await using test = await connectClient(httpTransport(gateway.url()), { era, capabilities: {} })
    await expect.poll(async () => (await test.client.listTools()).tools.length, SOON).toBeGreaterThan(1)
    const { tools } = await test.client.listTools()
    const other = tools.map(({ name }) => name).find((name) => /^mcp__x__(?!echo)/.test(name))!
    const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
    await test.client.callTool({ name: 'mcp__x__echo', arguments: { text: secret } })
    await test.client.callTool({ name: other, arguments: {} })
    await test.client.callTool({ name: 'mcp__x__nothing', arguments: {} }).catch(() => undefined)
    await fetch(gateway.url(), { method: 'POST', headers: { authorization: 'Bearer wrong' } })
    const file = join(gateway.scratch.home, 'audit.jsonl')
    await expect.poll(() => linesOf(file).length, SOON).toBe(4)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).not.toContain(secret)
    expect(readFileSync(file, 'utf8')).not.toContain(TOKEN)
    const settings = join(gateway.scratch.home, '.config/plugboard/settings.json')
    const common = {
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      who: 'token',
      client: 'test-client/1',
      era,
      method: 'tools/call',
      durationMs: expect.any(Number) as number,
      bytesIn: expect.any(Number) as number,
      bytesOut: expect.any(Number) as number,
    }
    expect(linesOf(file)).toEqual([
      {
        ...common,
        server: 'x',
        tool: 'echo',
        verdict: {
          action: 'allow',
          by: 'rule',
          rule: 'allow mcp__x__echo',
          level: 'user',
          file: settings,
          line: 1,
        },
        outcome: 'done',
      },
      {
        ...common,
        server: 'x',
        tool: other.replace('mcp__x__', ''),
        verdict: { action: 'deny', by: 'default' },
        outcome: 'not-sent',
        code: 'denied',
      },
      { ...common, tool: 'mcp__x__nothing', outcome: 'failed', code: -32602 },
      { at: common.at, refused: 'token', from: '127.0.0.1' },
    ])
  })

  it('has arguments when it is asked to, without what looks like a secret', async () => {
    await using gateway = await openTestGateway({ x: sdkEntry('modern') }, { audit: { arguments: 'kept' } })
    await using test = await connectClient(httpTransport(gateway.url('/mcp/x')), { era: 'modern' })
    await test.client.callTool({
      name: 'echo',
      arguments: { text: 'well', password: 'hunter2', deep: [{ api_key: 'k' }] },
    })
    const file = join(gateway.scratch.home, 'audit.jsonl')
    await expect.poll(() => linesOf(file).length, SOON).toBe(1)
    expect(linesOf(file)[0]!['arguments']).toEqual({
      text: 'well',
      password: '‹secret›',
      deep: [{ api_key: '‹secret›' }],
    })
  })

  it('is turned over when it is full, overwrites nothing, and says so when it cannot be written', () => {
    using scratch = createScratch()
    const file = join(scratch.home, 'audit.jsonl')
    let lost = 0
    const open = (path: string): Audit =>
      new Audit(scratch.world, {
        file: path,
        arguments: 'left-out',
        maxBytes: 1000,
        onLost: (lines) => (lost += lines),
      })
    const audit = open(file)
    for (let i = 0; i < 20; i++) {
      audit.see(SEEN)
      audit.flush()
    }
    expect(statSync(file).size).toBeLessThanOrEqual(1000)
    const names = readdirSync(scratch.home).filter((name) => name.startsWith('audit.'))
    expect(names.length).toBeGreaterThan(3)
    const all = names.map((name) => readFileSync(join(scratch.home, name), 'utf8')).join('')
    expect(all.trim().split('\n')).toHaveLength(20)
    expect(lost).toBe(0)
    expect(() => open(join(file, 'below-a-file'))).toThrow('the audit log cannot be written')
  })
})

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[]
  readonly status: { readonly code: number }
}

/** A collector, as far as OTLP over HTTP goes. */
function startCollector(status = 200): Promise<Loopback> {
  return serve(({ response }) => response.writeHead(status, { 'content-type': 'application/json' }).end('{}'))
}

function spansOf(collector: Loopback): readonly OtlpSpan[] {
  return collector.received.flatMap(({ message }) => {
    const { resourceSpans } = message as unknown as {
      readonly resourceSpans: { readonly scopeSpans: { readonly spans: readonly OtlpSpan[] }[] }[]
    }
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  })
}

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** A server that can be asked afterwards what it got. */
function startUpstream(): Promise<Loopback> {
  return serve((request) =>
    answerLegacy(request, {
      'tools/list': () => ({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] }),
      'tools/call': () => ({ content: [{ type: 'text', text: 'seen' }] }),
    }),
  )
}

/** The trace context of the last call that it got. */
function contextAt(upstream: Loopback): unknown {
  const { message } = upstream.received.findLast((one) => one.message?.method === 'tools/call')!
  const { _meta: meta } = message.params as { readonly _meta?: unknown }
  return meta
}

const entryOf = (upstream: Loopback): object => ({ type: 'http', url: upstream.url, protocol: 'legacy' })

const namesAt = (collector: Loopback): readonly string[] => spansOf(collector).map(({ name }) => name)

describe('a trace', () => {
  it.each(ERAS)('goes from the client through the gateway to the server: %s', async (era) => {
    await using collector = await startCollector()
    await using upstream = await startUpstream()
    await using gateway = await openTestGateway(
      { x: entryOf(upstream) },
      {
        env: {
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
          OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
          OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
        },
      },
    )
    await using test = await connectClient(httpTransport(gateway.url('/mcp/x')), { era })
    await test.client.callTool({
      name: 'look',
      arguments: {},
      _meta: { traceparent: PARENT, tracestate: 'vendor=1' },
    })
    await expect.poll(() => namesAt(collector), SOON).toContain('tools/call look')
    const span = spansOf(collector).find(({ name }) => name === 'tools/call look')!
    expect(span).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
      kind: 2,
      status: { code: 1 },
    })
    expect(span.spanId).toMatch(/^[\da-f]{16}$/)
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThan(BigInt(span.startTimeUnixNano))
    const attributes = Object.fromEntries(span.attributes.map(({ key, value }) => [key, value.stringValue]))
    expect(attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'look',
      'plugboard.server': 'x',
      'plugboard.outcome': 'done',
    })
    // What the server got is a child of the span that was told of.
    expect(contextAt(upstream)).toMatchObject({
      traceparent: `00-0af7651916cd43dd8448eb211c80319c-${span.spanId}-01`,
      tracestate: 'vendor=1',
    })
    const [first] = collector.received
    expect(first).toMatchObject({ path: '/v1/traces', headers: { 'x-key': 'a b' } })
    expect(JSON.stringify(first!.message)).toContain('deployment.environment')
  })

  it('that the client does not want told of is not, and still goes on', async () => {
    await using collector = await startCollector()
    await using upstream = await startUpstream()
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.origin}/own` }
    await using gateway = await openTestGateway({ x: entryOf(upstream) }, { env })
    await using test = await connectClient(httpTransport(gateway.url('/mcp/x')), { era: 'modern' })
    const call = { name: 'look', arguments: {} }
    await test.client.callTool({ ...call, _meta: { traceparent: PARENT.replace(/01$/, '00') } })
    expect(contextAt(upstream)).toMatchObject({
      traceparent: expect.stringMatching(/^00-0af7651916cd43dd8448eb211c80319c-[\da-f]{16}-00$/) as string,
    })
    await test.client.callTool(call)
    await expect.poll(() => namesAt(collector), SOON).toContain('tools/call look')
    expect(spansOf(collector).map(({ traceId }) => traceId)).not.toContain('0af7651916cd43dd8448eb211c80319c')
    expect(collector.received[0]!.path).toBe('/own')
  })

  it('is lost, and nothing else, when nobody collects it', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }
    await using gateway = await openTestGateway({ x: sdkEntry('modern') }, { env })
    await using test = await connectClient(httpTransport(gateway.url('/mcp/x')), { era: 'modern' })
    expect(textOf(await test.client.callTool(ECHO))).toBe('well')
    await expect
      .poll(async () => valueOf(await metricsOf(gateway), 'plugboard_lost_total', { what: 'traces' }), SOON)
      .toBeGreaterThan(0)
  })

  it('is not touched where no endpoint is configured', async () => {
    await using upstream = await startUpstream()
    await using gateway = await openTestGateway({ x: entryOf(upstream) })
    await using test = await connectClient(httpTransport(gateway.url('/mcp/x')), { era: 'modern' })
    await test.client.callTool({ name: 'look', arguments: {}, _meta: { traceparent: PARENT } })
    expect(contextAt(upstream)).toMatchObject({ traceparent: PARENT })
  })
})

describe('whether it is there', () => {
  it('can be asked without a token, and says nothing else', async () => {
    await using gateway = await openTestGateway({ x: { ...serverEntry('never-answers'), required: true } })
    const ask = async (path: string): Promise<readonly [number, string]> => {
      const response = await fetch(gateway.url(path))
      return [response.status, await response.text()]
    }
    expect(await ask('/healthz')).toEqual([200, 'ok\n'])
    expect(await ask('/readyz')).toEqual([503, 'starting\n'])
    await using ready = await openTestGateway({ x: { ...serverEntry('well-behaved'), required: true } })
    await expect.poll(async () => (await fetch(ready.url('/readyz'))).status, SOON).toBe(200)
  })
})

describe('a gateway that is asked to end', () => {
  it.each(ERAS)('finishes calls, begins none, and tells those who listen: %s', async (era) => {
    await using gateway = await openTestGateway({ x: serverEntry('progress') })
    await using test = await connectClient(httpTransport(gateway.url('/mcp/x')), { era })
    await using other = await connectClient(httpTransport(gateway.url('/mcp/x')), { era })
    let begun: (() => void) | undefined
    const isBegun = new Promise<void>((resolve) => (begun = resolve))
    const call = test.client.callTool(
      { name: 'work', arguments: { steps: 10, ms: 100 } },
      { onprogress: () => begun?.() },
    )
    await isBegun
    const drained = gateway.serving.drain(20_000)
    await expect(other.client.callTool({ name: 'work', arguments: {} })).rejects.toThrow()
    expect(textOf(await call)).toBe('worked 10 steps')
    await drained
  })

  it('waits no longer than it is told to', async () => {
    await using gateway = await openTestGateway({ x: serverEntry('progress') })
    await using test = await connectClient(httpTransport(gateway.url('/mcp/x')), { era: 'modern' })
    let begun: (() => void) | undefined
    const isBegun = new Promise<void>((resolve) => (begun = resolve))
    const call = test.client.callTool(
      { name: 'work', arguments: { steps: 1000, ms: 100 } },
      { onprogress: () => begun?.() },
    )
    call.catch(() => undefined)
    await isBegun
    const startedAt = Date.now()
    await gateway.serving.drain(200)
    expect(Date.now() - startedAt).toBeLessThan(10_000)
  })
})
