/**
 * add-wizard: answers in, questions and a wish out. No terminal.
 */
import { describe, expect, test } from 'vitest'
import { toEntry } from '../../../src/runtime/manage/add-wish.ts'
import {
  answerWizard,
  faultOf,
  questionOf,
  startWizard,
  type Step,
  type Wizard,
} from '../../../src/runtime/manage/add-wizard.ts'

/** The steps that were asked, and where they led. */
function play(answers: readonly string[]): { readonly steps: readonly Step[]; readonly end: Wizard } {
  const steps: Step[] = []
  let wizard = startWizard()
  for (const answer of answers) {
    if (wizard.state !== 'asking') throw new Error('it is over')
    expect(faultOf(wizard, answer)).toBeUndefined()
    steps.push(wizard.step)
    wizard = answerWizard(wizard, answer)
  }
  return { steps, end: wizard }
}

const at = (...answers: readonly string[]): Extract<Wizard, { state: 'asking' }> => {
  const { end } = play(answers)
  if (end.state !== 'asking') throw new Error('it is over')
  return end
}

describe('the steps', () => {
  test('of a server to start', () => {
    const { steps, end } = play([
      'files',
      'start',
      String.raw`D:\res\x.exe "a b"`,
      'A=b=c',
      'B=',
      '',
      'local',
      'yes',
    ])
    expect(steps).toEqual(['name', 'kind', 'command', 'variable', 'variable', 'variable', 'scope', 'confirm'])
    expect(end).toEqual({
      state: 'done',
      name: 'files',
      scope: 'local',
      wish: {
        command: [String.raw`D:\res\x.exe`, 'a b'],
        env: [
          ['A', 'b=c'],
          ['B', ''],
        ],
        headers: [],
      },
    })
  })

  test('of a server to reach', () => {
    const { steps, end } = play([
      'web',
      'reach',
      'https://x.test/mcp',
      'sse',
      'abc',
      'X-A: b',
      '',
      'project',
      'yes',
    ])
    expect(steps).toEqual([
      'name',
      'kind',
      'url',
      'transport',
      'token',
      'header',
      'header',
      'scope',
      'confirm',
    ])
    expect(end.state === 'done' && toEntry(end.wish)).toEqual({
      type: 'sse',
      url: 'https://x.test/mcp',
      headers: { 'X-A': 'b', Authorization: 'Bearer abc' },
    })
  })

  test('a socket is not asked for its transport; an address that is to be asked has none', () => {
    const socket = play(['web', 'reach', 'wss://x.test', '', '', 'user', 'yes'])
    expect(socket.steps).not.toContain('transport')
    expect(socket.end).toMatchObject({ wish: { url: 'wss://x.test', transport: 'ws' } })
    const { end } = play(['web', 'reach', 'https://x.test', 'ask', '', '', 'user', 'yes'])
    expect(end.state === 'done' && toEntry(end.wish)).toEqual({ url: 'https://x.test' })
  })

  test('no at the end adds nothing', () => {
    expect(play(['a', 'start', 'npx', '', 'user', 'no']).end).toEqual({ state: 'cancelled' })
  })
})

describe('an answer that will not do', () => {
  test.each([
    [[], ''],
    [[], 'a b'],
    [['a', 'start'], ''],
    [['a', 'start'], 'npx "a b'],
    [['a', 'start'], '"" x'],
    [['a', 'start', 'npx'], 'A'],
    [['a', 'start', 'npx'], '=b'],
    [['a', 'reach'], 'x.test'],
    [['a', 'reach'], 'ftp://x.test'],
    [['a', 'reach'], 'https://'],
    [['a', 'reach', 'https://x.test', 'ask', ''], 'no header'],
  ])('after %j: %j', (before, answer) => {
    expect(faultOf(at(...before), answer)).toEqual(expect.any(String))
  })
})

describe('what is shown', () => {
  test('at the end is everything but values', () => {
    const question = questionOf(at('a', 'start', 'npx --api-key hunter2 x', 'KEY=hunter3', '', 'user'))
    expect(question.kind === 'choice' && question.shown).toEqual([
      'name      a',
      'runs      npx --api-key ‹secret› x',
      'variables KEY',
      'scope     user',
    ])
    const remote = questionOf(
      at('a', 'reach', 'https://u:pw@x.test/?key=hunter2', 'ask', 'hunter3', '', 'user'),
    )
    expect(JSON.stringify(remote)).toContain('to be asked')
    expect(JSON.stringify(remote)).not.toMatch(/hunter|pw/)
  })

  test('a token is asked for in secret', () => {
    expect(questionOf(at('a', 'reach', 'https://x.test', 'ask'))).toMatchObject({
      kind: 'text',
      isSecret: true,
    })
  })
})
