/**
 * sdk: a server made with the official SDK, that does everything a server may do, in both eras.
 *
 *   node test/servers/http/sdk.mjs stdio
 *   PORT=0 node test/servers/http/sdk.mjs http      says `listening on port <port>` on stderr
 *
 * Over HTTP an old client gets a session, and 404 for one that is not known; a modern one needs none. A tool that is
 * cancelled writes `cancelled` to stderr.
 */
import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, inputRequired, ProtocolError, Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const ANY = { type: 'object' }

/** Tools on a page. */
const PAGE = 3

const QUESTIONS = {
  elicitation: inputRequired.elicit({
    message: 'What is your name?',
    requestedSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, greeting: { type: 'string', default: 'Hello' } },
      required: ['name'],
    },
  }),
  sampling: inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }],
    maxTokens: 10,
  }),
  roots: inputRequired.listRoots(),
}

/** How a change of the tools is told, which differs from transport to transport. */
let tellAll
let grown = 0

const TOOLS = {
  echo: {
    description: 'Returns the text unchanged.',
    inputSchema: TEXT,
    annotations: { readOnlyHint: true },
    call: ({ text }) => say(text),
  },
  weather: {
    title: 'Weather',
    description: 'Text and structured content.',
    inputSchema: ANY,
    outputSchema: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
    _meta: { 'example.test/unit': 'celsius' },
    call: () => ({
      ...say('{"degrees":21.5}'),
      structuredContent: { degrees: 21.5 },
      _meta: { cached: false },
    }),
  },
  fail: {
    description: 'A result that is an error.',
    inputSchema: ANY,
    call: () => ({ ...say('it went wrong'), isError: true }),
  },
  refuse: {
    description: 'An error of the protocol, with data.',
    inputSchema: ANY,
    call() {
      throw new ProtocolError(-31999, 'refused', { why: ['a', 1], when: null })
    },
  },
  work: {
    description: 'Tells of `steps`, `ms` milliseconds each.',
    inputSchema: ANY,
    call: work,
  },
  ask: {
    description: 'Asks the client, and answers with the answers.',
    inputSchema: ANY,
    call({ only = Object.keys(QUESTIONS) }, { mcpReq }) {
      if (mcpReq.inputResponses !== undefined)
        return say(JSON.stringify([mcpReq.inputResponses, mcpReq.requestState()]))
      return inputRequired({
        inputRequests: Object.fromEntries(only.map((name) => [name, QUESTIONS[name]])),
        requestState: 'a note to itself',
      })
    },
  },
  circle: {
    description: 'Asks the same for ever; each time writes `asked` to stderr.',
    inputSchema: ANY,
    call() {
      process.stderr.write('asked\n')
      return inputRequired({ inputRequests: { roots: QUESTIONS.roots } })
    },
  },
  log: {
    description: 'Logs at two levels.',
    inputSchema: ANY,
    async call(_, { mcpReq }) {
      await mcpReq.log('debug', { detail: 1 }, 'kitchen')
      await mcpReq.log('warning', 'too hot', 'kitchen')
      return say('logged')
    },
  },
  grow: {
    description: 'Adds a tool.',
    inputSchema: ANY,
    async call(_, context) {
      grown++
      await tellAll(context)
      return say('grown')
    },
  },
}

function say(text) {
  return { content: [{ type: 'text', text }] }
}

async function work({ steps = 3, ms = 10 }, { mcpReq }) {
  const { signal, _meta } = mcpReq
  for (let progress = 1; progress <= steps; progress++) {
    await pause(ms, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) {
      process.stderr.write('cancelled\n')
      return say('nobody reads this')
    }
    if (_meta?.progressToken === undefined) continue
    const { progressToken } = _meta
    const message = `step ${progress} of ${steps}`
    await mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken, progress, total: steps, message },
    })
  }
  return say(`worked ${steps} steps`)
}

