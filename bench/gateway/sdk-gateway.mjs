/**
 * sdk-gateway: the same with the raw SDK: a session in front, a client behind, nothing in between.
 *
 *   node bench/gateway/sdk-gateway.mjs <url of the server>      prints its port
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { Server } from '@modelcontextprotocol/server'

const client = new Client({ name: 'sdk-gateway', version: '1' }, { capabilities: {} })
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])))
const sessions = new Map()

async function open() {
  const mcp = new Server({ name: 'sdk-gateway', version: '1' }, { capabilities: { tools: {} } })
  mcp.setRequestHandler('tools/list', () => client.listTools())
  mcp.setRequestHandler('tools/call', ({ params }) => client.callTool(params))
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  })
  await mcp.connect(transport)
  return transport
}

const server = createServer(async (request, response) => {
  const transport = sessions.get(request.headers['mcp-session-id']) ?? (await open())
  await transport.handleRequest(request, response)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
