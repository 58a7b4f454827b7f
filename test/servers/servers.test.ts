/**
 * servers: each program in this folder misbehaves as README.md says, and in no other way. Driven by hand, without the
 * code that they are there to test.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

const PROGRAMS = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.mjs') && file !== 'speak.mjs')
  .map((file) => file.slice(0, -'.mjs'.length))

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

const ENVELOPE = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  },
}

const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }

/** A started program, and everything it has written so far. */
class Program {
  readonly child: ChildProcessWithoutNullStreams
  readonly lines: string[] = []
  readonly exit: Promise<unknown[]>
  /** Nothing more comes from it, nor from what it started. */
  readonly closed: Promise<unknown[]>
  stderr = ''
  private count = 0
  private readonly watchers: (() => void)[] = []

  constructor(name: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, [`${FOLDER}${name}.mjs`, ...args], {
      env: { ...env, PATH: process.env['PATH'] ?? '' },
    })
    this.exit = once(this.child, 'exit')
    this.closed = once(this.child, 'close')
    this.child.stdin.on('error', () => undefined)
    createInterface({ input: this.child.stdout }).on('line', (line) => this.seen(() => this.lines.push(line)))
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => this.seen(() => (this.stderr += text)))
  }

  private seen(take: () => void): void {
    take()
    for (const watcher of this.watchers.splice(0)) watcher()
  }

  send(message: Message): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  /** Settles when the condition holds; it is looked at after each thing the program writes. */
  async until<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find()
      if (found !== undefined) return found
      const news = new Promise<void>((resolve) => this.watchers.push(resolve))
      await Promise.race([news, this.closed])
      const isOver = this.child.stdout.closed && find() === undefined
      if (isOver) throw new Error(`it ended; stderr: ${this.stderr}`)
    }
  }

  messages(): Message[] {
    return this.lines.flatMap((line) => {
      const value = tryJson(line)
      return isMessage(value) ? [value] : []
    })
  }

  async request(method: string, params: Record<string, unknown> = {}): Promise<Message> {
    const id = ++this.count
    this.send({ id, method, params })
    return this.until(() =>
      this.messages().find((message) => message.id === id && message.method === undefined),
    )
  }

  async call(name: string, args: Record<string, unknown> = {}, rest: object = {}): Promise<string> {
    const { result } = await this.request('tools/call', { name, arguments: args, ...rest })
    return (result!['content'] as { text: string }[])[0]!.text
  }

  async initialize(): Promise<Message> {
    const answer = await this.request('initialize', HELLO)
    this.send({ method: 'notifications/initialized' })
    return answer
  }

  async end(): Promise<readonly unknown[]> {
    this.child.stdin.end()
    return this.exit
  }
}

const started: Program[] = []
const orphans: number[] = []

function start(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Program {
  const program = new Program(name, args, env)
  started.push(program)
  return program
}

afterEach(async () => {
  for (const pid of orphans.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  for (const { child, exit } of started.splice(0)) {
    child.kill('SIGKILL')
    await exit
  }
})

describe('all of them', () => {
  test('have a line in README.md', () => {
    const listed = readFileSync(`${FOLDER}README.md`, 'utf8').match(/(?<=^\| `)[a-z-]+(?=` \|)/gm)
    expect(listed?.toSorted()).toEqual(PROGRAMS.toSorted())
  })

  test.each(PROGRAMS.filter((name) => name !== 'ignores-sigterm'))(
    '%s leaves when its input ends',
    async (name) => {
      expect(await start(name, ['--mb', '1']).end()).toEqual([0, null])
    },
  )

  const SOUND = PROGRAMS.filter(
    (name) => !['never-answers', 'dies-in-handshake', 'dies-on-probe', 'modern-only'].includes(name),
  )
  test.each(SOUND)('%s is asked whether it is modern, says no, and initializes', async (name) => {
    const program = start(name, ['--mb', '1', '--ms', '1'])
    expect(await program.request('server/discover', ENVELOPE)).toMatchObject({ error: { code: -32601 } })
    const { result } = await program.initialize()
    expect(result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'test-server' } })
  })
})

