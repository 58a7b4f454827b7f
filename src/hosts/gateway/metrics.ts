/**
 * metrics: counts the requests of the gateway, in the text format that Prometheus reads.
 *
 * in     finished requests, refusals; the current state when a client reads the metrics
 * out    counters, gauges and a histogram
 * never  has more than `MAX_SERIES` series, whatever tools are called: the rest is counted together
 */
import type { Refusal } from './door.ts'
import type { Seen } from './sighting.ts'

/** Read when a client asks for the metrics. */
export interface MetricsNow {
  readonly version: string
  readonly sessions: number
  readonly underWay: number
  readonly servers: readonly { readonly name: string; readonly state: string; readonly tools: number }[]
}

const MAX_SERIES = 2000

/** Seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'subscriptions/listen',
  'logging/setLevel',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
])

interface Histogram {
  /** The count of each bucket alone. The last is for durations above all limits. */
  readonly counts: number[]
  sum: number
}

export class Metrics {
  readonly #requests = new Counter(['method', 'outcome'])
  readonly #calls = new Counter(['server', 'tool', 'outcome'])
  readonly #refused = new Counter(['reason'])
  readonly #lost = new Counter(['what'])
  readonly #durations = new Map<string, Histogram>()
  #bytesIn = 0
  #bytesOut = 0
  #slowClients = 0

  see({ method, outcome, server, name, durationMs, bytesIn, bytesOut }: Seen): void {
    this.#requests.add(METHODS.has(method) ? method : OTHER, outcome)
    this.#bytesIn += bytesIn
    this.#bytesOut += bytesOut
    if (method !== 'tools/call' || server === undefined) return
    this.#calls.add(server, name ?? '', outcome)
    this.#observe(server, durationMs / 1000)
  }

  refused(why: Refusal): void {
    this.#refused.add(why)
  }

  /** The gateway gave up an answer. */
  slowClient(): void {
    this.#slowClients += 1
  }

  /** Records that could not be written or sent. */
  lost(what: 'audit' | 'traces', count: number): void {
    this.#lost.addMany(count, [what])
  }

  toText({ version, sessions, underWay, servers }: MetricsNow): string {
    const states = servers.map(({ name, state }) =>
      line('plugboard_server_state', { server: name, state }, 1),
    )
    const tools = servers.map((one) => line('plugboard_server_tools', { server: one.name }, one.tools))
    return [
      ...family('plugboard_build_info', 'gauge', 'The version that runs.', [
        line('plugboard_build_info', { version }, 1),
      ]),
      ...family(
        'plugboard_requests_total',
        'counter',
        'Requests of clients, by method and what became of them.',
        this.#requests.toLines('plugboard_requests_total'),
      ),
      ...family(
        'plugboard_calls_total',
        'counter',
        'Calls of tools, by what became of them.',
        this.#calls.toLines('plugboard_calls_total'),
      ),
      ...family(
        'plugboard_call_duration_seconds',
        'histogram',
        'How long calls of tools took.',
        [...this.#durations].flatMap(([server, one]) => toLines(server, one)),
      ),
      ...family('plugboard_requests_in_flight', 'gauge', 'Requests that are not answered yet.', [
        line('plugboard_requests_in_flight', {}, underWay),
      ]),
      ...family('plugboard_sessions', 'gauge', 'Sessions of clients that began with initialize.', [
        line('plugboard_sessions', {}, sessions),
      ]),
      ...family('plugboard_request_bytes_total', 'counter', 'Bytes of requests.', [
        line('plugboard_request_bytes_total', {}, this.#bytesIn),
      ]),
      ...family('plugboard_response_bytes_total', 'counter', 'Bytes of answers.', [
        line('plugboard_response_bytes_total', {}, this.#bytesOut),
      ]),
      ...family(
        'plugboard_refused_total',
        'counter',
        'Requests that were not let in: a wrong host, origin, token or scope, or too many (rate).',
        this.#refused.toLines('plugboard_refused_total'),
      ),
      ...family(
        'plugboard_slow_clients_total',
        'counter',
        'Answers that were given up because clients left too much unread.',
        [line('plugboard_slow_clients_total', {}, this.#slowClients)],
      ),
      ...family(
        'plugboard_lost_total',
        'counter',
        'Lines of the audit log that could not be written, and spans that could not be sent.',
        this.#lost.toLines('plugboard_lost_total'),
      ),
      ...family('plugboard_server_state', 'gauge', 'The state that each server is in.', states),
      ...family('plugboard_server_tools', 'gauge', 'How many tools each server has.', tools),
      '',
    ].join('\n')
  }

  #observe(server: string, seconds: number): void {
    const key = this.#durations.has(server) || this.#durations.size < MAX_SERIES / 10 ? server : OTHER
    let one = this.#durations.get(key)
    if (one === undefined) {
      one = { counts: Array.from({ length: BUCKETS.length + 1 }, () => 0), sum: 0 }
      this.#durations.set(key, one)
    }
    const at = BUCKETS.findIndex((limit) => seconds <= limit)
    one.counts[at === -1 ? BUCKETS.length : at]! += 1
    one.sum += seconds
  }
}

/** The name for all that exceed `MAX_SERIES`. */
const OTHER = 'other'

/** A character that no real name contains. */
const BETWEEN = '\u0000'

class Counter {
  readonly #labels: readonly string[]
  readonly #counts = new Map<string, number>()

  constructor(labels: readonly string[]) {
    this.#labels = labels
  }

  add(...values: readonly string[]): void {
    this.addMany(1, values)
  }

  addMany(count: number, values: readonly string[]): void {
    const wanted = values.join(BETWEEN)
    const before = this.#counts.get(wanted)
    if (before !== undefined || this.#counts.size < MAX_SERIES)
      return void this.#counts.set(wanted, (before ?? 0) + count)
    const rest = this.#labels.map(() => OTHER).join(BETWEEN)
    this.#counts.set(rest, (this.#counts.get(rest) ?? 0) + count)
  }

  toLines(name: string): readonly string[] {
    return [...this.#counts].map(([key, count]) => {
      const values = key.split(BETWEEN)
      return line(name, Object.fromEntries(this.#labels.map((label, i) => [label, values[i] ?? ''])), count)
    })
  }
}

function toLines(server: string, { counts, sum }: Histogram): readonly string[] {
  const name = 'plugboard_call_duration_seconds'
  let below = 0
  const buckets = counts.map((count, i) => {
    below += count
    return line(`${name}_bucket`, { server, le: String(BUCKETS[i] ?? '+Inf') }, below)
  })
  return [...buckets, line(`${name}_sum`, { server }, sum), line(`${name}_count`, { server }, below)]
}

/** Omits a family without lines. */
function family(name: string, type: string, help: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]
}

function line(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escape(text)}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
