/**
 * hides-text: puts characters that reorder text, that nobody sees and that a terminal obeys into everything it says: names,
 * descriptions, results, errors, logs, progress and stderr.
 *
 * Tools: `tells` (text, link, resource and structured content), `fails` (`isError`), `refuses` (a JSON-RPC error), `asks`
 * (a form, before it answers).
 */
import { Fault, send, serve, TOOLS } from './speak.mjs'

const HIDDEN = 'a\u202eb\u2066c\u200bd\u2060e\ufefff\u{e0041}g\u200fh\u061ci\u001b[31mj'

process.stderr.write(`stderr ${HIDDEN}\n`)

const described = { title: `title ${HIDDEN}`, description: `description ${HIDDEN}` }

function tool(name, call) {
  const properties = { [`x${HIDDEN}`]: { type: 'string', description: HIDDEN, enum: [HIDDEN] } }
  return { name, ...described, inputSchema: { type: 'object', properties }, annotations: described, call }
}

/** Resolves with the answer to the question that was asked last. */
let onAnswer

serve({
  before(message) {
    if (message.id === 'question') onAnswer(message.result)
    return message.method === undefined
  },
  instructions: `instructions ${HIDDEN}`,
  capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} },
  tools: [
    ...TOOLS,
    tool('tells', (_, { params: { _meta: meta } }) => {
      send({ method: 'notifications/message', params: { level: 'error', logger: HIDDEN, data: HIDDEN } })
      const progressToken = meta?.progressToken
      const progress = { progressToken, progress: 1, message: HIDDEN }
      if (progressToken !== undefined) send({ method: 'notifications/progress', params: progress })
      return {
        content: [
          { type: 'text', text: HIDDEN },
          { type: 'resource_link', uri: `x://${HIDDEN}`, name: HIDDEN, mimeType: HIDDEN, ...described },
          { type: 'resource', resource: { uri: `x://${HIDDEN}`, mimeType: HIDDEN, text: HIDDEN } },
          { type: HIDDEN, text: HIDDEN },
        ],
        structuredContent: { [HIDDEN]: HIDDEN },
      }
    }),
    tool('fails', () => ({ isError: true, content: [{ type: 'text', text: HIDDEN }] })),
    tool('refuses', () => {
      throw new Fault(-32000, `refused ${HIDDEN}`, HIDDEN)
    }),
    tool('asks', async () => {
      const field = { type: 'string', ...described, enum: [HIDDEN, 'b'] }
      const answered = new Promise((resolve) => (onAnswer = resolve))
      const params = {
        message: `message ${HIDDEN}`,
        requestedSchema: { type: 'object', properties: { [`x${HIDDEN}`]: field } },
      }
      send({ id: 'question', method: 'elicitation/create', params })
      const { action } = await answered
      return { content: [{ type: 'text', text: `answered ${action}` }] }
    }),
    tool(`name ${HIDDEN}`, () => ({ content: [] })),
  ],
  methods: {
    'resources/list': () => ({
      resources: [{ uri: `x://${HIDDEN}`, name: HIDDEN, mimeType: HIDDEN, ...described }],
    }),
    'resources/templates/list': () => ({
      resourceTemplates: [{ uriTemplate: `x://{a}${HIDDEN}`, name: HIDDEN, ...described }],
    }),
    'resources/read': ({ uri }) => ({ contents: [{ uri, text: HIDDEN, mimeType: HIDDEN }] }),
    'prompts/list': () => ({
      prompts: [{ name: 'p', ...described, arguments: [{ name: HIDDEN, description: HIDDEN }] }],
    }),
    'prompts/get': () => ({
      description: HIDDEN,
      messages: [{ role: 'user', content: { type: 'text', text: HIDDEN } }],
    }),
  },
})
