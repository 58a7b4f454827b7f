/** A task in the shell: real servers, scripted models in both languages, a real terminal. */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ModelProvider } from '../../../src/model/settings.ts'
import { officialEntry, serverEntry } from '../../boards/open.ts'
import { openMachine } from '../../processes/plugboard.ts'
import { PRESS } from '../../processes/screen.ts'
import { resultsIn, type ModelRequest, type Say } from '../../servers/http/streaming-model.ts'
import { call, leave, openStage, SERVERS } from './stage.ts'

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
    await screen.do('1', /\[#*-+\] \d+%/)
    await screen.do(PRESS.escape, '· stopped')
    await screen.do('and now?\r', 'May get-env of all be called?')
    await screen.do('2', `It says: ${marker}.`)
    // Every call has a result, also the one that was stopped.
    expect(resultsIn(stage.model.requests.at(-1)!)).toHaveLength(2)
  })
})

describe('a session', () => {
  it('calls nothing in plan mode, and tells the model so', async () => {
    await using stage = await openStage({
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

  it('has the tools of a server that is added meanwhile in the next turn', async () => {
    const marker = randomUUID()
    await using stage = await openStage({
      servers: { x: serverEntry('outcomes') },
      script: [{ kind: 'text', text: 'Hello.' }, call('mcp__all__get-env'), repeat],
    })
    const { screen, machine, model } = stage
    await screen.until('1 ready')
    await screen.do('hello\r', '● Hello.')
    machine.write({ [SERVERS]: { mcpServers: { x: serverEntry('outcomes'), all: everything(marker) } } })
    await screen.until('· all: added, ')
    await screen.do('now\r', 'May get-env of all be called?')
    await screen.do('1', `It says: ${marker}.`)
    expect(JSON.stringify(model.requests[0]!.tools)).not.toContain('mcp__all__get-env')
    expect(JSON.stringify(model.requests[1]!.tools)).toContain('mcp__all__get-env')
    machine.write({ [SERVERS]: { mcpServers: { x: serverEntry('outcomes') } } })
    await screen.until('· all: removed')
  })

  it('goes on when a server crashes in the middle of a turn, and says that it is back', async () => {
    await using stage = await openStage({
      // `initialize`, the probe and the list before, then the call.
      servers: { x: serverEntry('dies-on-call') },
      script: [
        call('mcp__x__die'),
        (request) => ({ kind: 'text', text: `It said: ${resultsIn(request).at(-1)}` }),
      ],
    })
    const { screen } = stage
    await screen.until('1 ready')
    await screen.do('die\r', 'May die of x be called?')
    await screen.do('1', 'It said:')
    await screen.until('x: reconnected')
    expect(screen.text()).toMatch(/✗ mcp__x__die/)
  })
})
