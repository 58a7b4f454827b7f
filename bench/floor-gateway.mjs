/**
 * floor-gateway: the least that a gateway could do: an HTTP request in, a line to one server over a pipe, its answer back.
 *
 *   node bench/floor-gateway.mjs <server.mjs>        prints its port
 */
import { createServer } from 'node:http'
import { openFloor } from './floor.mjs'

const servers = { one: { command: process.execPath, args: [process.argv[2]] } }
const one = (await openFloor(servers)).get('one')
const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', async () => {
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    if (id === undefined) return response.writeHead(202).end()
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: await one.ask(method, params) })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
