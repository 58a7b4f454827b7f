/**
 * leaves-grandchild: starts a process that ignores SIGTERM, and leaves it behind when it exits itself. The pid is on
 * stderr and in the answer of the tool `grandchild`. With `--holds-pipes` that process also keeps stdout and stderr open,
 * with `--own-session` it has left the process group and the session of its server.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hasFlag, serve, text, TOOLS } from './speak.mjs'

const STUBBORN = `
  process.on('SIGTERM', () => undefined)
  setTimeout(() => process.exit(9), 300_000)
  require('node:fs').writeSync(3, 'ready')`

const output = hasFlag('holds-pipes') ? 'inherit' : 'ignore'
const grandchild = spawn(process.execPath, ['-e', STUBBORN], {
  stdio: ['ignore', output, output, 'pipe'],
  detached: hasFlag('own-session'),
})
// Only now does SIGTERM mean nothing to it.
const isReady = once(grandchild.stdio[3], 'data')
void isReady.then(() => process.stderr.write(`grandchild ${grandchild.pid}\n`))

serve({
  tools: [
    ...TOOLS,
    {
      name: 'grandchild',
      description: 'Tells the pid of the process it started.',
      inputSchema: { type: 'object' },
      call: async () => {
        await isReady
        return text(String(grandchild.pid))
      },
    },
  ],
})