function listTools() {
  // JSON leaves out what is called.
  const built = Object.entries(TOOLS).map(([name, tool]) => ({ name, ...tool }))
  const more = Array.from({ length: grown }, (_, at) => ({ name: `grown_${at + 1}`, inputSchema: ANY }))
  return [...built, ...more]
}

function createServer() {
  const server = new Server(
    { name: 'sdk-server', title: 'Made with the SDK', version: '3.1.4' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: {},
        prompts: {},
        completions: {},
        logging: {},
      },
      instructions: 'Ask politely.',
    },
  )
  server.setRequestHandler('tools/list', ({ params }) => {
    const from = Number(params?.cursor ?? 0)
    if (Number.isNaN(from)) throw new ProtocolError(-32602, 'no such page', { cursor: params.cursor })
    const all = listTools()
    const next = from + PAGE
    return { tools: all.slice(from, next), ...(next < all.length ? { nextCursor: String(next) } : {}) }
  })
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const tool = TOOLS[params.name]
    if (tool === undefined) throw new ProtocolError(-32602, `no tool is named ${params.name}`)
    if (params.name === 'echo' && typeof params.arguments?.text !== 'string')
      throw new ProtocolError(-32602, 'text must be a string', { path: ['text'] })
    return tool.call(params.arguments ?? {}, context)
  })
  server.setRequestHandler('resources/list', () => ({
    resources: [
      { uri: 'test://menu', name: 'menu', mimeType: 'text/plain', size: 4, annotations: { priority: 0.5 } },
    ],
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://dish/{name}', name: 'dish' }],
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    if (uri !== 'test://menu') throw new ProtocolError(-32602, 'no such resource', { uri })
    return {
      contents: [
        { uri, mimeType: 'text/plain', text: 'soup' },
        { uri, mimeType: 'image/png', blob: 'iVBORw0KGgo=' },
      ],
    }
  })
  server.setRequestHandler('prompts/list', () => ({
    prompts: [{ name: 'greet', description: 'Greets.', arguments: [{ name: 'who', required: true }] }],
  }))
  server.setRequestHandler('prompts/get', ({ params }) => {
    if (params.name !== 'greet') throw new ProtocolError(-32602, `no prompt is named ${params.name}`)
    const text = `Greet ${params.arguments?.who}.`
    return { description: 'Greets.', messages: [{ role: 'user', content: { type: 'text', text } }] }
  })
  server.setRequestHandler('completion/complete', ({ params: { argument } }) => ({
    completion: {
      values: ['Ada', 'Alan', 'Grace'].filter((name) => name.startsWith(argument.value)),
      total: 3,
    },
  }))
  return server
}

function overStdio() {
  let server
  tellAll = () => server.sendToolListChanged()
  serveStdio(() => (server = createServer()))
}

function overHttp() {
  const modern = createMcpHandler(createServer, { legacy: 'reject' })
  const serveModern = toNodeHandler(modern)
  const sessions = new Map()
  tellAll = async () => {
    modern.notify.toolsChanged()
    for (const { server } of sessions.values()) await server.sendToolListChanged()
  }

  async function openSession() {
    const server = createServer()
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, { server, transport }),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await server.connect(transport)
    return transport
  }

  async function serveLegacy(request, response, body) {
    const id = request.headers['mcp-session-id']
    const isNew = id === undefined && body?.method === 'initialize'
    const transport = isNew ? await openSession() : sessions.get(id)?.transport
    if (transport === undefined) {
      const error = { code: -32001, message: 'Session not found' }
      response.writeHead(404, { 'content-type': 'application/json' })
      return response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
    }
    return transport.handleRequest(request, response, body)
  }

  const http = createHttpServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const body = text === '' ? undefined : JSON.parse(text)
    const isModern = request.headers['mcp-protocol-version'] === '2026-07-28'
    await (isModern ? serveModern(request, response, body) : serveLegacy(request, response, body))
  })
  http.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
    process.stderr.write(`listening on port ${http.address().port}\n`),
  )
}

if (process.argv[2] === 'http') overHttp()
else overStdio()
