/**
 * outcome: what the tiny servers answer.
 */
const tools = Array.from({ length: 10 }, (_, i) => ({
  name: i === 0 ? 'echo' : `tool${i}`,
  description: `tool ${i}`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
}))
const hello = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'tiny', version: '1' },
}

export function outcome(method, params) {
  if (method === 'initialize') return { result: hello }
  if (method === 'tools/list') return { result: { tools } }
  if (method === 'tools/call' && params.name === 'pid') {
    return { result: { content: [{ type: 'text', text: String(process.pid) }] } }
  }
  if (method === 'tools/call') return { result: { content: [{ type: 'text', text: params.arguments.text }] } }
  return { error: { code: -32601, message: 'no such method' } }
}
