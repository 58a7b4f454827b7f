/** What is asked and said before the first prompt: trust, sign-ins, and where nobody can be asked. */
import { readFileSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { serverEntry } from '../../boards/open.ts'
import { DIST, openMachine, type Machine } from '../../processes/plugboard.ts'
import { openScreen, PRESS } from '../../processes/screen.ts'
import { openStreamingModel, type ModelRequest, type Say } from '../../servers/http/streaming-model.ts'
import { leave, openStage } from './stage.ts'

it('asks about a server of the project with its exact command, and does not start it when it is declined', async () => {
  const entry = serverEntry('outcomes', '--flag', 'two words') as { args: string[] }
  using machine = openMachine({ './.mcp.json': { mcpServers: { theirs: entry } } })
  await using screen = openScreen(machine, { columns: 60 })
  const question = await screen.until('May it run in this project?')
  expect(question.replace(/\s+/g, '')).toContain(
    [process.execPath, ...entry.args.slice(0, -1), '"two words"'].join(' ').replace(/\s+/g, ''),
  )
  expect(question).toContain('An MCP server can do whatever you can')
  await screen.do('3', '· theirs: declined, and not started')
  await screen.until('no servers')
  expect(await leave(screen)).toBe(0)

  await using after = openScreen(machine)
  await after.until('no servers')
  await after.do('/help\r', '/quit')
  expect(after.text()).not.toContain('May it run')
})

it('can be left while it asks, and before it has read anything', async () => {
  using machine = openMachine({ './.mcp.json': { mcpServers: { theirs: serverEntry('outcomes') } } })
  await using screen = openScreen(machine)
  await screen.until('May it run in this project?')
  expect(await leave(screen)).toBe(0)
  await using early = openScreen(machine)
  await early.until('Plugboard')
  early.type(PRESS.interrupt.repeat(2))
  expect(await early.exit).toBe(0)
})

it('starts a server of the project once it is approved', async () => {
  using machine = openMachine({ './.mcp.json': { mcpServers: { theirs: serverEntry('outcomes') } } })
  await using screen = openScreen(machine)
  await screen.until('May it run in this project?')
  await screen.do('2', '1 ready')
  expect(screen.text()).toContain('theirs: added, ')
})

it('is on the screen before any of its servers is, and none of them delays what is typed', async () => {
  const servers = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`slow-${i}`, serverEntry('never-answers')]),
  )
  await using stage = await openStage({ servers, script: [{ kind: 'text', text: 'At once.' }] })
  await stage.screen.until('20 connecting')
  await stage.screen.do('hello\r', 'At once.')
  expect(await leave(stage.screen)).toBe(0)
})

it('starts where the environment says that its user develops something', async () => {
  using machine = openMachine()
  await using screen = openScreen(machine, { env: { DEV: 'true' } })
  await screen.until('no servers')
  expect(await leave(screen)).toBe(0)
})

it('shows the servers and ends well where there is no terminal', async () => {
  using machine = openMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: { x: serverEntry('outcomes') } },
  })
  const { code, stdout } = await machine.run([])
  expect([code, stdout]).toEqual([0, expect.stringContaining('x ')])
  const { code: refused, stderr } = await machine.run(['shell'])
  expect([refused, stderr]).toEqual([2, expect.stringContaining('the shell needs a terminal')])
})

it('without a model says how to get one, and everything else works', async () => {
  using machine = openMachine()
  await using screen = openScreen(machine)
  await screen.until('no model is configured yet: set ANTHROPIC_API_KEY or OPENAI_API_KEY')
  await screen.until('no servers are configured yet: /mcp add adds one, /demo tries one out')
  await screen.do('hello\r', 'error: no model is configured')
  await screen.do('/demo\r', 'demo: added, 5 tools')
  await screen.do('/call demo write_note title=plan text="buy milk"\r', 'Wrote the note `plan`')
  await screen.do('/mcp resources\r', '@demo:note:///plan')
  await screen.do('/mcp__demo__summarize plan\r', 'Summarize the note "plan" as one line:')
  await screen.do('/call demo count_slowly to=3 stepMs=1\r', 'Counted to 3.')
  expect(await leave(screen)).toBe(0)
})

