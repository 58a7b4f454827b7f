/**
 * The official server-everything, through our session and through the SDK's client, over all its transports.
 */
import { describe, expect } from 'vitest'
import type { Oracle, Told } from './oracle.ts'
import { onPort, onStdio, playStage, type Scenario } from './pair.ts'
import { allTools, asking, call, calling, hello, text } from './scenarios.ts'

const EVERYTHING = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'

const TARGETS = {
  stdio: onStdio(EVERYTHING, 'stdio'),
  'Streamable HTTP': onPort('everything-http'),
  SSE: onPort('everything-sse'),
}

const TOOLS = [
  'echo',
  'get-annotated-message',
  'get-env',
  'get-resource-links',
  'get-resource-reference',
  'get-structured-content',
  'get-sum',
  'get-tiny-image',
  'gzip-file-as-resource',
  'toggle-simulated-logging',
  'toggle-subscriber-updates',
  'trigger-long-running-operation',
  // The rest is there because both clients say that they can answer questions.
  'get-roots-list',
  'trigger-elicitation-request',
  'trigger-url-elicitation',
  'trigger-sampling-request',
]

const DOCUMENTS = [
  'architecture',
  'extension',
  'features',
  'how-it-works',
  'instructions',
  'startup',
  'structure',
].map((name) => `${name}.md`)

const PROMPTS = ['simple-prompt', 'args-prompt', 'completable-prompt', 'resource-prompt']

/** A tool that asks the client, and what it asked. */
function question(name: string, tool: string, args: object): Pick<Scenario, 'name' | 'run'> {
  return {
    name,
    async run(oracle) {
      const from = oracle.diary.asked.length
      const outcome = await call(oracle, tool, args)
      // It asks for roots whenever it likes.
      return {
        outcome,
        asked: oracle.diary.asked.slice(from).filter(({ method }) => method !== 'roots/list'),
      }
    },
  }
}

const QUESTIONS: readonly Scenario[] = [
  {
    ...question('give the same sample', 'trigger-sampling-request', { prompt: 'x', maxTokens: 7 }),
    expected: {
      outcome: { result: { content: [{ text: expect.stringContaining('"text": "hello"') }] } },
      asked: [{ method: 'sampling/createMessage', params: { maxTokens: 7 } }],
    },
  },
  {
    ...question('give the same form, with its defaults', 'trigger-elicitation-request', {}),
    expected: {
      outcome: {
        result: {
          content: [{}, { text: expect.stringContaining('- Name: Ada\n- Favorite Integer: 42') }, {}],
        },
      },
      asked: [{ method: 'elicitation/create' }],
    },
  },
  {
    ...question('give the same roots', 'get-roots-list', {}),
    expected: {
      outcome: { result: { content: [{ text: expect.stringContaining('URI: file:///src/shop') }] } },
    },
  },
  {
    name: 'are sent to the same address',
    async run(oracle) {
      const outcome = await call(oracle, 'trigger-url-elicitation', {
        url: 'https://example.test',
        errorPath: true,
      })
      return JSON.parse(JSON.stringify(outcome).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'random'))
    },
    expected: {
      result: {
        content: [
          {
            text: expect.stringMatching(
              /completed the URL elicitation flow.\nElicitation ID: random\nURL: https:\/\/example.test/,
            ),
          },
          {},
        ],
      },
    },
  },
]

/** The first of these that is told after the call; a second call ends it. */
async function toldAfter(oracle: Oracle, tool: string, isIt: (told: Told) => boolean): Promise<Told> {
  const { diary } = oracle
  await call(oracle, tool)
  await diary.until(() => diary.told.some(isIt))
  await call(oracle, tool)
  return diary.told.find(isIt)!
}

const isUpdate = ({ method }: Told): boolean => method === 'notifications/resources/updated'

const isLog = ({ method, params }: Told): boolean =>
  method === 'notifications/message' && /level.message/.test(String(params['data']))

const NOTIFICATIONS: readonly Scenario[] = [
  {
    name: 'hear of a resource that changed',
    async run(oracle) {
      const outcome = await oracle.ask('resources/subscribe', { uri: 'demo://resource/dynamic/text/1' })
      const told = await toldAfter(oracle, 'toggle-subscriber-updates', isUpdate)
      return { outcome, told }
    },
    expected: { outcome: { result: {} }, told: { params: { uri: 'demo://resource/dynamic/text/1' } } },
  },
  {
    name: 'hear what it logs',
    async run(oracle) {
      const { params } = await toldAfter(oracle, 'toggle-simulated-logging', isLog)
      // Which level, it rolls dice for; and the session is in the text.
      return Object.keys(params)
    },
    expected: ['level', 'data'],
  },
]

