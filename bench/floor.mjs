/**
 * floor: what plain Node can do, without a library, a check or a care: the least that anything could cost.
 */
import { spawn } from 'node:child_process'
import http from 'node:http'

/** Servers by name, connected and listed: `ask` for any method, `call` for the tool that gives back its text. */
export async function openFloor(servers, onReady = () => undefined) {
  const all = new Map()
  await Promise.all(
    Object.entries(servers).map(async ([name, server]) => {
      const one = server.url ? openHttp(server.url) : openStdio(server)
      await one.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} })
      const { tools } = await one.ask('tools/list', {})
      all.set(name, { ...one, call: (text) => one.ask('tools/call', { name: 'echo', arguments: { text } }) })
      onReady(name, tools)
    }),
  )
  return all
}

/** Lines of JSON over pipes, with no check of anything. */
function openStdio({ command, args }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const waiting = new Map()
  let pieces = []
  let unsent = ''
  let id = 0
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    let from = 0
    for (let to = chunk.indexOf('\n'); to !== -1; to = chunk.indexOf('\n', from)) {
      pieces.push(chunk.slice(from, to))
      const message = JSON.parse(pieces.length === 1 ? pieces[0] : pieces.join(''))
      pieces = []
      from = to + 1
      waiting.get(message.id)(message.result)
      waiting.delete(message.id)
    }
    if (from < chunk.length) pieces.push(chunk.slice(from))
  })
  return {
    ask: (method, params) =>
      new Promise((resolve) => {
        waiting.set(++id, resolve)
        if (unsent === '') {
          queueMicrotask(() => {
            child.stdin.write(unsent)
            unsent = ''
          })
        }
        unsent += `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
      }),
    close: () => child.kill(),
  }
}

/** `node:http` with connections that are kept, and no check of anything. */
export function openHttp(url, extra = {}) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 512 })
  const { hostname, port, pathname } = new URL(url)
  let id = 0
  let session = {}
  return {
    ask: (method, params) =>
      new Promise((resolve, reject) => {
        const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }))
        const headers = {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'content-length': body.length,
          ...session,
          ...extra,
        }
        const request = http.request(
          { hostname, port, path: pathname, method: 'POST', agent, headers },
          (answer) => {
            const { 'mcp-session-id': given, 'content-type': type = '' } = answer.headers
            if (given !== undefined) session = { 'mcp-session-id': given }
            const chunks = []
            answer.on('data', (chunk) => chunks.push(chunk))
            answer.on('end', () => {
              const text = Buffer.concat(chunks).toString()
              const json = type.startsWith('text/event-stream') ? /^data: (\{.*)$/m.exec(text)[1] : text
              resolve(JSON.parse(json).result)
            })
          },
        )
        request.on('error', reject)
        request.end(body)
      }),
    close: () => agent.destroy(),
  }
}
