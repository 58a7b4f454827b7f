/**
 * raw-client: a client of either era by hand, which shows every message as it came. The SDK's own drops what it does not
 * know, and so could not see that somebody else did.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createParser } from 'eventsource-parser'
import { LEGACY_VERSIONS, MODERN_VERSION, type Era } from '../../../src/model/session.ts'

type Value = Readonly<Record<string, unknown>>

export interface RawMessage {
  readonly jsonrpc: '2.0'
  readonly id?: number | string
  readonly method?: string
  readonly params?: Value
  readonly result?: Value
  readonly error?: Value
}

/** Either, as it came. */
export type RawAnswer = Pick<RawMessage, 'result' | 'error'>

export interface RawClient extends AsyncDisposable {
  readonly era: Era
  /** What the server said of itself. */
  readonly hello: Value
  readonly told: RawMessage[]
  readonly asked: { readonly method: string; readonly params: Value }[]
  /** Through all rounds, where the server has questions. */
  request(method: string, params?: Value, options?: RawOptions): Promise<RawAnswer>
  untilTold(method: string): Promise<void>
}

export interface RawOptions {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

/** What it answers, by method. */
const ANSWERS: Readonly<Record<string, (params: Value) => Value>> = {
  'elicitation/create': ({ mode }) =>
    mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'Ada' }, 'x-more': 1 },
  'sampling/createMessage': () => ({
    model: 'none',
    role: 'assistant',
    content: { type: 'text', text: 'hello' },
    stopReason: 'endTurn',
    _meta: { kept: true },
  }),
  'roots/list': () => ({ roots: [{ uri: 'file:///shop', name: 'shop', _meta: { kept: true } }] }),
}

const CAPABILITIES = { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } }
const INFO = { name: 'raw', version: '1', title: 'By hand' }

interface Line {
  send(message: RawMessage, options?: RawOptions): void
  close(): Promise<void>
}

type OpenLine = (hear: (message: RawMessage) => void, onGone: (why: string) => void, era: Era) => Line

export async function connectRaw(era: Era, open: OpenLine): Promise<RawClient> {
  const told: RawMessage[] = []
  const asked: RawClient['asked'] = []
  const pending = new Map<unknown, { resolve(answer: RawAnswer): void; reject(error: Error): void }>()
  let look = (): void => undefined
  let lastId = 0
  const answerTo = (method: string, params: Value = {}): Value => {
    asked.push({ method, params })
    return ANSWERS[method]!(params)
  }
  const onGone = (why: string): void => {
    for (const { reject } of pending.values()) reject(new Error(why))
  }
  const line = open(
    (message) => {
      const { id, method, params } = message
      if (method === undefined) {
        pending.get(id)?.resolve(message)
        pending.delete(id)
      } else if (id === undefined) told.push(message)
      else line.send({ jsonrpc: '2.0', id, result: answerTo(method, params) })
      look()
    },
    onGone,
    era,
  )
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
    'io.modelcontextprotocol/clientInfo': INFO,
    'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
  }
  const sendOne = (method: string, given: Value, options: RawOptions = {}): Promise<RawAnswer> => {
    const id = ++lastId
    const params =
      era === 'legacy' ? given : { ...given, _meta: { ...meta, ...(given['_meta'] as Value | undefined) } }
    return new Promise((resolve, reject) => {
      const settle = ({ result, error }: RawAnswer): void =>
        resolve(error === undefined ? { result: result! } : { error })
      pending.set(id, { resolve: settle, reject })
      line.send({ jsonrpc: '2.0', id, method, params }, options)
      options.signal?.addEventListener('abort', () => {
        line.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
        reject(new Error('given up'))
      })
    })
  }
  const request: RawClient['request'] = async (method, params = {}, options) => {
    let answer = await sendOne(method, params, options)
    while (answer.result?.['resultType'] === 'input_required') {
      const { inputRequests = {}, requestState } = answer.result as { readonly [key: string]: Value }
      const answers = Object.entries(inputRequests as Record<string, { method: string; params: Value }>).map(
        ([key, one]) => [key, answerTo(one.method, one.params)],
      )
      answer = await sendOne(
        method,
        { ...params, inputResponses: Object.fromEntries(answers), requestState },
        options,
      )
    }
    return answer
  }
  const greeting = { protocolVersion: LEGACY_VERSIONS[0], capabilities: CAPABILITIES, clientInfo: INFO }
  const { result: hello = {} } =
    era === 'legacy' ? await sendOne('initialize', greeting) : await sendOne('server/discover', {})
  if (era === 'legacy') line.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return {
    era,
    hello,
    told,
    asked,
    request,
    untilTold: (method) =>
      new Promise((resolve) => {
        look = () => {
          if (told.some((one) => one.method === method)) resolve()
        }
        look()
      }),
    [Symbol.asyncDispose]: () => line.close(),
  }
}

