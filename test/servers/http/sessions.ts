/**
 * sessions: a server of the older revisions over Streamable HTTP, in which each session is a world of its own.
 *
 * Tools: `who` tells the session and how often it was called in it, with `wait` once it is released; `touch` tells
 * those sessions that subscribed to `note://one`, unless `only` says: this one alone; `grow` gives its session one tool
 * more, `extra`, and says so, or all of them, where `for` says `all`; `tell` tells its session something that no
 * protocol knows; `ask`
 * asks for a name, on the session's own stream, and answers with the answer.
 */
import type { ServerResponse } from 'node:http'
import { sendJson, sendResult, serve, type Loopback, type Received } from './loopback.ts'

export interface SessionsOptions {
  /** It takes no more than so many, in its life: the next `initialize` is an error, as in many examples. */
  readonly most?: number
}

export interface Sessions extends AsyncDisposable {
  readonly url: string
  readonly origin: string
  readonly received: Loopback['received']
  /** That were begun, in order, and are not over. */
  open(): readonly string[]
  readonly begun: number
  /** Those calls of `who` that wait. */
  release(): void
  until: Loopback['until']
  /** Asks for a name in this session, whatever is under way there. The answer: as it came. */
  ask(session: string): Promise<unknown>
}

interface One {
  calls: number
  readonly subscribed: Set<string>
  isGrown: boolean
  level: string | undefined
  stream: ServerResponse | undefined
  readonly questions: Map<string, (answer: unknown) => void>
}

type Params = Readonly<Record<string, unknown>>

const NOTE = 'note://one'

export async function serveSessions({ most = Infinity }: SessionsOptions = {}): Promise<Sessions> {
  const sessions = new Map<string, One>()
  const waiting = new Set<() => void>()
  let begun = 0
  let isGrown = false
  const loopback = await serve((request) => {
    const { method, headers, message, response } = request
    if (method === 'POST' && message.method === 'initialize') return greet(request)
    const id = String(headers['mcp-session-id'])
    const one = sessions.get(id)
    if (one === undefined)
      return void response.writeHead(message?.method === 'server/discover' ? 400 : 404).end('no such session')
    if (method === 'GET') return listen(one, response)
    if (method === 'DELETE') {
      one.stream?.end()
      sessions.delete(id)
      return void response.writeHead(200).end()
    }
    void answer(request, id, one)
  })

  function greet(request: Received): void {
    const { id } = request.message
    if (begun >= most) {
      const error = { code: -32600, message: 'Invalid Request: Server already initialized' }
      return sendJson(request, { jsonrpc: '2.0', id, error }, 400)
    }
    const session = `session-${++begun}`
    const [subscribed, questions] = [new Set<string>(), new Map<string, (answer: unknown) => void>()]
    const one = { calls: 0, subscribed, questions, isGrown: false, level: undefined, stream: undefined }
    sessions.set(session, one)
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
      },
      serverInfo: { name: 'sessions', version: '1' },
    }
    request.response.setHeader('mcp-session-id', session)
    sendJson(request, { jsonrpc: '2.0', id, result })
  }

  function listen(one: One, response: ServerResponse): void {
    one.stream = response
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    response.write(': here\n\n')
  }

  async function answer(request: Received, id: string, one: One): Promise<void> {
    const { message } = request
    if (message.id !== undefined && message.method === undefined) {
      const { result, error } = message as unknown as { readonly result?: unknown; readonly error?: unknown }
      one.questions.get(String(message.id))?.(result ?? { error })
    }
    if (message.id === undefined || message.method === undefined)
      return void request.response.writeHead(202).end()
    sendResult(request, await carryOut(message.method, (message.params ?? {}) as Params, { id, one }))
  }

  async function carryOut(
    method: string,
    params: Params,
    { id, one }: { readonly id: string; readonly one: One },
  ): Promise<unknown> {
    switch (method) {
      case 'tools/list':
        return { tools: toolsOf(isGrown || one.isGrown) }
      case 'resources/list':
        return { resources: [{ uri: NOTE, name: 'one' }] }
      case 'resources/templates/list':
        return { resourceTemplates: [] }
      case 'resources/subscribe':
        one.subscribed.add(String(params['uri']))
        return {}
      case 'resources/unsubscribe':
        one.subscribed.delete(String(params['uri']))
        return {}
      case 'logging/setLevel':
        one.level = String(params['level'])
        return {}
      case 'tools/call':
        return say(await call(String(params['name']), (params['arguments'] ?? {}) as Params, { id, one }))
      default:
        return {}
    }
  }

  async function call(
    name: string,
    args: Params,
    { id, one }: { readonly id: string; readonly one: One },
  ): Promise<string> {
    one.calls += 1
    switch (name) {
      case 'touch':
        for (const other of args['only'] === 'this' ? [one] : sessions.values())
          if (other.subscribed.has(NOTE)) tell(other, 'notifications/resources/updated', { uri: NOTE })
        return 'touched'
      case 'grow':
        isGrown ||= args['for'] === 'all'
        one.isGrown = true
        for (const other of isGrown ? sessions.values() : [one])
          tell(other, 'notifications/tools/list_changed', {})
        return 'grown'
      case 'tell':
        tell(one, 'notifications/acme/news', { from: id })
        return 'told'
      case 'ask':
        return JSON.stringify(await ask(one))
      default:
        if (args['wait'] === true) await new Promise<void>((resolve) => waiting.add(resolve))
        return JSON.stringify({ id, calls: one.calls, level: one.level, subscribed: [...one.subscribed] })
    }
  }

  return {
    url: loopback.url,
    origin: loopback.origin,
    received: loopback.received,
    open: () => [...sessions.keys()],
    get begun() {
      return begun
    },
    release: () => waiting.forEach((go) => go()),
    until: (method, count) => loopback.until(method, count),
    ask: (session) => ask(sessions.get(session)!),
    [Symbol.asyncDispose]: () => loopback[Symbol.asyncDispose](),
  }
}

function toolsOf(isGrown: boolean): readonly object[] {
  const names = ['who', 'touch', 'grow', 'tell', 'ask', ...(isGrown ? ['extra'] : [])]
  return names.map((name) => ({ name, inputSchema: { type: 'object' } }))
}

function say(text: string): object {
  return { content: [{ type: 'text', text }] }
}

function tell({ stream }: One, method: string, params: object): void {
  stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`)
}

function ask(one: One): Promise<unknown> {
  const id = `question-${one.questions.size + 1}`
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }
  const params = { message: 'Who are you?', requestedSchema }
  return new Promise((resolve) => {
    one.questions.set(id, resolve)
    one.stream?.write(
      `data: ${JSON.stringify({ jsonrpc: '2.0', id, method: 'elicitation/create', params })}\n\n`,
    )
  })
}
