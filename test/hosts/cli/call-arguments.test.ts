/**
 * call-arguments: the built command and the built gateway send whatever a server may take, and say what was wrong with
 * the arguments once it has failed.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serverEntry } from '../../boards/open.ts'
import { openMachine, type Machine } from '../../processes/plugboard.ts'
import { startServing, tokenOf } from '../../processes/serve.ts'
import { connectClient, httpTransport, writeSettings } from '../gateway/open.ts'

const PLAYWRIGHT = ['--of', 'playwright__mcp']
const INTRO = "the arguments do not fit the tool's schema, which may be why:"
const FINDINGS = [
  '`scale` is missing, and its default is "css"',
  '`sclae` is not known; did you mean `scale`?',
]

let machine: Machine
beforeAll(() => {
  machine = openMachine()
  writeSettings(machine.home, {
    servers: {
      playwright: serverEntry('real-schemas', ...PLAYWRIGHT),
      refusing: serverEntry('real-schemas', ...PLAYWRIGHT, '--refuses'),
    },
  })
})
afterAll(() => machine[Symbol.dispose]())

describe('plugboard call', () => {
  test("Playwright's screenshot needs no argument that has a default", async () => {
    expect(await machine.json(['call', 'playwright', 'browser_take_screenshot'])).toMatchObject({
      outcome: 'done',
      text: '{"scale":"css"}',
    })
  })

  test('what is certainly wrong is not sent', async () => {
    const args = ['call', 'playwright', 'browser_take_screenshot', 'scale=retina']
    const { code, stdout, stderr } = await machine.run(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('`scale` must be one of "css", "device", but is the text "retina"')
  })

  test('a result that says it went wrong is followed by what was found', async () => {
    const args = ['call', 'playwright', 'browser_take_screenshot', '--args', '{"sclae":"css"}']
    const { code, stdout } = await machine.run(args)
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: ['Error: unrecognized keys', INTRO, ...FINDINGS, ''].join('\n'),
    })
    expect(await machine.json(args)).toMatchObject({ outcome: 'tool-error', findings: FINDINGS })
  })

  test('so is an error of the server', async () => {
    const args = ['call', 'refusing', 'browser_take_screenshot', '--args', '{"sclae":"css"}']
    const { code, stderr } = await machine.run(args)
    expect(code).toBe(1)
    expect(stderr).toContain('it said: "unrecognized keys"')
    for (const line of [INTRO, ...FINDINGS]) expect(stderr).toContain(`  ${line}\n`)
    expect(await machine.json(args)).toMatchObject({ outcome: 'failed', findings: FINDINGS })
  })
})

test.each(['legacy', 'modern'] as const)('a client of the gateway gets the same (%s)', async (era) => {
  await using gateway = await startServing(machine, '--http', '0')
  const connect = (path: string): ReturnType<typeof connectClient> =>
    connectClient(httpTransport(new URL(path, gateway.url), tokenOf(machine)), { era })
  await using playwright = await connect('/mcp/playwright')
  const take = (args: Record<string, unknown>) => ({ name: 'browser_take_screenshot', arguments: args })
  expect(await playwright.client.callTool(take({}))).toMatchObject({ content: [{ text: '{"scale":"css"}' }] })
  const failed = await playwright.client.callTool(take({ sclae: 'css' }))
  expect(failed).toMatchObject({
    isError: true,
    content: [
      { type: 'text', text: 'unrecognized keys' },
      { type: 'text', text: [INTRO, ...FINDINGS].join('\n') },
    ],
  })
  await using refusing = await connect('/mcp/refusing')
  const error: unknown = await refusing.client
    .callTool(take({ sclae: 'css' }))
    .catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: -32602 })
  expect(String(error)).toContain(['unrecognized keys', INTRO, ...FINDINGS].join('\n'))
})