/** A program that it starts itself. */
export function overStdio(
  command: readonly string[],
  options: { cwd?: string; home?: string } = {},
): OpenLine {
  return (hear, onGone) => {
    const { cwd, home } = options
    const env = { PATH: process.env['PATH'] ?? '', ...(home === undefined ? {} : { HOME: home }) }
    const child = spawn(command[0]!, command.slice(1), { cwd, env, stdio: 'pipe' })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
    const closed = once(child, 'close')
    void closed.then(() => onGone(`it ended: ${said}`))
    createInterface({ input: child.stdout }).on('line', (line) => hear(JSON.parse(line) as RawMessage))
    return {
      send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
      async close() {
        child.stdin.end()
        await closed
      },
    }
  }
}

/** Headers by which those in between know what a modern message is about. */
function headersOf({ method, params = {} }: RawMessage): Record<string, string> {
  const name = params['name'] ?? params['uri']
  return {
    'mcp-protocol-version': MODERN_VERSION,
    ...(method === undefined ? {} : { 'mcp-method': method }),
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  }
}

export function overHttp(url: URL, token: string): OpenLine {
  return (hear, _, era) => {
    const over = new AbortController()
    let session: string | undefined
    const base = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' }
    const legacy = (): Record<string, string> =>
      session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': LEGACY_VERSIONS[0] }
    const exchange = async (
      message: RawMessage | undefined,
      { signal, headers }: RawOptions,
    ): Promise<void> => {
      const response = await fetch(url, {
        method: message === undefined ? 'GET' : 'POST',
        headers: {
          ...base,
          ...(message === undefined ? {} : { 'content-type': 'application/json' }),
          ...(era === 'legacy' || message === undefined ? legacy() : headersOf(message)),
          ...headers,
        },
        body: message === undefined ? null : JSON.stringify(message),
        signal: signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]),
      })
      session ??= response.headers.get('mcp-session-id') ?? undefined
      if (response.headers.get('content-type')?.startsWith('application/json') === true)
        return hear((await response.json()) as RawMessage)
      const parser = createParser({
        // An event without data only has an id.
        onEvent: ({ data }) => (data === '' ? undefined : hear(JSON.parse(data) as RawMessage)),
      })
      const decoder = new TextDecoder()
      for await (const chunk of response.body ?? [])
        parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))
    }
    // Given up, or over: whoever waits is told otherwise.
    const start = (message: RawMessage | undefined, options: RawOptions = {}): void =>
      void exchange(message, era === 'legacy' ? { headers: options.headers ?? {} } : options).catch(
        () => undefined,
      )
    return {
      send(message, options) {
        // In the new era the end of the stream says it.
        if (era === 'modern' && message.method === 'notifications/cancelled') return
        start(message, options)
        if (message.method === 'notifications/initialized') start(undefined)
      },
      async close() {
        if (session !== undefined) await fetch(url, { method: 'DELETE', headers: { ...base, ...legacy() } })
        over.abort()
      },
    }
  }
}
