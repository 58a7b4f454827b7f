/** echoes-env: the tool `env` answers with the names of all variables it got, sorted, one per line. */
import { serve, text, TOOLS } from './speak.mjs'

serve({
  tools: [
    ...TOOLS,
    {
      name: 'env',
      description: 'Names the variables of its environment.',
      inputSchema: { type: 'object' },
      call: () => text(Object.keys(process.env).sort().join('\n')),
    },
  ],
})