describe('well-behaved', () => {
  test('lists and calls its two tools', async () => {
    const program = start('well-behaved')
    await program.initialize()
    const { result } = await program.request('tools/list')
    expect((result!['tools'] as Message[]).map((tool) => Object.keys(tool))).toEqual([
      ['name', 'description', 'inputSchema', 'annotations'],
      ['name', 'description', 'inputSchema'],
    ])
    expect(await program.call('echo', { text: 'höre\nzu' })).toBe('höre\nzu')
    expect(await program.call('slow', { ms: 1 })).toBe('done')
    expect(await program.request('tools/call', { name: 'none' })).toMatchObject({ error: { code: -32602 } })
  })

  test('speaks 2026-07-28 with --modern, and initialize too', async () => {
    const program = start('well-behaved', ['--modern'])
    expect((await program.request('server/discover', ENVELOPE)).result).toEqual({
      resultType: 'complete',
      ttlMs: 60_000,
      cacheScope: 'private',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test-server', version: '1.0.0' } },
    })
    expect((await program.request('tools/list', ENVELOPE)).result).toMatchObject({
      resultType: 'complete',
      ttlMs: 60_000,
      cacheScope: 'private',
    })
    const call = { name: 'echo', arguments: { text: 'hi' }, ...ENVELOPE }
    expect((await program.request('tools/call', call)).result).toEqual({
      resultType: 'complete',
      content: [{ type: 'text', text: 'hi' }],
    })
    expect((await program.initialize()).result).toMatchObject({ protocolVersion: '2025-11-25' })
  })

  test('does not answer a call that was cancelled', async () => {
    const program = start('well-behaved')
    program.send({ id: 'late', method: 'tools/call', params: { name: 'slow', arguments: { ms: 20 } } })
    program.send({ method: 'notifications/cancelled', params: { requestId: 'late' } })
    await program.call('slow', { ms: 60 })
    expect(program.messages().map(({ id }) => id)).toEqual([1])
  })
})

describe('programs that do not answer', () => {
  test('never-answers says nothing to anything', async () => {
    const program = start('never-answers')
    program.send({ id: 1, method: 'initialize', params: HELLO })
    program.send({ id: 2, method: 'ping' })
    await program.end()
    await program.closed
    expect({ lines: program.lines, stderr: program.stderr }).toEqual({ lines: [], stderr: '' })
  })

  test('dies-in-handshake says why on stderr and exits with 3', async () => {
    const program = start('dies-in-handshake')
    expect(await program.request('server/discover')).toMatchObject({ error: { code: -32601 } })
    program.send({ id: 2, method: 'initialize', params: HELLO })
    expect(await program.closed).toEqual([3, null])
    expect(program.stderr).toBe('fatal: no licence\n')
  })

  test('dies-on-probe exits when it is probed, and is fine when it is not', async () => {
    const probed = start('dies-on-probe')
    probed.send({ id: 1, method: 'server/discover', params: ENVELOPE })
    expect(await probed.exit).toEqual([1, null])
    const program = start('dies-on-probe')
    await program.initialize()
    expect(await program.call('echo', { text: 'fine' })).toBe('fine')
  })

  test('half-line writes half a message after the handshake, and is silent', async () => {
    const program = start('half-line')
    await program.initialize()
    program.send({ id: 2, method: 'tools/list' })
    await program.end()
    await program.closed
    expect(program.lines.slice(1)).toEqual(['{"jsonrpc":"2.0","id":2,"result":{"tools":[{"na'])
  })

  test('slow-start answers after its time', async () => {
    const before = performance.now()
    await start('slow-start', ['--ms', '300']).initialize()
    expect(performance.now() - before).toBeGreaterThanOrEqual(300)
  })

  test('slow-list is slow to list its tools alone, and never lists prompts', async () => {
    const program = start('slow-list', ['--ms', '300', '--mute-prompts'])
    const before = performance.now()
    await program.initialize()
    program.send({ id: 'prompts', method: 'prompts/list' })
    expect((await program.request('tools/list')).result).toHaveProperty('tools')
    expect(performance.now() - before).toBeGreaterThanOrEqual(300)
    expect(program.messages().filter(({ id }) => id === 'prompts')).toEqual([])
  })

  test('crashes-after answers so many requests and exits with 1', async () => {
    const program = start('crashes-after', ['--requests', '2'])
    await program.initialize()
    await program.request('tools/list')
    expect(await program.closed).toEqual([1, null])
    expect(program.stderr).toBe('crashed\n')
  })
})

