/**
 * reference: the server that the official conformance suite describes, made with the official SDK, in both eras.
 *
 *   PORT=0 node test/servers/http/reference.mjs http      says `listening on port <port>` on stderr
 *   node test/servers/http/reference.mjs stdio
 *
 * It passes every server scenario of the suite in every version, without a warning; the gateway in front of it must, too.
 */
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { createServer as createHttpServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from '@modelcontextprotocol/node'
import { createMcpHandler, inputRequired, ProtocolError, Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const SECRET = randomBytes(32)

/** How changes are told, which differs from transport to transport. */
let tellTools
let tellPrompts

const ANY = { type: 'object', properties: {} }
const text = (words) => ({ content: [{ type: 'text', text: words }] })
const form = (message, properties) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
  })
const sample = (words, maxTokens) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: words } }],
    maxTokens,
  })

/** A note to itself that nobody else can write. */
const sign = (words) => `${words}.${createHmac('sha256', SECRET).update(words).digest('hex')}`
function readState(mcpReq) {
  const state = mcpReq.requestState()
  if (state === undefined) return undefined
  const words = String(state).slice(0, String(state).lastIndexOf('.'))
  if (sign(words) !== state) throw new ProtocolError(-32602, 'the request state is not one of ours')
  return words
}

const accepted = (mcpReq, key) => {
  const answer = mcpReq.inputResponses?.[key]
  return answer?.action === 'accept' && typeof answer.content === 'object' ? answer.content : undefined
}

const SIMPLE = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  }),
  test_error_handling: () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  }),
  test_logging_tool: logThrice,
  test_tool_with_logging: logThrice,
  test_tool_with_progress: tellProgress,
  test_streaming_elicitation: (_, { mcpReq }) =>
    accepted(mcpReq, 'answer') === undefined
      ? inputRequired({ inputRequests: { answer: form('Go on?', { ok: { type: 'boolean' } }) } })
      : text('done'),
  test_missing_capability(_, context) {
    if (capabilitiesOf(context).sampling === undefined)
      throw new ProtocolError(-32021, 'this tool needs sampling', { requiredCapabilities: { sampling: {} } })
    const { envelope, inputResponses } = context.mcpReq
    // In the old era what was said once, when the session began, is not to be relied on: the tool asks.
    if (envelope === undefined && inputResponses === undefined)
      return inputRequired({ inputRequests: { llm: sample('Say hello', 10) } })
    return text('sampling is there')
  },
  /** Closes its stream before it answers: the client comes back for the answer. In 2026-07-28 it just answers. */
  async test_reconnection(_, { mcpReq, http }) {
    await mcpReq.log('info', 'The stream is about to end')
    http?.closeSSE?.()
    return text('The client came back for this')
  },
  async test_trigger_tool_change(_, context) {
    await tellTools(context)
    return text('told')
  },
  async test_trigger_prompt_change(_, context) {
    await tellPrompts(context)
    return text('told')
  },
}

