/**
 * token-proxy: stands between the suite and a gateway, and adds what the suite has no option for.
 *
 * The suite cannot send a token, and knows tools and prompts by the names that the server gives them. So the proxy adds
 * the token to each request. For the endpoint of all servers it also puts the prefix of the one server before each name
 * that the suite sends, and takes it from each name in a list. It changes nothing else: status, headers, `Host`, timing and
 * the events of a stream go through as they are, unless it is asked to break connections.
 */
import { once } from 'node:events'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TokenProxy extends AsyncDisposable {
  readonly url: string
}

export interface TokenProxyOptions {
  readonly target: URL
  readonly token: string
  /** What the names of the server begin with at this endpoint. Default: nothing. */
  readonly prefix?: string
  /** The tool whose calls lose their connection after the first event. Default: none. */
  readonly breaks?: string
}

export async function startTokenProxy({
  target,
  token,
  prefix = '',
  breaks = '',
}: TokenProxyOptions): Promise<TokenProxy> {
  const server = createServer((from, to) => void pass(from, to, { target, token, prefix, breaks }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${target.pathname}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function pass(
  from: IncomingMessage,
  to: ServerResponse,
  { target, token, prefix, breaks }: Required<TokenProxyOptions>,
): Promise<void> {
  const body = await readAll(from)
  const headers: OutgoingHttpHeaders = { ...from.headers, authorization: `Bearer ${token}` }
  const sent = prefix === '' ? body : addPrefix(body, prefix)
  const name = headers['mcp-name']
  if (prefix !== '' && typeof name === 'string' && PREFIXED.has(String(headers['mcp-method'])))
    headers['mcp-name'] = withPrefix(name, prefix)
  if (headers['content-length'] !== undefined) headers['content-length'] = String(Buffer.byteLength(sent))
  const isToBreak = breaks !== '' && callsTool(body, breaks)
  const onward = httpRequest(target, { method: from.method, headers, agent: false }, (answer) => {
    to.writeHead(answer.statusCode!, prefix === '' ? answer.headers : withoutLength(answer))
    to.flushHeaders()
    answer.on('error', () => to.destroy())
    if (prefix === '' && !isToBreak) return void answer.pipe(to)
    const onLine = (line: string): void => {
      if (to.writableEnded) return
      to.write(takePrefix(line, prefix))
      if (isToBreak && line === '\n') to.end()
    }
    relayLines(answer, onLine, () => to.end())
  })
  onward.on('error', () => to.destroy())
  to.on('close', () => onward.destroy())
  onward.end(sent)
}

/** Methods whose `name` is one of a tool or a prompt. */
const PREFIXED: ReadonlySet<string> = new Set(['tools/call', 'prompts/get'])

function callsTool(body: string, name: string): boolean {
  const { method, params } = parse(body) ?? {}
  return method === 'tools/call' && (params as { name?: unknown } | undefined)?.name === name
}

function addPrefix(body: string, prefix: string): string {
  const message = parse(body)
  if (message === undefined) return body
  const { method, params } = message
  if (typeof params !== 'object' || params === null) return body
  const { name, ref } = params as { name?: unknown; ref?: { type?: unknown; name?: unknown } }
  if (PREFIXED.has(String(method)) && typeof name === 'string')
    return JSON.stringify({ ...message, params: { ...params, name: withPrefix(name, prefix) } })
  if (ref?.type === 'ref/prompt' && typeof ref.name === 'string')
    return JSON.stringify({
      ...message,
      params: { ...params, ref: { ...ref, name: withPrefix(ref.name, prefix) } },
    })
  return body
}

/** A line of an event stream, or a whole answer in JSON. */
function takePrefix(line: string, prefix: string): string {
  const [, before, json, after] = /^((?:data: ?)?)(\{.*\})(\s*)$/s.exec(line) ?? []
  const message = json === undefined ? undefined : parse(json)
  const { result } = (message ?? {}) as { result?: Record<string, unknown> }
  const key = ['tools', 'prompts'].find((one) => Array.isArray(result?.[one]))
  if (key === undefined) return line
  const items = (result![key] as { name: string }[]).map((one) => ({
    ...one,
    name: withoutPrefix(one.name, prefix),
  }))
  return `${before}${JSON.stringify({ ...message, result: { ...result, [key]: items } })}${after}`
}

function withPrefix(name: string, prefix: string): string {
  return name.startsWith('=?base64?')
    ? `=?base64?${Buffer.from(prefix + Buffer.from(name.slice(9, -2), 'base64').toString()).toString('base64')}?=`
    : prefix + name
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** The names in a list get shorter. */
function withoutLength({ headers }: IncomingMessage): IncomingMessage['headers'] {
  const { 'content-length': _, ...rest } = headers
  return rest
}

function relayLines(from: IncomingMessage, onLine: (line: string) => void, onEnd: () => void): void {
  let rest = ''
  from.setEncoding('utf8')
  from.on('data', (chunk: string) => {
    const lines = (rest + chunk).split(/(?<=\n)/)
    rest = lines.at(-1)!.endsWith('\n') ? '' : lines.pop()!
    for (const line of lines) onLine(line)
  })
  from.on('end', () => {
    if (rest !== '') onLine(rest)
    onEnd()
  })
}

async function readAll(from: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of from) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