describe('programs that stay', () => {
  test('ignores-sigterm ignores the end of its input and SIGTERM', async () => {
    const program = start('ignores-sigterm')
    await program.initialize()
    program.child.stdin.end()
    program.child.kill('SIGTERM')
    await program.until(() => (program.stderr.includes('SIGTERM ignored') ? true : undefined))
    expect(isAlive(program.child.pid!)).toBe(true)
  })

  test.each([[[]], [['--holds-pipes']]])(
    'leaves-grandchild %j leaves a process that ignores SIGTERM',
    async (args) => {
      const program = start('leaves-grandchild', args)
      await program.initialize()
      const pid = Number(await program.call('grandchild'))
      orphans.push(pid)
      await program.until(() => (program.stderr === `grandchild ${pid}\n` ? true : undefined))
      expect(await program.end()).toEqual([0, null])
      process.kill(pid, 'SIGTERM')
      expect(isAlive(pid)).toBe(true)
    },
  )
})

describe('programs that write too much', () => {
  test('floods-stderr answers while it writes 100 MB', async () => {
    const program = start('floods-stderr')
    let bytes = 0
    program.child.stderr.removeAllListeners('data').on('data', (text: string) => (bytes += text.length))
    await program.initialize()
    const bytesBefore = bytes
    expect(await program.call('echo', { text: 'still here' })).toBe('still here')
    expect(bytesBefore).toBeLessThan(100 * 1024 * 1024)
    const isOver = new Promise<void>((resolve) => {
      program.child.stderr.on('data', (text: string) => text.endsWith('flood over\n') && resolve())
    })
    await isOver
    expect(bytes).toBeGreaterThan(100 * 1024 * 1024)
  })

  test('giant-line answers in one line of 100 MB', async () => {
    const program = start('giant-line')
    await program.initialize()
    const line = new Promise<number>((resolve) => {
      let bytes = 0
      program.child.stdout.removeAllListeners('data').on('data', (data: Buffer) => {
        bytes += data.length
        if (data.at(-1) === 10) resolve(bytes)
      })
    })
    program.send({ id: 'giant', method: 'tools/call', params: { name: 'giant' } })
    expect(await line).toBe(
      100 * 1024 * 1024 +
        '{"jsonrpc":"2.0","id":"giant","result":{"content":[{"type":"text","text":""}]}}\n'.length,
    )
  })

  test('chatty-stdout hides its answers in noise', async () => {
    const program = start('chatty-stdout')
    await program.initialize()
    expect(program.lines.slice(0, 4)).toEqual([
      'Chatty Server v1.0',
      '==================',
      '',
      '[info] a request came in',
    ])
    expect(program.lines.filter((line) => tryJson(line) === undefined).length).toBeGreaterThan(4)
    expect(
      program.messages().filter(({ id, method }) => id === undefined && method === undefined),
    ).not.toEqual([])
  })

  test('wrong-ids answers strangers first, and everything twice', async () => {
    const program = start('wrong-ids')
    program.send({ id: 1, method: 'ping' })
    program.send({ id: 's', method: 'ping' })
    await program.until(() => (program.lines.length === 10 ? true : undefined))
    expect(program.messages().map(({ id }) => id)).toEqual([
      999_999,
      '1',
      null,
      1,
      1,
      999_999,
      0,
      null,
      's',
      's',
    ])
    expect(program.messages()[0]?.result).toMatchObject({ protocolVersion: '1999-01-01' })
    for (const at of [1, 3, 4]) expect(program.messages()[at]?.result).toEqual({})
  })
})

