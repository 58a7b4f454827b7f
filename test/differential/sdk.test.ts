/**
 * A server made with the official SDK, which does everything a server may do, through our session and through the
 * SDK's client: in both eras, over stdio and over HTTP.
 */
import { describe } from 'vitest'
import type { Era } from '../../src/model/session.ts'
import { ANSWERS } from './oracle.ts'
import { onPort, onStdio, playStage, type Scenario } from './pair.ts'
import {
  allTools,
  asking,
  call,
  calling,
  CANCELLATION,
  GIVEN_UP_BEFORE,
  hello,
  LIST_CHANGED,
  MANY,
  PROGRESS,
  text,
  TIMEOUT,
} from './scenarios.ts'

const TOOLS = ['echo', 'weather', 'fail', 'refuse', 'work', 'ask', 'circle', 'log', 'grow']

const TARGETS = { stdio: onStdio('test/servers/http/sdk.mjs', 'stdio'), http: onPort('sdk') }

const LOGGING: Scenario = {
  name: 'hear what the server logs, from the level on that was asked for',
  async run(oracle) {
    const from = oracle.diary.told.length
    const outcome = await call(oracle, 'log')
    await oracle.diary.until(() => oracle.diary.told.length > from)
    return { outcome, told: oracle.diary.told.slice(from) }
  },
  expected: {
    told: [
      { method: 'notifications/message', params: { level: 'warning', data: 'too hot', logger: 'kitchen' } },
    ],
  },
}

const QUESTIONS: Scenario = {
  name: 'are asked the same, and give the same answers',
  async run(oracle) {
    const outcome = await call(oracle, 'ask')
    const said = (outcome as { result: { content: { text: string }[] } }).result.content[0]!.text
    const { asked } = oracle.diary
    return { answers: JSON.parse(said), asked: asked.toSorted((a, b) => (a.method < b.method ? -1 : 1)) }
  },
  expected: {
    answers: [
      {
        elicitation: { action: 'accept', content: { name: 'Ada', greeting: 'Hello' } },
        sampling: ANSWERS.sample,
        roots: { roots: ANSWERS.roots },
      },
      'a note to itself',
    ],
    asked: [{ method: 'elicitation/create' }, { method: 'roots/list' }, { method: 'sampling/createMessage' }],
  },
}

/** A modern client repeats its call ten times. To an old one the server asks, and gives up by itself after eight. */
const circle = (era: Era): Scenario => {
  const [times, outcome] =
    era === 'modern' ? [11, { failed: 'bad-answer' }] : [9, { result: { isError: true } }]
  return {
    name: 'give up on a server that asks for ever, after as many rounds',
    async run(oracle) {
      const { diary } = oracle
      const asked = (): number => diary.lines.filter((line) => line === 'asked').length
      const given = await call(oracle, 'circle')
      await diary.until(() => asked() >= times)
      return { outcome: given, next: await call(oracle, 'echo', { text: 'well' }), asked: asked() }
    },
    expected: { outcome, next: text('well'), asked: times },
  }
}

/** What a client opens for itself, a subscription for one, is not the host's affair. */
const QUIET: Scenario = {
  name: 'hear nothing before there is something to tell',
  run: async ({ diary }) => diary.told,
  expected: [],
}

const scenarios = (era: Era): readonly Scenario[] => [
  hello({
    version: era === 'modern' ? '2026-07-28' : '2025-11-25',
    serverInfo: { name: 'sdk-server', title: 'Made with the SDK', version: '3.1.4' },
    capabilities: { tools: { listChanged: true }, logging: {} },
    instructions: 'Ask politely.',
  }),
  allTools(TOOLS),
  calling('get a result', ['echo', { text: 'hé\u2028\n"' }], text('hé\u2028\n"')),
  calling('get structured content', ['weather'], {
    result: { structuredContent: { degrees: 21.5 }, _meta: { cached: false } },
  }),
  calling('get a result that is an error', ['fail'], { result: { isError: true } }),
  calling('get an error with its data', ['refuse'], {
    error: { code: -31999, message: 'refused', data: { why: ['a', 1], when: null } },
  }),
  calling('are told that there is no such tool', ['nothing'], {
    error: { code: -32602, message: 'no tool is named nothing' },
  }),
  calling('are told which argument is wrong', ['echo', { text: 5 }], {
    error: { code: -32602, data: { path: ['text'] } },
  }),
  asking('are told that there is no such page', ['tools/list', { cursor: 'x' }], { error: { code: -32602 } }),
  asking('are told that there is no such method', ['example/nothing'], {
    error: { code: -32601, message: 'Method not found' },
  }),
  asking('list the resources', ['resources/list'], { result: { resources: [{ uri: 'test://menu' }] } }),
  asking('list the templates', ['resources/templates/list'], {
    result: { resourceTemplates: [{ name: 'dish' }] },
  }),
  asking('read a resource', ['resources/read', { uri: 'test://menu' }], {
    result: { contents: [{ text: 'soup' }, { blob: 'iVBORw0KGgo=' }] },
  }),
  asking('are told that there is no such resource', ['resources/read', { uri: 'test://none' }], {
    error: { code: -32602, data: { uri: 'test://none' } },
  }),
  asking('list the prompts', ['prompts/list'], { result: { prompts: [{ name: 'greet' }] } }),
  asking('get a prompt', ['prompts/get', { name: 'greet', arguments: { who: 'Ada' } }], {
    result: { messages: [{ role: 'user', content: { text: 'Greet Ada.' } }] },
  }),
  asking(
    'get a completion',
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'A' } },
    ],
    { result: { completion: { values: ['Ada', 'Alan'], total: 3 } } },
  ),
  MANY,
  GIVEN_UP_BEFORE,
  PROGRESS,
  QUESTIONS,
  circle(era),
  QUIET,
  LOGGING,
  LIST_CHANGED,
  CANCELLATION,
  TIMEOUT,
]

describe.each(['legacy', 'modern'] as const)('Plugboard and the SDK, %s:', (era) => {
  for (const [name, target] of Object.entries(TARGETS)) {
    playStage({
      name: `at a server made with the SDK, over ${name}`,
      target,
      options: { era, logLevel: 'warning' },
      scenarios: scenarios(era),
    })
  }
})
