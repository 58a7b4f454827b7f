/**
 * progress: the tool `work` tells of `steps` (5) steps, `ms` (10) milliseconds each, then answers. When it is cancelled
 * it stops, and writes `cancelled <id>` to stderr.
 */
import { send, serve, text, TOOLS, wait } from './speak.mjs'

async function work({ steps = 5, ms = 10 }, { id, signal, params }) {
  const { _meta: { progressToken } = {} } = params
  signal.addEventListener('abort', () => process.stderr.write(`cancelled ${id}\n`))
  for (let progress = 1; progress <= steps; progress++) {
    await wait(ms, signal)
    if (progressToken === undefined) continue
    const message = `step ${progress} of ${steps}`
    send({ method: 'notifications/progress', params: { progressToken, progress, total: steps, message } })
  }
  return text(`worked ${steps} steps`)
}

serve({
  tools: [
    ...TOOLS,
    {
      name: 'work',
      description: 'Works in steps.',
      inputSchema: { type: 'object', properties: { steps: { type: 'integer' }, ms: { type: 'integer' } } },
      call: work,
    },
  ],
})
