/**
 * unanswered: a client that leaves a question open does not keep others from theirs, at a server that they share.
 */
import { expect, test } from 'vitest'
import { serverEntry } from '../../boards/open.ts'
import { openMachine } from '../../processes/plugboard.ts'
import { startServing, tokenOf } from '../../processes/serve.ts'
import { ANSWERS, connectClient, httpTransport, textOf, writeSettings, type TestClient } from './open.ts'

const ask = ({ client }: TestClient): Promise<unknown> =>
  client.callTool({ name: 'ask', arguments: { only: ['elicitation'] } })

test.each([
  ['modern', 'modern'],
  ['modern', 'legacy'],
  ['legacy', 'modern'],
  ['legacy', 'legacy'],
] as const)('a %s client that does not answer, and a %s one that is asked', async (first, second) => {
  using machine = openMachine()
  writeSettings(machine.home, { servers: { x: serverEntry('asks-back') } })
  await using gateway = await startServing(machine, '--http', '0')
  const connect = (era: typeof first, name: string, elicit?: () => object): Promise<TestClient> =>
    connectClient(httpTransport(new URL('/mcp/x', gateway.url), tokenOf(machine)), {
      era,
      name,
      ...(elicit === undefined ? {} : { elicit }),
    })
  let onAsked = (): void => undefined
  const isAsked = new Promise<void>((resolve) => (onAsked = resolve))
  let onAnswer: (answer: object) => void = () => undefined
  const answer = new Promise<object>((resolve) => (onAnswer = resolve))
  await using away = await connect(first, 'away', () => {
    onAsked()
    return answer
  })
  await using here = await connect(second, 'here')
  const left = ask(away)
  left.catch(() => undefined) // told below, unless the test fails before
  await isAsked
  expect(JSON.parse(textOf(await ask(here)))).toMatchObject({ elicitation: ANSWERS.elicit })
  // The question that was left open is still there, for its own client.
  const late = { action: 'accept', content: { name: 'Grace' } }
  onAnswer(late)
  expect(JSON.parse(textOf(await left))).toMatchObject({ elicitation: late })
})
