/** A task in the shell: real servers, scripted models in both languages, a real terminal. */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ModelProvider } from '../../../src/model/settings.ts'
import { officialEntry, serverEntry } from '../../boards/open.ts'
import { putBrowser } from '../../processes/browser.ts'
import { openMachine } from '../../processes/plugboard.ts'
import { PRESS } from '../../processes/screen.ts'
import { startAuthorizationServer } from '../../servers/authorization-server.ts'
import { resultsIn, type ModelRequest, type Say } from '../../servers/http/streaming-model.ts'
import { startProtectedServer } from '../../servers/protected-server.ts'
import { call, leave, openStage } from './stage.ts'

/** Answers with what the last tool said: a model that makes something up is found out. */
function repeat(request: ModelRequest): Say {
  return { kind: 'text', text: `It says: ${/[0-9a-f-]{36}/.exec(resultsIn(request).at(-1) ?? '')?.[0]}.` }
}

const everything = (marker: string): object => ({ ...officialEntry('everything'), env: { MARKER: marker } })

describe.each<ModelProvider>(['openai', 'anthropic'])('a task with %s', (provider) => {
  it('asks before a call, remembers what is always allowed, and tells the model of a no and why', async () => {
    const marker = randomUUID()
    using scratch = openMachine()
    const file = scratch.at('~/note.txt')
    const read = call('mcp__files__read_text_file', { path: file })
    await using stage = await openStage({
      provider,
      servers: { files: officialEntry('filesystem', scratch.home) },
      script: [
        call('mcp__files__write_file', { path: file, content: marker }),
        read,
        repeat,
        read,
        repeat,
        call('mcp__files__move_file', { source: file, destination: `${file}.old` }),
        (request) => ({ kind: 'text', text: `Understood: ${resultsIn(request).at(-1)}` }),
      ],
    })
    const { screen } = stage
    await screen.until('1 ready')

    const question = await screen.do('note it\r', 'May write_file of files be called?')
    expect(question).toContain('tool      write_file (mcp__files__write_file)')
    expect(question).toContain(marker)
    await screen.do('1', 'May read_text_file of files be called?')
    expect(readFileSync(file, 'utf8')).toBe(marker)
    expect(screen.text()).toContain('3. yes, always (until the tool changes)')
    await screen.do('3', `It says: ${marker}.`)
    expect(await leave(screen)).toBe(0)

    const after = stage.again()
    await after.until('1 ready')
    await after.do('read it again\r', `It says: ${marker}.`)
    expect(after.text()).not.toContain('May read_text_file')

    await after.do('move it\r', 'May move_file of files be called?')
    await after.do('5', 'What should the model know')
    await after.do('leave it alone\r', 'Understood:')
    expect(after.text()).toContain('leave it alone')
    expect(existsSync(file)).toBe(true)
    expect(JSON.stringify(stage.model.requests.at(-1))).toContain('leave it alone')
    expect(await leave(after)).toBe(0)
  })

  it('stops a call in the middle of its progress with Esc, and goes on with the next prompt', async () => {
    const marker = randomUUID()
    await using stage = await openStage({
      provider,
      servers: { all: everything(marker) },
      script: [
        call('mcp__all__trigger-long-running-operation', { duration: 60, steps: 60 }),
        call('mcp__all__get-env'),
        repeat,
      ],
    })
    const { screen } = stage
    await screen.until('1 ready')
    await screen.do('take your time\r', 'May trigger-long-running-operation')
    const running = await screen.do('1', /\[#*-+\] \d+%/)
    expect(running).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] mcp__all__trigger-long-running-operation .*\(\d+ s\)/)
    expect(running).toContain('(Esc stops)')
    await screen.do(PRESS.escape, '· stopped')
    await screen.do('and now?\r', 'May get-env of all be called?')
    await screen.do('2', `It says: ${marker}.`)
    // Every call has a result, also the one that was stopped.
    expect(resultsIn(stage.model.requests.at(-1)!)).toHaveLength(2)
  })
})

