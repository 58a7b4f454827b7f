/**
 * wrong-ids: a wrong answer for an id that nobody asked with, the right one under the id as text (some clients take it,
 * some do not), an error for nobody; then the right answer, twice.
 */
import { send, serve } from './speak.mjs'

const WRONG = { protocolVersion: '1999-01-01', capabilities: {}, tools: [], content: [] }

serve({
  reply: (message) => {
    send({ id: 999_999, result: WRONG })
    send({ ...message, id: typeof message.id === 'number' ? String(message.id) : 0 })
    send({ id: null, error: { code: -32603, message: 'wrong' } })
    send(message)
    send(message)
  },
})
