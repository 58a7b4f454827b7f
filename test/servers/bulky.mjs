/**
 * bulky: answers of any size. The tool `bulk` gives an image of `bytes`, which no budget for text cuts short; with `tell` (true)
 * progress comes before it, so that over HTTP the answer is a stream. `log` says something of `bytes`, `times` times.
 */
import { send, serve, text, TOOLS } from './speak.mjs'

/** Made once for each size: the tests are not about this server. */
const images = new Map()

function imageOf(bytes) {
  const made =
    images.get(bytes) ??
    Buffer.from(`{"content":[{"type":"image","data":"${'A'.repeat(bytes)}","mimeType":"image/png"}]}`)
  images.set(bytes, made)
  return made
}

/** One at a time: what waits to be written must not fill the memory of this process instead. */
let written = Promise.resolve()

function write(...pieces) {
  written = written.then(() => new Promise((resolve) => process.stdout.write(Buffer.concat(pieces), resolve)))
}

const bulk = {
  name: 'bulk',
  inputSchema: { type: 'object', properties: { bytes: { type: 'integer' }, tell: { type: 'boolean' } } },
  annotations: { readOnlyHint: true },
  call({ bytes = 1000, tell = false }, { id, params: { _meta: meta } }) {
    const progressToken = meta?.progressToken
    if (tell) send({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
    const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`
    write(Buffer.from(start), imageOf(bytes), Buffer.from('}\n'))
  },
}

const log = {
  name: 'log',
  inputSchema: { type: 'object', properties: { bytes: { type: 'integer' }, times: { type: 'integer' } } },
  call({ bytes = 1000, times = 1 }) {
    for (let i = 0; i < times; i += 1)
      send({ method: 'notifications/message', params: { level: 'error', data: 'x'.repeat(bytes) } })
    return text('logged')
  },
}

serve({ tools: [...TOOLS, bulk, log], capabilities: { tools: {}, logging: {} } })
