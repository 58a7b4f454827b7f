/**
 * `plugboard run` as scripts use it: the built command, a scripted model on loopback, real servers.
 */
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { openMachine, type Files, type Machine, type Ran } from '../../processes/plugboard.ts'
import {
  openStreamingModel,
  resultsIn,
  type Script,
  type StreamingModel,
} from '../../servers/http/streaming-model.ts'

const server = (program: string, more: object = {}): object => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../../servers/${program}.mjs`, import.meta.url))],
  ...more,
})

interface Stage extends AsyncDisposable {
  readonly machine: Machine
  readonly model: StreamingModel
  run(args: readonly string[], options?: Parameters<Machine['run']>[1]): Promise<Ran>
  /** As `run --json`: every line of stdout. */
  lines(args: readonly string[]): Promise<{ readonly code: number; readonly events: readonly Event[] }>
}

type Event = Readonly<Record<string, unknown>>

async function open(script: readonly Script[], files: Files = {}): Promise<Stage> {
  const model = await openStreamingModel(...script)
  const machine = openMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: { x: server('outcomes') } },
    ...files,
  })
  const env = { PLUGBOARD_MODEL: 'openai/scripted', OPENAI_BASE_URL: `${model.origin}/v1` }
  const run: Stage['run'] = (args, options = {}) =>
    machine.run(['run', ...args], { ...options, env: { ...env, ...options.env } })
  return {
    machine,
    model,
    run,
    async lines(args) {
      const { code, stdout } = await run([...args, '--json'])
      const events = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Event)
      return { code, events }
    },
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]()
      machine[Symbol.dispose]()
    },
  }
}

const echo = (text: string): Script => ({
  kind: 'calls',
  calls: [{ name: 'mcp__x__echo', input: { text } }],
})

const said = (text: string): Script => ({ kind: 'text', text })

/** Says what the last tool said. */
const repeat: Script = (request) => ({ kind: 'text', text: `It said ${resultsIn(request).at(-1)}` })

/** What a test's own settings say of the model. */
const settings = (model: unknown): Files => ({ '~/.config/plugboard/settings.json': { model } })

const NO_MODEL = { PLUGBOARD_MODEL: '', OPENAI_BASE_URL: '' }

describe('run', () => {
  test('prints the answer on stdout, and what is done for it on stderr', async () => {
    const marker = randomUUID()
    await using stage = await open([echo(marker), repeat])
    const { code, stdout, stderr } = await stage.run(['what?', '--allow', 'mcp__x__*'])
    expect(code).toBe(0)
    expect(stdout).toContain(`It said`)
    expect(stdout).toContain(marker)
    expect(stdout.endsWith('\n')).toBe(true)
    expect(stderr).toContain(`→ mcp__x__echo text=${marker}`)
    expect(stderr).toContain('← mcp__x__echo:')
  })

  test('an answer of several lines stays so, and nothing in it reaches the terminal as a command', async () => {
    await using stage = await open([said('one\n\ntwo\t\u001b[31mred\n')])
    const { stdout } = await stage.run(['go'])
    expect(stdout).toBe('one\n\ntwo\t\\x1b[31mred\n')
  })

  test('--json: a line for each event, the last says how it ended', async () => {
    const marker = randomUUID()
    await using stage = await open([echo(marker), said('done')])
    const { code, events } = await stage.lines(['go', '--allow', 'mcp__x__echo'])
    expect(code).toBe(0)
    expect(events.at(-1)).toEqual({ type: 'done', text: 'done', exitCode: 0 })
    expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({
      name: 'mcp__x__echo',
      input: { text: marker },
    })
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({
      name: 'mcp__x__echo',
      outcome: 'done',
      isError: false,
      text: expect.stringContaining(marker) as unknown,
    })
    expect(
      events
        .filter(({ type }) => type === 'text')
        .map(({ text }) => text)
        .join(''),
    ).toBe('done')
  })

  test('asks nobody: what would be asked is denied, and the model is told', async () => {
    await using stage = await open([echo('a'), said('I may not.')])
    const { code, events } = await stage.lines(['try'])
    expect(code).toBe(0)
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({
      outcome: 'not-sent',
      code: 'denied',
    })
    expect(resultsIn(stage.model.requests[1]!).at(-1)).toContain('mcp__x__echo')
  })

  test('a tool that a server adds meanwhile is there in a later request of the same prompt', async () => {
    const grow: Script = { kind: 'calls', calls: [{ name: 'mcp__x__grow', input: {} }] }
    /** The list is read again beside the calls, so the model goes on until it sees the tool. */
    const look = Array.from({ length: 50 }, (_, i): Script => {
      return ({ messages, tools }) => {
        if (JSON.stringify(messages).includes('this is grown_1')) return { kind: 'text', text: 'It grew.' }
        const isThere = JSON.stringify(tools).includes('mcp__x__grown_1')
        const echoed = { name: 'mcp__x__echo', input: { text: `look ${i}` } }
        return { kind: 'calls', calls: [isThere ? { name: 'mcp__x__grown_1', input: {} } : echoed] }
      }
    })
    await using stage = await open([grow, ...look], {
      '~/.config/plugboard/mcp.json': { mcpServers: { x: server('changes-tools') } },
    })
    const { code, stdout } = await stage.run(['grow', '--allow', 'mcp__x'])
    expect([code, stdout]).toEqual([0, 'It grew.\n'])
  })

  test('a tool of a server that is disabled says so, and one that does not exist names the nearest', async () => {
    const calls: Script = {
      kind: 'calls',
      calls: [
        { name: 'mcp__off__echo', input: { text: 'a' } },
        { name: 'mcp__x__ecko', input: { text: 'a' } },
        { name: 'mcp__x__echo', input: '{"text": ' },
      ],
    }
    await using stage = await open([calls, said('Then not.')], {
      '~/.config/plugboard/mcp.json': {
        mcpServers: { x: server('outcomes'), off: server('outcomes', { enabled: false }) },
      },
    })
    const { code, events } = await stage.lines(['try'])
    expect(code).toBe(0)
    const results = events.filter(({ type }) => type === 'tool-result')
    expect(results.map((event) => event['code'])).toEqual(['not-connected', 'unknown-tool', 'bad-arguments'])
    expect(resultsIn(stage.model.requests[1]!)).toEqual([
      expect.stringContaining('Server "off" is disabled'),
      expect.stringContaining('did you mean `mcp__x__echo`?'),
      expect.stringContaining('the arguments are no JSON object'),
    ])
  })

  test('--plan: no tool runs, not even one that is allowed', async () => {
    await using stage = await open([echo('a'), said('It is plan mode.')])
    const { events } = await stage.lines(['try', '--plan', '--allow', 'mcp__x__*'])
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({
      outcome: 'not-sent',
      code: 'denied',
    })
  })

  test('reads stdin: beside the words with `-`, and alone', async () => {
    await using stage = await open([said('one'), said('two')])
    await stage.run(['review this:', '-'], { input: 'the diff\n' })
    await stage.run([], { input: 'all of it\n' })
    const asked = stage.model.requests.map(({ messages }) => messages.at(-1)?.content)
    expect(asked).toEqual(['review this:\n\nthe diff', 'all of it'])
  })

  test('reads what is piped in beside the words, and does not wait for a pipe in which nothing comes', async () => {
    await using stage = await open([said('one'), said('two')])
    await stage.run(['review this:'], { input: 'the diff\n' })
    expect(stage.model.requests[0]!.messages.at(-1)?.content).toBe('review this:\n\nthe diff')
    const { code, stdout, stderr } = await stage.run(['hello'], { leavesInputOpen: true })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'two\n' })
    expect(stderr).toContain('nothing came through stdin so far')
  })

  test('without a prompt says how to give one', async () => {
    await using stage = await open([])
    const { code, stderr } = await stage.run([], { input: '' })
    expect(code).toBe(2)
    expect(stderr).toContain('there is nothing to answer')
  })

  test('Ctrl-C ends it with 130, and what was said stays', async () => {
    await using stage = await open([{ kind: 'hang', text: 'so far ' }])
    const { code, stdout } = await stage.run(['go'], { interruptAt: 'so far' })
    expect(code).toBe(130)
    expect(stdout).toBe('so far \n')
  })
})

describe('run, when the model fails', () => {
  test('shows it, tries again where that is sensible, and ends with 1', async () => {
    await using stage = await open([{ kind: 'status', status: 401 }])
    const { code, stderr } = await stage.run(['go'])
    expect(code).toBe(1)
    expect(stderr).toContain('error: `openai/scripted` refuses the key')
    expect(stderr).toContain('HTTP 401')
  })

  test('asks again after a 429, as long as it was told to wait', async () => {
    await using stage = await open([
      { kind: 'status', status: 429, headers: { 'retry-after-ms': '10' } },
      said('there'),
    ])
    const { code, stdout, stderr } = await stage.run(['go'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'there\n' })
    expect(stderr).toContain('asking again in 1 s')
  })

  test('--json: the last line has the problem', async () => {
    await using stage = await open([{ kind: 'status', status: 400 }])
    const { code, events } = await stage.lines(['go'])
    expect(code).toBe(1)
    expect(events.at(-1)).toMatchObject({
      type: 'done',
      text: '',
      exitCode: 1,
      problem: { code: 'shell/model-bad-request' },
    })
  })

  test('an answer that breaks off is shown as far as it came', async () => {
    await using stage = await open([{ kind: 'cut', text: 'half an ans' }])
    const { code, stdout, stderr } = await stage.run(['go'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'half an ans\n' })
    expect(stderr).toContain('broke off')
  })
})

describe('run, and servers that are not ready', () => {
  const slow = (more: object = {}): Files => ({
    '~/.config/plugboard/mcp.json': {
      mcpServers: {
        x: server('outcomes'),
        dead: server('never-answers', { startupTimeout: 20_000, ...more }),
      },
    },
  })

  test('one that hangs is waited for no longer than the deadline', async () => {
    await using stage = await open([said('went on')], slow())
    const { code, stdout, stderr } = await stage.run(['go', '--deadline', '300'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'went on\n' })
    // On a busy machine `x` may not be ready, either.
    expect(stderr).toMatch(/^warning: begun without .*`dead`/)
    expect(stderr).toContain('dead: not ready yet')
  })

  test('one that failed is told of, and the model is asked without it', async () => {
    await using stage = await open([said('a'), said('b')], slow({ command: 'no-such-program-4711' }))
    const { code, stdout, stderr } = await stage.run(['go'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'a\n' })
    expect(stderr).toContain('warning: begun without `dead`, which is not ready')
    expect(stderr).toContain('dead: Failed to connect to "dead": its command was not found')
    const { events } = await stage.lines(['go'])
    expect(events[0]).toMatchObject({ type: 'problem', problem: { code: 'connect/not-ready' } })
    expect(events.at(-1)).toEqual({ type: 'done', text: 'b', exitCode: 0 })
  })

  test('one that hung the last time is not waited for as long again', async () => {
    await using stage = await open([said('a'), said('b')], slow({ startupTimeout: 3000 }))
    const time = async (why: string): Promise<number> => {
      const startedAt = Date.now()
      expect((await stage.run(['go'])).stderr).toContain(`dead: ${why}`)
      return Date.now() - startedAt
    }
    expect(await time('Failed to connect to "dead": no answer after 3.0 s')).toBeGreaterThanOrEqual(3000)
    expect(await time('it was not ready in time when it was last tried')).toBeLessThan(3000)
  })

  test('--wait: all of them must be ready by then', async () => {
    await using stage = await open([said('never asked')], slow())
    const { code, stderr } = await stage.run(['go', '--wait', '--deadline', '300'])
    expect(code).toBe(1)
    expect(stderr).toContain('not ready: `dead`')
    expect(stage.model.requests).toEqual([])
  })

  test('so must one that is required', async () => {
    await using stage = await open([said('never asked')], slow({ required: true }))
    const { code, stderr } = await stage.run(['go', '--deadline', '300'])
    expect(code).toBe(1)
    expect(stderr).toContain('not ready: `dead`')
  })

  test('a deadline that is no number is refused', async () => {
    await using stage = await open([])
    const { code, stderr } = await stage.run(['go', '--deadline', 'soon'])
    expect(code).toBe(2)
    expect(stderr).toContain('--deadline')
  })
})

describe('the model', () => {
  test('none: exit code 2, and how to get one', async () => {
    await using stage = await open([])
    const { code, stderr } = await stage.run(['go'], { env: NO_MODEL })
    expect(code).toBe(2)
    expect(stderr).toContain('error: no model is configured')
    expect(stderr).toContain('ANTHROPIC_API_KEY')
    expect(stderr).toContain('settings.json')
  })

  test('by the setting, as text or as a table', async () => {
    await using stage = await open([said('one'), said('two')])
    stage.machine.write(settings('openai/named'))
    const one = await stage.run(['go'], {
      env: { PLUGBOARD_MODEL: '', OPENAI_API_KEY: 'k' },
    })
    expect(one).toMatchObject({ code: 0, stdout: 'one\n' })
    stage.machine.write(
      settings({ provider: 'anthropic', id: 'claude', baseUrl: `${stage.model.origin}/v1` }),
    )
    const two = await stage.run(['go'], { env: NO_MODEL })
    expect(two).toMatchObject({ code: 0, stdout: 'two\n' })
    expect(stage.model.requests.map((request) => (request as { model?: string }).model)).toEqual([
      'named',
      'claude',
    ])
  })

  test('its key comes from a variable or a command, and is nowhere to be seen', async () => {
    await using stage = await open([said('one'), said('two'), { kind: 'status', status: 401 }])
    const { origin } = stage.model
    const table = { provider: 'openai', id: 'm', baseUrl: `${origin}/v1` }
    stage.machine.write(settings({ ...table, apiKey: 'MY_MODEL_KEY' }))
    await stage.run(['go'], { env: { ...NO_MODEL, MY_MODEL_KEY: 'secret-one' } })
    stage.machine.write(settings({ ...table, apiKey: '!echo secret-$((1+1))' }))
    await stage.run(['go'], { env: NO_MODEL })
    const refused = await stage.run(['go'], { env: NO_MODEL })
    expect(stage.model.keys).toEqual(['Bearer secret-one', 'Bearer secret-2', 'Bearer secret-2'])
    expect(refused.code).toBe(1)
    expect(refused.stdout + refused.stderr).not.toContain('secret-2')
  })

  test('a key that cannot be had is said, before anything is asked', async () => {
    await using stage = await open([])
    stage.machine.write(settings('anthropic/claude'))
    const { code, stderr } = await stage.run(['go'], { env: NO_MODEL })
    expect(code).toBe(2)
    expect(stderr).toContain('there is no key for `anthropic/claude`')
    expect(stderr).toContain('ANTHROPIC_API_KEY')
  })

  test('--model names another one of the provider in use', async () => {
    await using stage = await open([said('one')])
    await stage.run(['go', '--model', 'other'], { env: { OPENAI_API_KEY: 'k', PLUGBOARD_MODEL: '' } })
    expect(stage.model.requests.map((request) => (request as { model?: string }).model)).toEqual(['other'])
    const bad = await stage.run(['go', '--model', 'openai/'])
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining('names no model') as unknown })
  })

  test('a repository does not choose it, nor does it run a command for a key', async () => {
    await using stage = await open([said('mine')])
    stage.machine.write({
      './.plugboard/settings.json': {
        model: { provider: 'openai', id: 'theirs', baseUrl: stage.model.origin, apiKey: '!touch pwned' },
      },
    })
    const { code, stdout } = await stage.run(['go'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'mine\n' })
    expect(stage.model.requests.map((request) => (request as { model?: string }).model)).toEqual(['scripted'])
    const { stdout: found } = await stage.machine.run(['doctor'])
    expect(found).toContain('`model`')
  })
})
