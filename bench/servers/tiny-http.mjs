/**
 * tiny-http: the same over Streamable HTTP with JSON answers. Prints its port.
 */
import { createServer } from 'node:http'
import { outcome } from './outcome.mjs'

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    if (id === undefined) return response.writeHead(202).end()
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, ...outcome(method, params) }))
    const session = method === 'initialize' ? { 'mcp-session-id': 'bench' } : {}
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length, ...session })
    response.end(body)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
