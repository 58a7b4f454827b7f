/**
 * takes-tasks: offers tasks (2025-11-25). The tool `later` can only be called as one, `either` also as an ordinary call.
 * `--without`: it does not offer tasks, whatever its tools say, and all of them are ordinary ones.
 */
import { Fault, hasFlag, serve, text, TOOLS } from './speak.mjs'

const isWithout = hasFlag('without')

const tool = (name, execution) => ({
  name,
  description: `${name}.`,
  inputSchema: { type: 'object', properties: {} },
  execution,
  call: (_, { params }) => {
    if (name === 'later' && !isWithout && params.task === undefined)
      throw new Fault(-32601, 'this tool must be called as a task')
    return text(`${name}, ${params.task === undefined ? 'as a call' : 'as a task'}`)
  },
})

serve({
  capabilities: { tools: {}, ...(isWithout ? {} : { tasks: { requests: { tools: { call: {} } } } }) },
  tools: [...TOOLS, tool('later', { taskSupport: 'required' }), tool('either', { taskSupport: 'optional' })],
})
