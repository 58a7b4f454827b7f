/** giant-line: the tool `giant` answers with `mb` (100) megabytes in one line. */
import { serve, text, TOOLS } from './speak.mjs'

serve({
  tools: [
    ...TOOLS,
    {
      name: 'giant',
      description: 'Answers with very much text.',
      inputSchema: { type: 'object', properties: { mb: { type: 'integer' } } },
      call: ({ mb = 100 }) => text('x'.repeat(mb * 1024 * 1024)),
    },
  ],
})