describe('lists', () => {
  test('lists-forever gives a new cursor on every page', async () => {
    const program = start('lists-forever')
    const first = await program.request('tools/list')
    const second = await program.request('tools/list', { cursor: first.result?.['nextCursor'] })
    expect([first.result, second.result]).toMatchObject([
      { tools: [{ name: 'tool_1' }], nextCursor: 'page-2' },
      { tools: [{ name: 'tool_2' }], nextCursor: 'page-3' },
    ])
  })

  test('same-cursor gives new tools and the same cursor', async () => {
    const program = start('same-cursor')
    const pages = [
      await program.request('tools/list'),
      await program.request('tools/list', { cursor: 'again' }),
    ]
    expect(pages.map(({ result }) => result)).toMatchObject([
      { tools: [{ name: 'tool_1' }], nextCursor: 'again' },
      { tools: [{ name: 'tool_2' }], nextCursor: 'again' },
    ])
  })

  test('bad-tools lists good and bad of everything', async () => {
    const program = start('bad-tools')
    const counts = []
    for (const [method, field] of [
      ['tools/list', 'tools'],
      ['resources/list', 'resources'],
      ['resources/templates/list', 'resourceTemplates'],
      ['prompts/list', 'prompts'],
    ] as const) {
      const { result } = await program.request(method)
      counts.push((result![field] as unknown[]).length)
    }
    expect(counts).toEqual([14, 5, 2, 3])
  })

  test('large lists so much of everything, and changes it', async () => {
    const program = start('large', ['--count', '3'])
    await program.initialize()
    const names = async (): Promise<unknown[]> => {
      const { result } = await program.request('tools/list')
      return (result!['tools'] as { readonly name: string }[]).slice(5).map(({ name }) => name)
    }
    expect(await names()).toEqual(['tool_1', 'tool_2', 'tool_3'])
    await program.call('grow', { after: 2 })
    await program.call('drop', { at: 1 })
    expect(await names()).toEqual(['tool_2', 'grown_2', 'tool_3'])
    const { result } = await program.request('tools/call', { name: 'long', arguments: { characters: 10 } })
    expect(result).toMatchObject({ structuredContent: { said: 'soup ' } })
  })

  test('odd-schemas lists them', async () => {
    const { result } = await start('odd-schemas').request('tools/list')
    const names = (result!['tools'] as { name: string }[]).map(({ name }) => name)
    expect(names).toEqual(['echo', 'slow', 'plain', 'tree', 'forms', 'angles', 'nothing'])
  })

  test('real-schemas puts defaults in, and fails at what it does not know', async () => {
    const screenshot = async (args: object, ...flags: readonly string[]): Promise<Message> => {
      const program = start('real-schemas', flags)
      await program.initialize()
      return program.request('tools/call', { name: 'browser_take_screenshot', arguments: args })
    }
    expect(await screenshot({})).toMatchObject({ result: { content: [{ text: '{"scale":"css"}' }] } })
    expect(await screenshot({ a: 1 })).toMatchObject({ result: { isError: true } })
    expect(await screenshot({ a: 1 }, '--refuses')).toMatchObject({ error: { code: -32602 } })
  })

  test('takes-tasks has a tool that is no ordinary call, unless it offers no tasks', async () => {
    const call = async (name: string, ...flags: readonly string[]): Promise<Message> => {
      const program = start('takes-tasks', flags)
      await program.initialize()
      return program.request('tools/call', { name })
    }
    expect(await call('later')).toMatchObject({ error: { code: -32601 } })
    expect(await call('either')).toMatchObject({ result: { content: [{ text: 'either, as a call' }] } })
    expect(await call('later', '--without')).toMatchObject({
      result: { content: [{ text: 'later, as a call' }] },
    })
  })

  test('changes-tools grows, and tells everyone', async () => {
    const program = start('changes-tools')
    await program.initialize()
    expect(await program.call('grow')).toBe('grown_1')
    expect(program.messages().filter(({ method }) => method !== undefined)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    ])
    expect(await program.call('grown_1')).toBe('this is grown_1')
  })

  test('changes-tools, modern, tells who listens until they stop', async () => {
    const program = start('changes-tools', ['--modern'])
    const told = (): Message[] => program.messages().filter(({ method }) => method !== undefined)
    await program.call('grow', {}, ENVELOPE)
    expect(told()).toEqual([])
    program.send({
      id: 'ear',
      method: 'subscriptions/listen',
      params: { ...ENVELOPE, notifications: { toolsListChanged: true, promptsListChanged: true } },
    })
    await program.call('grow', {}, ENVELOPE)
    const meta = { 'io.modelcontextprotocol/subscriptionId': 'ear' }
    const expected = [
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { _meta: meta, notifications: { toolsListChanged: true } },
      },
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: meta } },
    ]
    expect(told()).toEqual(expected)
    program.send({ method: 'notifications/cancelled', params: { requestId: 'ear' } })
    await program.call('grow', {}, ENVELOPE)
    expect(told()).toEqual(expected)
  })
})

