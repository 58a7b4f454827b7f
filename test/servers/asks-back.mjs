/**
 * asks-back: the tool `ask` wants an elicitation, a sample and the roots before it answers, and answers with what it
 * got. It asks for all three, whatever the client says it can do; `only` names fewer. In the modern era it answers
 * `input_required` first.
 */
import { send, serve, text, TOOLS } from './speak.mjs'

const QUESTIONS = {
  elicitation: {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'What is your name?',
      requestedSchema: {
        type: 'object',
        properties: { name: { type: 'string' }, greeting: { type: 'string', default: 'Hello' } },
        required: ['name'],
      },
    },
  },
  sampling: {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }], maxTokens: 10 },
  },
  roots: { method: 'roots/list', params: {} },
}

const STATE = 'asked-once'

/** By id, who waits for the answer. */
const waiting = new Map()
let count = 0

function ask(question) {
  const id = `question-${++count}`
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    send({ id, ...question })
  })
}

async function askNow(only) {
  const answers = only.map(async (name) => {
    const { result, error } = await ask(QUESTIONS[name])
    return [name, error === undefined ? result : { error }]
  })
  return text(JSON.stringify(Object.fromEntries(await Promise.all(answers))))
}

function askLater(only, { inputResponses, requestState }) {
  if (inputResponses === undefined) {
    const inputRequests = Object.fromEntries(only.map((name) => [name, QUESTIONS[name]]))
    return { resultType: 'input_required', inputRequests, requestState: STATE }
  }
  if (requestState !== STATE) return { ...text('the request state was lost'), isError: true }
  return text(JSON.stringify(inputResponses))
}

serve({
  before: (message) => {
    if (message.method !== undefined) return false
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
    return true
  },
  tools: [
    ...TOOLS,
    {
      name: 'ask',
      description: 'Asks the client questions, and answers with the answers.',
      inputSchema: {
        type: 'object',
        properties: { only: { type: 'array', items: { enum: Object.keys(QUESTIONS) } } },
      },
      call: ({ only = Object.keys(QUESTIONS) }, { isModern, params }) =>
        isModern ? askLater(only, params) : askNow(only),
    },
  ],
})