const ASKING = {
  test_elicitation_sep1034_defaults: asking('Please review the form', {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
  test_elicitation_sep1330_enums: asking('Please choose', {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  }),
  test_input_required_result_elicitation(_, { mcpReq }) {
    const name = accepted(mcpReq, 'user_name')?.name
    if (typeof name === 'string') return text(`Hello, ${name}!`)
    return inputRequired({
      inputRequests: { user_name: form('What is your name?', { name: { type: 'string' } }) },
    })
  },
  test_input_required_result_sampling(_, { mcpReq }) {
    const answer = mcpReq.inputResponses?.capital_question
    if (answer !== undefined) return text(`The model says: ${answer.content?.text}`)
    return inputRequired({
      inputRequests: { capital_question: sample('What is the capital of France?', 100) },
    })
  },
  test_input_required_result_list_roots(_, { mcpReq }) {
    const answer = mcpReq.inputResponses?.client_roots
    if (answer !== undefined) return text(`Roots: ${(answer.roots ?? []).map(({ uri }) => uri).join(', ')}`)
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  },
  test_input_required_result_request_state(_, { mcpReq }) {
    if (mcpReq.inputResponses !== undefined && readState(mcpReq) !== undefined) return text('state-ok')
    return inputRequired({
      inputRequests: { confirm: form('Please confirm', { ok: { type: 'boolean' } }) },
      requestState: sign('state'),
    })
  },
  test_input_required_result_multiple_inputs(_, { mcpReq }) {
    const { user_name: name, greeting, client_roots: roots } = mcpReq.inputResponses ?? {}
    if (name !== undefined && greeting !== undefined && roots !== undefined) {
      readState(mcpReq)
      return text('all of it is there')
    }
    return inputRequired({
      inputRequests: {
        user_name: form('What is your name?', { name: { type: 'string' } }),
        greeting: sample('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: sign('multiple'),
    })
  },
  test_input_required_result_multi_round(_, { mcpReq }) {
    const state = readState(mcpReq)
    const { step1, step2 } = mcpReq.inputResponses ?? {}
    if (state === 'round-2' && step2 !== undefined) return text('all rounds are over')
    if (state === 'round-1' && step1 !== undefined)
      return inputRequired({
        inputRequests: { step2: form('Step 2: What is your favorite color?', { color: { type: 'string' } }) },
        requestState: sign('round-2'),
      })
    return inputRequired({
      inputRequests: { step1: form('Step 1: What is your name?', { name: { type: 'string' } }) },
      requestState: sign('round-1'),
    })
  },
  test_input_required_result_tampered_state(_, { mcpReq }) {
    if (readState(mcpReq) !== undefined && mcpReq.inputResponses !== undefined) return text('untouched')
    return inputRequired({
      inputRequests: { confirm: form('Please confirm', { ok: { type: 'boolean' } }) },
      requestState: sign('untouched'),
    })
  },
  test_input_required_result_capabilities(_, context) {
    if (context.mcpReq.inputResponses !== undefined) return text('thank you')
    const { elicitation, sampling } = capabilitiesOf(context)
    return inputRequired({
      inputRequests: {
        ...(elicitation === undefined
          ? {}
          : { name: form('What is your name?', { name: { type: 'string' } }) }),
        ...(sampling === undefined ? {} : { answer: sample('Say hello', 10) }),
      },
    })
  },
}

const WITH_ARGUMENTS = {
  test_region: {
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      required: ['region'],
    },
    call: ({ region }) => text(`in ${region}`),
  },
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'address',
          type: 'object',
          properties: { town: { type: 'string' }, country: { type: 'string' } },
        },
      },
      properties: {
        sendTo: { $ref: '#address' },
        billTo: { $ref: '#/$defs/address' },
        isGift: { type: 'boolean' },
        greeting: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['sendTo'] }, { required: ['billTo'] }] }],
      if: { properties: { isGift: { const: true } }, required: ['isGift'] },
      // oxlint-disable-next-line no-thenable -- a keyword of JSON Schema
      then: { required: ['greeting'] },
      else: { properties: { greeting: false } },
      additionalProperties: false,
    },
    call: (args) => text(JSON.stringify(args)),
  },
  test_sampling: {
    inputSchema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    call({ prompt }, { mcpReq }) {
      const answer = mcpReq.inputResponses?.llm
      if (answer !== undefined) return text(`LLM response: ${answer.content?.text}`)
      return inputRequired({ inputRequests: { llm: sample(prompt, 100) } })
    },
  },
  test_elicitation: {
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    call: ({ message }, context) =>
      asking(message, {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      })({}, context, 'User response'),
  },
}

const TOOLS = {
  ...Object.fromEntries(
    Object.entries({ ...SIMPLE, ...ASKING }).map(([name, call]) => [name, { inputSchema: ANY, call }]),
  ),
  ...WITH_ARGUMENTS,
}

function titled(noun) {
  return ['First', 'Second', 'Third'].map((word, at) => ({
    const: `value${at + 1}`,
    title: `${word} ${noun}`,
  }))
}

function asking(message, properties) {
  return (_, { mcpReq }, words = 'Elicitation completed') => {
    const answer = mcpReq.inputResponses?.answer
    if (answer !== undefined)
      return text(`${words}: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`)
    return inputRequired({ inputRequests: { answer: form(message, properties) } })
  }
}