describe('tells-changes', () => {
  const URI = { uri: 'note://one' }
  const told = (program: Program): unknown[] =>
    program
      .messages()
      .filter(({ method }) => method === 'notifications/resources/updated')
      .map(({ params }) => params!['uri'])

  test('tells of what was subscribed to, and not of the secret', async () => {
    const program = start('tells-changes')
    await program.initialize()
    await program.call('touch', URI)
    expect(await program.request('resources/subscribe', URI)).toMatchObject({ result: {} })
    expect(await program.request('resources/subscribe', { uri: 'note://secret' })).toMatchObject({
      error: { code: -32602 },
    })
    expect(await program.call('subscribed')).toBe('note://one')
    await program.call('touch', URI)
    await program.request('resources/unsubscribe', URI)
    await program.call('touch', URI)
    expect(told(program)).toEqual(['note://one'])
  })

  test('modern, tells who listens, until it hangs up', async () => {
    const program = start('tells-changes', ['--modern'])
    const resourceSubscriptions = ['note://one', 'note://secret']
    program.send({
      id: 'ear',
      method: 'subscriptions/listen',
      params: { ...ENVELOPE, notifications: { resourceSubscriptions } },
    })
    await program.call('touch', URI, ENVELOPE)
    expect(program.messages()[0]?.params).toEqual({
      _meta: { 'io.modelcontextprotocol/subscriptionId': 'ear' },
      notifications: { resourceSubscriptions: ['note://one'] },
    })
    await program.call('hang-up', {}, ENVELOPE)
    await program.call('touch', URI, ENVELOPE)
    expect(program.messages().filter(({ id }) => id === 'ear')).toHaveLength(1)
    expect(told(program)).toEqual(['note://one'])
  })
})

