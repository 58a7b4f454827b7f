/** leaks-secret: writes the variable `API_TOKEN` to stderr, and into the answer of the tool `leak`. */
import { serve, text, TOOLS } from './speak.mjs'

const token = process.env.API_TOKEN

process.stderr.write(`starting with token ${token}\n`)
serve({
  tools: [
    ...TOOLS,
    {
      name: 'leak',
      description: 'Tells its secret.',
      inputSchema: { type: 'object' },
      call: () => text(`the token is ${token}`),
    },
  ],
})