/** A modern client says so with each request, a legacy one did when it began. */
function capabilitiesOf({ mcpReq, server }) {
  return mcpReq.envelope?.[CAPABILITIES] ?? server.getClientCapabilities() ?? {}
}

async function logThrice(_, { mcpReq }) {
  for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcpReq.log('info', words)
    await pause(50)
  }
  return text('logged')
}

async function tellProgress(_, { mcpReq }) {
  const { _meta: { progressToken } = {} } = mcpReq
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` },
      })
    await pause(50)
  }
  return text('told')
}

const RESOURCES = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched resource content' },
}

function readResource(uri) {
  if (Object.hasOwn(RESOURCES, uri)) return { contents: [{ uri, ...RESOURCES[uri] }] }
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id === undefined) throw new ProtocolError(-32602, 'Resource not found', { uri })
  const data = { id, templateTest: true, data: `Data for ID: ${id}` }
  return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }] }
}

const said = (content) => ({ role: 'user', content })
const PROMPTS = {
  test_simple_prompt: {
    get: () => ({ messages: [said({ type: 'text', text: 'This is a simple prompt for testing.' })] }),
  },
  test_prompt_with_arguments: {
    arguments: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => ({
      messages: [said({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` })],
    }),
  },
  test_prompt_with_embedded_resource: {
    arguments: ['resourceUri'],
    get: ({ resourceUri: uri }) => ({
      messages: [
        said({
          type: 'resource',
          resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        }),
        said({ type: 'text', text: 'Please process the embedded resource above.' }),
      ],
    }),
  },
  test_prompt_with_image: {
    get: () => ({
      messages: [
        said({ type: 'image', data: PNG, mimeType: 'image/png' }),
        said({ type: 'text', text: 'Please analyze the image above.' }),
      ],
    }),
  },
  test_input_required_result_prompt: {
    get(_, { mcpReq }) {
      const context = accepted(mcpReq, 'user_context')?.context
      if (context !== undefined) return { messages: [said({ type: 'text', text: `Context: ${context}` })] }
      return inputRequired({
        inputRequests: {
          user_context: form('What context should the prompt use?', { context: { type: 'string' } }),
        },
      })
    },
  },
}

const HINTS = { ttlMs: 60_000, cacheScope: 'public' }

function createServer() {
  const server = new Server(
    { name: 'reference', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
    },
  )
  server.setRequestHandler('tools/list', () => ({
    ...HINTS,
    tools: Object.entries(TOOLS).map(([name, { inputSchema }]) => ({
      name,
      description: `As the suite describes ${name}.`,
      inputSchema,
    })),
  }))
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const tool = Object.hasOwn(TOOLS, params.name) ? TOOLS[params.name] : undefined
    if (tool === undefined) throw new ProtocolError(-32602, `Unknown tool: ${params.name}`)
    return tool.call(params.arguments ?? {}, { mcpReq: context.mcpReq, http: context.http, server })
  })
  server.setRequestHandler('resources/list', () => ({
    ...HINTS,
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({
      uri,
      name: uri,
      description: `As the suite describes ${uri}.`,
      mimeType,
    })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    ...HINTS,
    resourceTemplates: [
      {
        uriTemplate: 'test://template/{id}/data',
        name: 'data',
        description: 'With an id.',
        mimeType: 'application/json',
      },
    ],
  }))
  server.setRequestHandler('resources/read', ({ params }) => ({ ...HINTS, ...readResource(params.uri) }))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  server.setRequestHandler('prompts/list', () => ({
    ...HINTS,
    prompts: Object.entries(PROMPTS).map(([name, { arguments: names = [] }]) => ({
      name,
      description: `As the suite describes ${name}.`,
      arguments: names.map((one) => ({ name: one, description: one, required: true })),
    })),
  }))
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const prompt = Object.hasOwn(PROMPTS, params.name) ? PROMPTS[params.name] : undefined
    if (prompt === undefined) throw new ProtocolError(-32602, `Unknown prompt: ${params.name}`)
    return prompt.get(params.arguments ?? {}, context)
  })
  server.setRequestHandler('completion/complete', () => ({
    completion: { values: [], total: 0, hasMore: false },
  }))
  return server
}

