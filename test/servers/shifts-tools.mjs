/** shifts-tools: counts in the file `--count` how often it was started; the description of its tool `work` tells. */
import { appendFileSync, readFileSync } from 'node:fs'
import { serve, text, TOOLS } from './speak.mjs'

const at = process.argv.indexOf('--count')
const file = at === -1 ? undefined : process.argv[at + 1]
if (file !== undefined) appendFileSync(file, 'x')
const starts = file === undefined ? 0 : readFileSync(file, 'utf8').length

serve({
  tools: [
    ...TOOLS,
    {
      name: 'work',
      description: `Start ${starts}.`,
      inputSchema: { type: 'object' },
      call: () => text(`start ${starts}`),
    },
  ],
})
