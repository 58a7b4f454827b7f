/**
 * speak: a small, well-mannered MCP server on stdio, by hand. Each program beside this one changes one thing about it.
 *
 * With `--modern` it speaks 2026-07-28 as well, to whoever sends its envelope; without, it only knows `initialize`.
 */
import { createInterface } from 'node:readline'

export const MODERN = '2026-07-28'
export const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
const VERSION = 'io.modelcontextprotocol/protocolVersion'
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'

const LISTS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']

/** What a server is told on its command line: `--modern`, `--ms 500`. */
export function hasFlag(name) {
  return process.argv.includes(`--${name}`)
}

export function numberFlag(name, fallback) {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? fallback : Number(process.argv[at + 1])
}

export function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

export function text(value) {
  return { content: [{ type: 'text', text: value }] }
}

/** An answer that is a JSON-RPC error. */
export class Fault extends Error {
  constructor(code, message, data) {
    super(message)
    this.error = { code, message, ...(data === undefined ? {} : { data }) }
  }
}

const echo = {
  name: 'echo',
  description: 'Returns the text unchanged.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
  call: ({ text: said = '' }) => text(String(said)),
}

const slow = {
  name: 'slow',
  description: 'Answers `done` after `ms` milliseconds, unless it is cancelled.',
  inputSchema: { type: 'object', properties: { ms: { type: 'integer' } } },
  call: async ({ ms = 200 }, { signal }) => {
    await wait(ms, signal)
    return text('done')
  },
}

/** The two tools that every server here has, unless it says otherwise. */
export const TOOLS = [echo, slow]

/** Rejects when the signal aborts. */
export function wait(ms, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return void reject(signal.reason)
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}

/**
 * Serves until stdin ends.
 *
 *   tools         each with `call(args, context)`; read again for every request, so it may grow
 *   methods       by name, `(params, context) => result`; they come before what is built in. `undefined`: no answer
 *   before        sees each message first; `true` means that it needs no further answer
 *   reply         writes an answer; `send`, unless given
 *   ready         a promise that every answer waits for
 *   instructions  what it says of itself
 *   isModern      `--modern`, unless given
 *   endsWithInput `false`: the end of stdin means nothing to it
 */
export function serve(options = {}) {
  const server = { tools: TOOLS, methods: {}, reply: send, isModern: hasFlag('modern'), ...options }
  const methods = { ...builtIn(server), ...server.methods }
  const running = new Map()
  createInterface({ input: process.stdin, crlfDelay: Infinity })
    .on('line', (line) => {
      if (line.trim() === '') return
      const message = JSON.parse(line)
      if (server.before?.(message) === true) return
      if (message.method === 'notifications/cancelled') running.get(message.params?.requestId)?.abort()
      if (message.method !== undefined && message.id !== undefined) void answer(message)
    })
    .on('close', () => server.endsWithInput !== false && process.exit(0))

  async function answer(message) {
    const { id, method, params = {} } = message
    const controller = new AbortController()
    running.set(id, controller)
    try {
      // Without an `await` that is not needed: a cancellation may be in the next line.
      if (server.ready !== undefined) await server.ready
      const handle = requireMethod(server, methods, message)
      const result = await handle(params, { id, signal: controller.signal, isModern: hasEnvelope(params) })
      if (result !== undefined) server.reply({ id, result: stamp(method, params, result) })
    } catch (error) {
      if (controller.signal.aborted) return
      if (!(error instanceof Fault)) throw error
      server.reply({ id, error: error.error })
    } finally {
      running.delete(id)
    }
  }
}

function requireMethod(server, methods, { method, params = {} }) {
  const version = versionOf(params)
  if (server.isModern && version !== undefined && version !== MODERN) throw unsupported(version)
  const isHidden = !server.isModern && (method === 'server/discover' || method === 'subscriptions/listen')
  const handle = isHidden ? undefined : methods[method]
  if (handle === undefined) throw new Fault(-32601, 'Method not found')
  return handle
}

export function unsupported(requested) {
  return new Fault(-32022, 'Unsupported protocol version', { supported: [MODERN], requested })
}

function hasEnvelope(params) {
  return versionOf(params) === MODERN
}

function versionOf({ _meta: meta }) {
  return meta?.[VERSION]
}

/** What 2026-07-28 wants in every result, and in every list. */
function stamp(method, params, result) {
  if (!hasEnvelope(params)) return result
  const isKept = LISTS.includes(method) || method === 'server/discover'
  return { resultType: 'complete', ...(isKept ? { ttlMs: 60_000, cacheScope: 'private' } : {}), ...result }
}

function builtIn(server) {
  const serverInfo = { name: server.name ?? 'test-server', version: '1.0.0' }
  const capabilities = server.capabilities ?? { tools: {} }
  // JSON leaves out what is undefined.
  const { instructions } = server
  return {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo, instructions }),
    'server/discover': () => ({
      supportedVersions: [MODERN],
      capabilities,
      instructions,
      _meta: { [SERVER_INFO]: serverInfo },
    }),
    ping: () => ({}),
    // JSON leaves out what is called.
    'tools/list': () => ({ tools: server.tools }),
    'tools/call': (params, context) => {
      const tool = server.tools.find(({ name }) => name === params.name)
      if (tool === undefined) throw new Fault(-32602, `Unknown tool: ${params.name}`)
      return tool.call(params.arguments ?? {}, { ...context, params })
    },
  }
}