function overStdio() {
  let server
  tellTools = () => server.sendToolListChanged()
  tellPrompts = () => server.sendPromptListChanged()
  serveStdio(() => (server = createServer()))
}

/** How long a client waits before it comes back to a stream. */
const RETRY_MS = 100

/** What was sent on the streams of one session, so that its client can read on where a stream ended. */
function createEventStore() {
  const events = []
  return {
    async storeEvent(stream, message) {
      events.push({ stream, message })
      return String(events.length)
    },
    async getStreamIdForEventId(id) {
      return events[Number(id) - 1]?.stream
    },
    async replayEventsAfter(id, { send }) {
      const { stream } = events[Number(id) - 1]
      for (const [at, event] of events.entries()) {
        const isLater = at >= Number(id) && event.stream === stream
        // The first event of a stream has an id and no message.
        if (isLater && event.message.jsonrpc !== undefined) await send(String(at + 1), event.message)
      }
      return stream
    },
  }
}

/** 2026-07-28: an argument marked with `x-mcp-header` is sent in a header as well. Undefined: they agree. */
function findHeaderMismatch({ method, params }, headers) {
  if (method !== 'tools/call' || !Object.hasOwn(TOOLS, params?.name)) return undefined
  const properties = Object.entries(TOOLS[params.name].inputSchema.properties)
  return properties
    .filter(([name, { 'x-mcp-header': header }]) => header !== undefined && params.arguments?.[name] != null)
    .map(([name, { 'x-mcp-header': header }]) => ({ name, header: `Mcp-Param-${header}` }))
    .find(
      ({ name, header }) => decodeHeader(headers[header.toLowerCase()]) !== String(params.arguments[name]),
    )?.header
}

/** Undefined: there is no header, or what is marked as Base64 is not. */
function decodeHeader(value) {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? []
  if (encoded === undefined) return value
  const decoded = Buffer.from(encoded, 'base64')
  return decoded.toString('base64') === encoded ? decoded.toString() : undefined
}

function overHttp() {
  const modern = createMcpHandler(createServer, { legacy: 'reject' })
  const serveModern = toNodeHandler(modern)
  const sessions = new Map()
  const [isOurHost, isOurOrigin] = [localhostHostValidation(), localhostOriginValidation()]
  tellTools = async () => {
    modern.notify.toolsChanged()
    for (const { server } of sessions.values()) await server.sendToolListChanged()
  }
  tellPrompts = async () => {
    modern.notify.promptsChanged()
    for (const { server } of sessions.values()) await server.sendPromptListChanged()
  }

  async function serveLegacy(request, response, body) {
    const id = request.headers['mcp-session-id']
    if (id === undefined && body?.method === 'initialize') {
      const server = createServer()
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        eventStore: createEventStore(),
        retryInterval: RETRY_MS,
        onsessioninitialized: (made) => void sessions.set(made, { server, transport }),
        onsessionclosed: (gone) => void sessions.delete(gone),
      })
      await server.connect(transport)
      return transport.handleRequest(request, response, body)
    }
    const known = sessions.get(id)
    if (known !== undefined) return known.transport.handleRequest(request, response, body)
    return refuse(response, id === undefined ? 400 : 404, { code: -32001, message: 'Session not found' })
  }

  async function serve2026(request, response, body) {
    const header = body === undefined ? undefined : findHeaderMismatch(body, request.headers)
    if (header === undefined) return serveModern(request, response, body)
    const error = { code: -32020, message: `${header} does not say what the argument says` }
    return refuse(response, 400, error, body.id)
  }

  const http = createHttpServer(async (request, response) => {
    if (!isOurHost(request, response) || !isOurOrigin(request, response)) return
    let sent = ''
    for await (const chunk of request.setEncoding('utf8')) sent += chunk
    const body = sent === '' ? undefined : JSON.parse(sent)
    const version = request.headers['mcp-protocol-version']
    const isLegacy = version === undefined || version < '2026'
    await (isLegacy ? serveLegacy(request, response, body) : serve2026(request, response, body))
  })
  http.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
    process.stderr.write(`listening on port ${http.address().port}\n`),
  )
}

function refuse(response, status, error, id = null) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
}

if (process.argv[2] === 'http') overHttp()
else overStdio()
