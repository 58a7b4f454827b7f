/**
 * stops-reading: the tool `stop` answers, and then nothing that is sent is read any more, until the file `--until` is there.
 */
import { existsSync } from 'node:fs'
import { serve, text, TOOLS } from './speak.mjs'

const LOOK_MS = 50

function stop() {
  const at = process.argv.indexOf('--until')
  setImmediate(() => process.stdin.pause())
  const timer = setInterval(() => {
    if (at === -1 || !existsSync(process.argv[at + 1])) return
    clearInterval(timer)
    process.stdin.resume()
  }, LOOK_MS)
  return text('not reading')
}

serve({
  tools: [
    ...TOOLS,
    { name: 'stop', inputSchema: { type: 'object' }, call: stop },
    { name: 'take', inputSchema: { type: 'object' }, call: () => text('taken') },
  ],
})
