/** half-line: once the handshake is done, it writes the beginning of a message and nothing more. */
import { hasFlag, serve } from './speak.mjs'

const HALF = '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"na'

let isStuck = false
serve({
  before: ({ method }) => {
    if (isStuck) return true
    const isDone = hasFlag('modern') ? method !== 'server/discover' : method === 'notifications/initialized'
    if (!isDone) return false
    process.stdout.write(HALF)
    isStuck = true
    return true
  },
})