describe('calls', () => {
  test('progress tells of its steps, then answers', async () => {
    const program = start('progress')
    expect(await program.call('work', { ms: 1 }, { _meta: { progressToken: 'p' } })).toBe('worked 5 steps')
    const steps = program.messages().filter(({ method }) => method === 'notifications/progress')
    expect(steps.map(({ params }) => params)).toEqual(
      [1, 2, 3, 4, 5].map((progress) => ({
        progressToken: 'p',
        progress,
        total: 5,
        message: `step ${progress} of 5`,
      })),
    )
  })

  test('progress stops when it is cancelled', async () => {
    const program = start('progress')
    program.send({ id: 'w', method: 'tools/call', params: { name: 'work', arguments: { ms: 60_000 } } })
    program.send({ method: 'notifications/cancelled', params: { requestId: 'w' } })
    await program.until(() => (program.stderr === 'cancelled w\n' ? true : undefined))
    await program.request('ping')
    expect(program.messages().map(({ id }) => id)).toEqual([1])
  })

  test('asks-back asks three questions and tells the answers', async () => {
    const program = start('asks-back')
    const answer = program.call('ask')
    const questions = await program.until(() => {
      const asked = program.messages().filter(({ method }) => method !== undefined)
      return asked.length === 3 ? asked : undefined
    })
    expect(questions.map(({ method }) => method)).toEqual([
      'elicitation/create',
      'sampling/createMessage',
      'roots/list',
    ])
    const [elicit, sample, roots] = questions.map(({ id }) => id)
    program.send({ id: elicit, result: { action: 'decline' } })
    program.send({ id: sample, error: { code: -32601, message: 'no' } })
    program.send({ id: roots, result: { roots: [] } })
    expect(JSON.parse(await answer)).toEqual({
      elicitation: { action: 'decline' },
      sampling: { error: { code: -32601, message: 'no' } },
      roots: { roots: [] },
    })
  })

  test('asks-back, modern, wants input and its state back', async () => {
    const program = start('asks-back', ['--modern'])
    const call = { name: 'ask', arguments: { only: ['roots'] }, ...ENVELOPE }
    const { result } = await program.request('tools/call', call)
    expect(result).toEqual({
      resultType: 'input_required',
      inputRequests: { roots: { method: 'roots/list', params: {} } },
      requestState: 'asked-once',
    })
    const inputResponses = { roots: { roots: [] } }
    const again = { ...call, inputResponses, requestState: 'asked-once' }
    expect((await program.request('tools/call', again)).result).toEqual({
      resultType: 'complete',
      content: [{ type: 'text', text: JSON.stringify(inputResponses) }],
    })
    const lost = await program.request('tools/call', { ...call, inputResponses })
    expect(lost.result).toMatchObject({ isError: true })
  })

  test.each([
    [[], 'paid, asked 2 times'],
    [['--never'], undefined],
  ])('needs-page wants a page to be opened first %o', async (args, paid) => {
    const program = start('needs-page', args)
    const pay = (): Promise<Message> => program.request('tools/call', { name: 'pay', arguments: {} })
    const page = {
      mode: 'url',
      url: 'https://pay.example.test/start?order=7',
      message: 'Please pay first.',
      elicitationId: 'order-7',
    }
    const error = { code: -32042, message: 'URL elicitation required', data: { elicitations: [page] } }
    expect((await pay()).error).toEqual(error)
    expect(await program.call('visit')).toBe('visited')
    expect(program.messages().find(({ method }) => method !== undefined)).toMatchObject({
      method: 'notifications/elicitation/complete',
      params: { elicitationId: 'order-7' },
    })
    if (paid === undefined) expect((await pay()).error).toEqual(error)
    else expect((await pay()).result).toEqual({ content: [{ type: 'text', text: paid }] })
  })

  test('leaks-secret tells its token everywhere', async () => {
    const program = start('leaks-secret', [], { API_TOKEN: 'tok-123' })
    expect(await program.call('leak')).toBe('the token is tok-123')
    await program.until(() => (program.stderr === 'starting with token tok-123\n' ? true : undefined))
  })

  test('rug-pull has the tools of its file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plugboard-test-'))
    const file = join(folder, 'tools.json')
    try {
      for (const name of ['one', 'two']) {
        writeFileSync(file, JSON.stringify([{ name, inputSchema: { type: 'object' } }]))
        expect(await start('rug-pull', ['--tools', file]).call(name)).toBe(`this is ${name}`)
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('echoes-env names its variables', async () => {
    expect(await start('echoes-env', [], { ZEBRA: '1', APPLE: '2' }).call('env')).toBe('APPLE\nPATH\nZEBRA')
  })

  test('modern-only refuses initialize, and serves the modern', async () => {
    const program = start('modern-only')
    expect((await program.initialize()).error).toEqual({
      code: -32022,
      message: 'Unsupported protocol version',
      data: { supported: ['2026-07-28'], requested: '2025-11-25' },
    })
    expect((await program.request('server/discover', ENVELOPE)).result).toMatchObject({
      supportedVersions: ['2026-07-28'],
    })
    expect(await program.call('echo', { text: 'hi' }, ENVELOPE)).toBe('hi')
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0'
}

function tryJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
