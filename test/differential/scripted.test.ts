/**
 * The servers of `test/servers`, written by hand, through our session and through the SDK's client, in both eras.
 */
import { describe, expect, it } from 'vitest'
import type { Era } from '../../src/model/session.ts'
import { ANSWERS, type Oracle } from './oracle.ts'
import { onStdio, openPair, playStage, type Scenario, type Target } from './pair.ts'
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

function program(name: string, era: Era, ...args: readonly string[]): Target {
  return onStdio(`test/servers/${name}.mjs`, ...(era === 'modern' ? ['--modern'] : []), ...args)
}

const basics = (era: Era): readonly Scenario[] => [
  hello({
    version: era === 'modern' ? '2026-07-28' : '2025-11-25',
    serverInfo: { name: 'test-server', version: '1.0.0' },
    capabilities: { tools: {} },
  }),
  calling('get a result', ['echo', { text: 'hello' }], text('hello')),
  calling('are told that there is no such tool', ['nothing'], {
    error: { code: -32602, message: 'Unknown tool: nothing' },
  }),
  asking('are told that there is no such method', ['example/nothing'], {
    error: { code: -32601, message: 'Method not found' },
  }),
  MANY,
  GIVEN_UP_BEFORE,
]

const TWO = ['echo', 'slow']

/** By program, what is worth doing with it beside the basics. */
const SERVERS: Readonly<Record<string, readonly Scenario[]>> = {
  'well-behaved': [allTools(TWO)],
  'chatty-stdout': [allTools(TWO)],
  'wrong-ids': [allTools(TWO)],
  progress: [allTools([...TWO, 'work']), PROGRESS, CANCELLATION, TIMEOUT],
  'changes-tools': [allTools([...TWO, 'grow']), LIST_CHANGED],
  'asks-back': [
    {
      name: 'are asked the same, and give the same answers',
      run: async (oracle) => ({ answers: await answersOf(oracle), asked: oracle.diary.asked }),
      expected: {
        answers: {
          elicitation: { action: 'accept', content: { name: 'Ada', greeting: 'Hello' } },
          sampling: ANSWERS.sample,
          roots: { roots: ANSWERS.roots },
        },
        asked: [
          { method: 'elicitation/create' },
          { method: 'sampling/createMessage' },
          { method: 'roots/list' },
        ],
      },
    },
  ],
}

async function answersOf(oracle: Oracle): Promise<unknown> {
  const outcome = await call(oracle, 'ask')
  if (!('result' in outcome)) return outcome
  return JSON.parse((outcome.result as { content: { text: string }[] }).content[0]!.text)
}

describe.each(['legacy', 'modern'] as const)('Plugboard and the SDK, %s:', (era) => {
  for (const [name, more] of Object.entries(SERVERS)) {
    playStage({
      name: `at \`${name}\``,
      target: program(name, era),
      options: { era },
      scenarios: [...basics(era), ...more],
    })
  }

  it('lose a call when the server dies, and so everything after it', async () => {
    await using pair = await openPair(program('crashes-after', era, '--requests', '2'), { era })
    const lose = async (oracle: Oracle): Promise<unknown> => {
      const waiting = call(oracle, 'slow', { ms: 60_000 })
      // How many it takes depends on whether the handshake went to the same process.
      while ('result' in (await call(oracle, 'echo', { text: 'well' })));
      return [await waiting, await call(oracle, 'echo')]
    }
    const [ours, theirs] = await Promise.all([lose(pair.ours), lose(pair.theirs)])
    expect(theirs).toEqual([{ failed: 'lost' }, { failed: 'lost' }])
    expect(ours).toEqual(theirs)
  })
})

describe('Plugboard and the SDK, with nobody to answer questions,', () => {
  it('refuse them with the same code (legacy)', async () => {
    await using pair = await openPair(program('asks-back', 'legacy'), { era: 'legacy', answers: 'none' })
    const [ours, theirs] = await Promise.all([answersOf(pair.ours), answersOf(pair.theirs)])
    // REFUSAL_WORDS
    const refusal = { error: { code: -32601, message: expect.any(String) } }
    const all = { elicitation: refusal, sampling: refusal, roots: refusal }
    expect(theirs).toEqual(all)
    expect(ours).toEqual(all)
  })

  it('end the call (modern)', async () => {
    await using pair = await openPair(program('asks-back', 'modern'), { era: 'modern', answers: 'none' })
    const [ours, theirs] = await Promise.all([answersOf(pair.ours), answersOf(pair.theirs)])
    expect(theirs).toEqual({ failed: 'bad-answer' })
    expect(ours).toEqual(theirs)
  })
})

describe('Plugboard and the SDK, left to find out which era it is,', () => {
  it.each([
    ['well-behaved', 'legacy', '2025-11-25'],
    ['well-behaved', 'modern', '2026-07-28'],
    ['dies-on-probe', 'legacy', '2025-11-25'],
    ['modern-only', 'legacy', '2026-07-28'],
    ['chatty-stdout', 'modern', '2026-07-28'],
  ] as const)('come to the same with `%s` (%s)', async (name, era, version) => {
    await using pair = await openPair(program(name, era), { era: 'auto' })
    expect(pair.theirs.hello.version).toBe(version)
    expect(pair.ours.hello).toEqual(pair.theirs.hello)
    expect(await call(pair.ours, 'echo', { text: 'x' })).toEqual(
      await call(pair.theirs, 'echo', { text: 'x' }),
    )
  })
})