async function longWork(oracle: Oracle): Promise<unknown> {
  const progress: unknown[] = []
  const params = { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 4 } }
  const outcome = await oracle.ask('tools/call', params, { onProgress: (one) => progress.push(one) })
  return { outcome, progress: progress.slice(0, 3) } // LAST_PROGRESS
}

const SCENARIOS: readonly Scenario[] = [
  hello({ version: '2025-11-25', serverInfo: { name: 'mcp-servers/everything' } }),
  allTools(TOOLS),
  calling('get a result', ['echo', { message: 'hello' }], text('Echo: hello')),
  calling('get a sum', ['get-sum', { a: 2, b: 3 }], text('The sum of 2 and 3 is 5.')),
  calling('get structured content', ['get-structured-content', { location: 'Chicago' }], {
    result: { structuredContent: { temperature: 36 } },
  }),
  calling('get an image', ['get-tiny-image'], { result: { content: [{}, { type: 'image' }, {}] } }),
  calling('get annotations', ['get-annotated-message', { messageType: 'error', includeImage: true }], {
    result: { content: [{ annotations: { priority: 1 } }, { type: 'image' }] },
  }),
  calling('get links', ['get-resource-links', { count: 2 }], {
    result: { content: [{}, { type: 'resource_link' }, { type: 'resource_link' }] },
  }),
  calling('are told that an argument is wrong', ['get-sum', { a: 'two' }], { result: { isError: true } }),
  calling('are told that there is no such tool', ['nothing'], {
    result: { isError: true, content: [{ text: 'MCP error -32602: Tool nothing not found' }] },
  }),
  asking('are told that there is no such method', ['example/nothing'], {
    error: { code: -32601, message: 'Method not found' },
  }),
  asking('are told that parameters are wrong', ['tools/call', { arguments: {} }], {
    error: { code: -32603 },
  }),
  asking('list the resources', ['resources/list'], {
    result: { resources: DOCUMENTS.map((name) => ({ name })) },
  }),
  asking('list the templates', ['resources/templates/list'], {
    result: { resourceTemplates: [{ name: 'Dynamic Text Resource' }, { name: 'Dynamic Blob Resource' }] },
  }),
  asking('read a resource', ['resources/read', { uri: 'demo://resource/static/document/architecture.md' }], {
    result: { contents: [{ mimeType: 'text/markdown' }] },
  }),
  asking('are told that there is no such resource', ['resources/read', { uri: 'demo://nothing' }], {
    error: { code: -32602 },
  }),
  asking('list the prompts', ['prompts/list'], { result: { prompts: PROMPTS.map((name) => ({ name })) } }),
  asking('get a prompt', ['prompts/get', { name: 'args-prompt', arguments: { city: 'Bonn' } }], {
    result: { messages: [{ role: 'user' }] },
  }),
  asking(
    'get a completion',
    [
      'completion/complete',
      {
        ref: { type: 'ref/prompt', name: 'completable-prompt' },
        argument: { name: 'department', value: 'E' },
      },
    ],
    { result: { completion: { values: ['Engineering'] } } },
  ),
  asking('get an answer to ping', ['ping'], { result: {} }),
  {
    name: 'hear of the same progress',
    run: longWork,
    expected: { progress: [{ progress: 1, total: 4 }, {}, {}] },
  },
  ...QUESTIONS,
  ...NOTIFICATIONS,
  {
    name: 'give up a call in the same way',
    async run(oracle) {
      const controller = new AbortController()
      const params = { name: 'trigger-long-running-operation', arguments: { duration: 20, steps: 400 } }
      const onProgress = (): void => controller.abort()
      const outcome = await oracle.ask('tools/call', params, { signal: controller.signal, onProgress })
      return { outcome, next: await call(oracle, 'echo', { message: 'well' }) }
    },
    expected: { outcome: { failed: 'aborted' }, next: text('Echo: well') },
  },
  {
    name: 'wait equally long',
    run: (oracle) =>
      oracle.ask(
        'tools/call',
        { name: 'trigger-long-running-operation', arguments: { duration: 20, steps: 1 } },
        { timeoutMs: 150 },
      ),
    expected: { failed: 'timeout' },
  },
]

describe('Plugboard and the SDK:', () => {
  for (const [name, target] of Object.entries(TARGETS)) {
    playStage({
      name: `at server-everything, over ${name}`,
      target,
      options: { era: 'legacy' },
      scenarios: SCENARIOS,
    })
  }
})
