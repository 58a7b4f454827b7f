/**
 * hop: the least that a gateway can do: `node:http` in, `node:http` out, bytes as they are, connections kept. The floor.
 *
 *   node bench/gateway/hop.mjs <port of the server>      prints its port
 */
import { Agent, createServer, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 512 })
const port = Number(process.argv[2])

const server = createServer((incoming, response) => {
  const { method, url: path, headers } = incoming
  const onward = request({ host: '127.0.0.1', port, path, method, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers)
    answer.pipe(response)
  })
  incoming.pipe(onward)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