it('has the bundled server with `plugboard demo`: a task with progress, and a form', async () => {
  using machine = openMachine()
  await using screen = openScreen(machine, { args: ['demo'] })
  await screen.until('1 ready')
  await screen.do('/call demo count_slowly to=99 stepMs=50\r', /demo count_slowly: [1-9]\d of 99/)
  const stopped = await screen.do(PRESS.escape, /was aborted after it was sent/)
  expect(stopped).not.toContain('Warning')
  await screen.do('/call demo interview\r', 'demo asks:')
  await screen.do(`Ada${PRESS.down.repeat(4)}${PRESS.enter}`, '- name: Ada')
  expect(await leave(screen)).toBe(0)
})

it('asks what a server is to be, and has it at once', async () => {
  using machine = openMachine()
  await using screen = openScreen(machine)
  await screen.until('no servers')
  const { command, args } = serverEntry('outcomes') as { command: string; args: string[] }
  await screen.do('/mcp add\r', 'What is the server to be called?')
  await screen.do('mine\r', 'How does one get to it?')
  await screen.do('1', 'Which command starts it?')
  await screen.do(`${[command, ...args].join(' ')}\r`, 'A variable for it')
  await screen.do('\r', 'Who is it for?')
  await screen.do('1', 'Add it?')
  await screen.do('\r', /mine: added, \d+ tools/)
})

it('takes the model from the environment, the line, and /model, for the next prompt', async () => {
  await using model = await openStreamingModel(...Array.from({ length: 3 }, () => answer))
  using machine = openMachine()
  const env = { OPENAI_BASE_URL: `${model.origin}/v1`, PLUGBOARD_MODEL: 'openai/from-env' }
  await using screen = openScreen(machine, { env })
  await screen.until('openai/from-env')
  await screen.do('one\r', 'Model from-env.')
  await screen.do('/model other\r', '· model: openai/other')
  await screen.do('two\r', 'Model other.')
  await using second = openScreen(machine, { env, args: ['shell', '--model', 'openai/from-line', '--plan'] })
  await second.until('plan mode · no servers · openai/from-line')
  await second.do('three\r', 'Model from-line.')
})

describe('npm start', () => {
  /** As the repository, with what it has built; nothing to build, so that nothing is. */
  function putRepository(machine: Machine): string {
    const root = fileURLToPath(new URL('../../..', import.meta.url))
    machine.write({
      '~/plugboard/package.json': readFileSync(join(root, 'package.json'), 'utf8'),
      '~/plugboard/scripts/start.mjs': readFileSync(join(root, 'scripts/start.mjs'), 'utf8'),
      '~/plugboard/src/.keep': '',
    })
    utimesSync(machine.at('~/plugboard/src/.keep'), 0, 0)
    symlinkSync(DIST, machine.at('~/plugboard/dist'))
    return machine.at('~/plugboard')
  }

  const servers = { good: serverEntry('outcomes'), broken: { command: 'no-such-program' } }

  it('opens the shell on a terminal', async () => {
    using machine = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: servers } })
    const start = ['npm', '--prefix', putRepository(machine), 'start']
    await using screen = openScreen(machine, { start })
    await screen.until('1 ready · broken failed')
    await screen.do('/quit\r', '1 ready')
    expect(await screen.exit).toBe(0)
  })

  it('without one prints the status of all servers, and ends well', async () => {
    using machine = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: servers } })
    const start = ['npm', '--prefix', putRepository(machine), 'start', '--silent']
    const { code, stdout } = await machine.run([], { start })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^broken +stdio +user +Plugboard +chosen/m)
    expect(stdout).toMatch(/^good +stdio +user +Plugboard +chosen/m)
  })
})

function answer(request: ModelRequest): Say {
  return { kind: 'text', text: `Model ${(request as { model?: string }).model}.` }
}
