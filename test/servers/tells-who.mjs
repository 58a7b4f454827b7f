/**
 * tells-who: the tool `who` answers with its process, its folder and how often it was called; `hang` writes `begun` to the
 * file it is given, then never answers, and adds `cancelled` when it is.
 */
import { appendFileSync } from 'node:fs'
import { serve, text, TOOLS } from './speak.mjs'

let calls = 0

serve({
  tools: [
    ...TOOLS,
    {
      name: 'who',
      description: 'Tells its process, its folder, and how often it was asked.',
      inputSchema: { type: 'object' },
      call: () =>
        text(
          JSON.stringify({
            pid: process.pid,
            cwd: process.cwd(),
            calls: ++calls,
            value: process.env.VALUE,
          }),
        ),
    },
    {
      name: 'hang',
      description: 'Never answers.',
      inputSchema: { type: 'object', properties: { file: { type: 'string' } } },
      call: ({ file }, { signal }) =>
        new Promise(() => {
          appendFileSync(file, 'begun\n')
          signal.addEventListener('abort', () => appendFileSync(file, 'cancelled\n'))
        }),
    },
  ],
})