describe.each<ModelProvider>(['openai', 'anthropic'])('a session with %s', (provider) => {
  it('asks once where the answer is for the session, each time where it is for once, and takes a no', async () => {
    const [first, second] = [randomUUID(), randomUUID()]
    const echo = (text: string): ReturnType<typeof call> => call('mcp__x__echo', { text })
    await using stage = await openStage({
      provider,
      servers: { x: serverEntry('outcomes') },
      script: [
        echo('no'),
        (request) => ({ kind: 'text', text: `Refused: ${resultsIn(request).at(-1)}` }),
        echo(first),
        echo(second),
        repeat,
      ],
    })
    const { screen } = stage
    await screen.until('1 ready')
    await screen.do('try\r', 'May echo of x be called?')
    await screen.do('4', 'Refused:')
    expect(resultsIn(stage.model.requests[1]!).at(-1)).not.toContain('"no"')
    await screen.untilGone('Esc stops')
    await screen.do('twice\r', 'May echo of x be called?')
    await screen.do('2', `It says: ${second}.`)
    expect(resultsIn(stage.model.requests.at(-1)!).join()).toContain(first)
    // Of this session, and no longer.
    expect(await leave(screen)).toBe(0)
    expect(await stage.machine.json(['permissions'])).toMatchObject({ grants: [] })
  })

  it('calls nothing in plan mode, and tells the model so', async () => {
    await using stage = await openStage({
      provider,
      servers: { x: serverEntry('outcomes') },
      script: [
        call('mcp__x__echo', { text: 'no' }),
        (request) => ({ kind: 'text', text: `Told: ${resultsIn(request).at(-1)}` }),
      ],
    })
    const { screen } = stage
    await screen.until('1 ready')
    await screen.do('/plan\r', 'plan mode · 1 ready')
    await screen.do('echo\r', 'Told:')
    expect(screen.text()).toContain('✗ mcp__x__echo')
    expect(screen.text()).not.toContain('May echo')
    expect(resultsIn(stage.model.requests.at(-1)!).at(-1)).toContain('plan')
  })

  it('has the tools of a server that is added meanwhile in the next turn, and not when it is gone', async () => {
    const marker = randomUUID()
    await using stage = await openStage({
      provider,
      servers: { x: serverEntry('outcomes') },
      script: [
        { kind: 'text', text: 'Hello.' },
        call('mcp__all__get-env'),
        repeat,
        { kind: 'text', text: 'Without it.' },
      ],
    })
    const { screen, model } = stage
    await screen.until('1 ready')
    await screen.do('hello\r', '● Hello.')
    const { command, args } = officialEntry('everything') as { command: string; args: string[] }
    await screen.do(
      `/mcp add all -e MARKER=${marker} -- ${[command, ...args].join(' ')}\r`,
      /· all: added, \d+ tools/,
    )
    await screen.do('now\r', 'May get-env of all be called?')
    await screen.do('1', `It says: ${marker}.`)
    await screen.do('/mcp disable all\r', '· all: removed (disabled)')
    await screen.do('and now?\r', '● Without it.')
    const has = model.requests.map(({ tools }) => JSON.stringify(tools).includes('mcp__all__get-env'))
    expect(has).toEqual([false, true, true, false])
  })

  it('goes on when a server crashes in the middle of a turn, says that it is back, and calls it again', async () => {
    const marker = randomUUID()
    await using stage = await openStage({
      provider,
      servers: { x: serverEntry('dies-on-call') },
      script: [
        call('mcp__x__die'),
        (request) => ({ kind: 'text', text: `It said: ${resultsIn(request).at(-1)}` }),
        call('mcp__x__echo', { text: marker }),
        repeat,
      ],
    })
    const { screen } = stage
    await screen.until('1 ready')
    await screen.do('die\r', 'May die of x be called?')
    await screen.do('1', 'It said:')
    await screen.until('x: reconnected')
    expect(screen.text()).toMatch(/✗ mcp__x__die/)
    await screen.do('again\r', 'May echo of x be called?')
    await screen.do('1', `It says: ${marker}.`)
  })

  it('signs in to a server that wants it, and calls its tool', async () => {
    const marker = randomUUID()
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    using machine = openMachine()
    await using browser = await putBrowser(machine, authorization)
    await using stage = await openStage({
      provider,
      servers: { away: { type: 'http', url: server.url } },
      script: [call('mcp__away__echo', { text: marker }), repeat],
      env: { PATH: browser.path },
    })
    const { screen } = stage
    await screen.until('away needs sign-in')
    await screen.until('away: needs you to sign in (/mcp auth away)')
    // Nobody has asked for one yet.
    expect(browser.pages).toEqual([])
    await screen.do('/mcp auth away\r', '· signed in to `away`')
    await screen.until(/away: connected, 2 tools/)
    await screen.do('say it\r', 'May echo of away be called?')
    await screen.do('1', `It says: ${marker}.`)
    await screen.do('/mcp logout away\r', 'away needs sign-in')
    await screen.do('/mcp reauth away\r', /signed in to `away`[^]*signed in to `away`/)
    await screen.until('1 ready')
    expect(browser.pages).toHaveLength(2)
  })
})

it('asks once for many calls of one tool, and nothing is written across the screen', async () => {
  const marker = randomUUID()
  const calls = Array.from({ length: 15 }, (_, i) => ({
    name: 'mcp__x__echo',
    input: { text: `${i} ${marker}` },
  }))
  await using stage = await openStage({
    servers: { x: serverEntry('outcomes') },
    script: [{ kind: 'calls', calls }, repeat],
    rows: 60,
  })
  const { screen } = stage
  await screen.until('1 ready')
  await screen.do('go\r', 'May echo of x be called?')
  await screen.do('2', `It says: ${marker}.`)
  expect(screen.raw()).not.toContain('Warning')
  expect(resultsIn(stage.model.requests.at(-1)!)).toHaveLength(15)
})

it('runs calls of one step at the same time', async () => {
  const busy = { name: 'mcp__x__busy', input: { ms: 400 } }
  await using stage = await openStage({
    servers: { x: serverEntry('outcomes') },
    script: [
      { kind: 'calls', calls: [busy, busy, busy] },
      (request) => ({ kind: 'text', text: `At once: ${resultsIn(request).join(' ')}.` }),
    ],
  })
  const { screen } = stage
  await screen.until('1 ready')
  await screen.do('/permissions allow mcp__x__busy\r', '`mcp__x__busy` is allowed')
  await screen.do('go\r', 'At once: 3 3 3.')
})
