/**
 * server: an MCP server over stdio with one tool that writes down every message it gets, one a line, into the file of its
 * first argument. `modern` as the second: it speaks 2026-07-28.
 */
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [file, era] = process.argv.slice(2)
const isModern = era === 'modern'
const hello = { capabilities: { tools: {} }, serverInfo: { name: 'counts', version: '1' } }
const tool = {
  name: 'echo',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}
const answers = {
  ...(isModern
    ? {
        'server/discover': () => ({
          ...hello,
          supportedVersions: ['2026-07-28'],
          ttlMs: 60_000,
          cacheScope: 'private',
        }),
      }
    : { initialize: ({ protocolVersion }) => ({ ...hello, protocolVersion }) }),
  'tools/list': () => ({ tools: [tool], ...(isModern ? { ttlMs: 60_000, cacheScope: 'private' } : {}) }),
  'tools/call': ({ arguments: { text } }) => ({ content: [{ type: 'text', text }] }),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  appendFileSync(file, `${method}\n`)
  if (id === undefined) return
  const answer = answers[method]
  const outcome =
    answer === undefined
      ? { error: { code: -32601, message: 'no such method' } }
      : { result: { ...answer(params), ...(isModern ? { resultType: 'complete' } : {}) } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`)
})
