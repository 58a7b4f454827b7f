/**
 * drops-calls: writes the name of every tool that it is asked for to the file `--log`, and dies without an answer the
 * first `--times` (1) times that each is called. `drop` promises nothing, `drop_idempotent` and `drop_readonly` do.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { numberFlag, serve, text, TOOLS } from './speak.mjs'

const log = process.argv[process.argv.indexOf('--log') + 1]
const times = numberFlag('times', 1)

const drop = (name, annotations) => ({
  name,
  description: `${name}.`,
  inputSchema: { type: 'object' },
  ...(annotations === undefined ? {} : { annotations }),
  call: () => {
    appendFileSync(log, `${name}\n`)
    const count = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line === name).length
    if (count <= times) process.exit(1)
    return text(`call ${count}`)
  },
})

serve({
  tools: [
    ...TOOLS,
    drop('drop'),
    drop('drop_idempotent', { idempotentHint: true }),
    drop('drop_readonly', { readOnlyHint: true }),
  ],
})
