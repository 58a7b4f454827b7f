/** dies-on-call: the tool `die` exits with 1 before it answers. */
import { serve, TOOLS } from './speak.mjs'

serve({
  tools: [
    ...TOOLS,
    {
      name: 'die',
      description: 'Dies.',
      inputSchema: { type: 'object', properties: {} },
      call: () => process.exit(1),
    },
  ],
})
