/**
 * call: every outcome, brought about on purpose by a real server.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ToolAbortError, type ToolResult } from '../../src/model/outcome.ts'
import type { Permission, Permit, ToolToCall, WantedCall } from '../../src/model/permission.ts'
import type { Params } from '../../src/model/message.ts'
import { findOurDirs, findProject } from '../../src/pipeline/discover/project.ts'
import type { CallOptions } from '../../src/runtime/call-tool.ts'
import { logFileOf } from '../../src/runtime/server-logs.ts'
import { openTestBoard, serverEntry, type TestBoard, type TestOptions } from '../boards/open.ts'
import { allowAll, allowChanged, denyAll } from '../boards/permits.ts'
import { problemOf, untilState } from '../boards/watch.ts'
import { sendJson, sendResult, serve, type Received } from '../servers/http/loopback.ts'
import { createScratch, type Scratch } from '../worlds/scratch.ts'

const ERAS = ['legacy', 'modern'] as const

function open(
  program: string,
  { era = 'legacy', entry = {}, ...options }: TestOptions & { era?: string; entry?: object } = {},
): Promise<TestBoard> {
  const server = serverEntry(program, ...(era === 'modern' ? ['--modern'] : []))
  return openTestBoard({ x: { ...server, ...entry } }, { permit: allowAll, ...options })
}

function call(
  { board }: TestBoard,
  tool: string,
  args: Params = {},
  options?: CallOptions,
): Promise<ToolResult> {
  return board.call({ server: 'x', tool }, args, options)
}

const ALLOWED: Permission = { kind: 'allowed', isUnchanged: true }

/** The parts that tell what became of it. */
function gist({ outcome, code, text, problem }: ToolResult): object {
  return { outcome, code, text, problem: problem?.code }
}

async function abortOf(work: Promise<unknown>): Promise<ToolAbortError> {
  const error: unknown = await work.catch((reason: unknown) => reason)
  if (error instanceof ToolAbortError) return error
  throw new Error(`not aborted, but ${String(error)}`)
}

/** What the server wrote to stderr; the board must be closed. */
function stderrOf({ scratch: { world } }: TestBoard): readonly string[] {
  const read = world.files.read(logFileOf(world, findOurDirs(world, findProject(world)), 'x'))
  const lines = read.kind === 'text' ? read.text.split('\n') : []
  return lines.flatMap((line) => /^\S+ stderr (.*)$/.exec(line)?.[1] ?? [])
}

describe.each(ERAS)('an outcome (%s)', (era) => {
  it('done: the whole result, for a model and as it came', async () => {
    await using test = await open('outcomes', { era })
    const result = await test.board.call('mcp__x__echo', { text: 'hello' })
    expect(result).toEqual({
      outcome: 'done',
      text: 'hello',
      isError: false,
      media: [],
      content: [{ type: 'text', text: 'hello' }],
      result: {
        content: [{ type: 'text', text: 'hello' }],
        ...(era === 'modern' ? { resultType: 'complete' } : {}),
      },
      details: {
        serverName: 'x',
        mcpToolName: 'echo',
        name: 'mcp__x__echo',
        label: 'mcp:x via Plugboard',
      },
      durationMs: expect.any(Number) as number,
    })
  })

  it('tool-error: the tool says that it went wrong', async () => {
    await using test = await open('outcomes', { era })
    const result = await call(test, 'fails')
    expect(gist(result)).toEqual({ outcome: 'tool-error', text: 'Error: it went wrong' })
    expect(result.isError).toBe(true)
  })

  it('failed: the server answered with an error', async () => {
    await using test = await open('outcomes', { era })
    expect(gist(await call(test, 'refuses'))).toEqual({
      outcome: 'failed',
      problem: 'call/failed',
      text: 'MCP error: `x.refuses` failed: the server answered with error -32000\nit said: "no luck"',
    })
  })

  it('not-sent: the arguments do not fit', async () => {
    await using test = await open('outcomes', { era })
    expect(gist(await call(test, 'strict', { titel: 'a', count: 0 }))).toEqual({
      outcome: 'not-sent',
      code: 'bad-arguments',
      problem: 'call/bad-arguments',
      text: [
        'Error: the arguments do not fit `x.strict`, so it was not called',
        '`title` is missing: it must be text; did you mean it by `titel`?',
        '`titel` is not known; did you mean `title`?',
        '`count` must be at least 1, but is `0`',
        'correct the arguments and call it again',
      ].join('\n'),
    })
  })

  it('unknown: sent, and no answer came in time', async () => {
    await using test = await open('outcomes', { era })
    const result = await call(test, 'hangs', {}, { timeoutMs: 100 })
    expect(gist(result)).toMatchObject({ outcome: 'unknown', problem: 'call/timeout' })
    expect(result.text).toMatch(
      /^MCP error: `x.hangs` was called and did not answer: no word for 100 ms\nit may have happened/,
    )
  })

  it('aborted: the server is told, and whoever waits is told that it was sent', async () => {
    await using test = await open('outcomes', { era })
    const controller = new AbortController()
    const work = abortOf(call(test, 'hangs', {}, { signal: controller.signal }))
    // Answered by the same process, so the call has come before.
    await call(test, 'echo', { text: 'here' })
    controller.abort()
    const error = await work
    expect({ wasSent: error.wasSent, outcome: error.result.outcome }).toEqual({
      wasSent: true,
      outcome: 'aborted',
    })
    await call(test, 'echo', { text: 'there' })
    await test.board.close()
    expect(stderrOf(test)).toEqual([expect.stringMatching(/^cancelled \d+$/)])
  })

  it('aborted: before anything was sent', async () => {
    await using test = await open('outcomes', { era })
    const error = await abortOf(call(test, 'echo', { text: 'a' }, { signal: AbortSignal.abort() }))
    expect(error.wasSent).toBe(false)
    expect(error.message).toBe('the call of `x.echo` was aborted before it was sent')
  })

  it('aborted: in the same breath, where nobody had to be asked: it was sent, and the server is told', async () => {
    await using test = await open('outcomes', { era, permit: () => ALLOWED })
    const controller = new AbortController()
    const work = abortOf(call(test, 'hangs', {}, { signal: controller.signal }))
    controller.abort()
    expect((await work).wasSent).toBe(true)
    await call(test, 'echo', { text: 'there' })
    await test.board.close()
    expect(stderrOf(test)).toEqual([expect.stringMatching(/^cancelled \d+$/)])
  })

  it('progress is told, and keeps a call alive beyond its limit', async () => {
    await using test = await open('progress', { era })
    const told: unknown[] = []
    const onProgress = ({ progress, total, message }: Params): void =>
      void told.push([progress, total, message])
    const result = await call(test, 'work', { steps: 6, ms: 100 }, { timeoutMs: 350, onProgress })
    expect(result.text).toBe('worked 6 steps')
    expect(told).toHaveLength(6)
    expect(told[0]).toEqual([1, 6, 'step 1 of 6'])
  })
})

describe('not-sent', () => {
  it('denied: nobody is asked who did not say that anything is allowed', async () => {
    await using test = await openTestBoard({ x: serverEntry('outcomes') })
    expect(gist(await call(test, 'echo', { text: 'a' }))).toMatchObject({
      outcome: 'not-sent',
      code: 'denied',
      text: expect.stringMatching(
        /^Error: `x\.echo` needs your permission, and nobody can be asked here\n.*plugboard permissions allow mcp__x__echo/s,
      ),
    })
  })

  it('denied: the one who decides gets what the call is about', async () => {
    const asked: [ToolToCall, WantedCall][] = []
    await using test = await open('outcomes', { permit: denyAll(asked) })
    const result = await call(test, 'echo', { text: 'a' }, { who: 'person' })
    expect(gist(result)).toMatchObject({ code: 'denied', text: 'Error: policy does not allow it' })
    expect(asked).toHaveLength(1)
    const [target, wanted] = asked[0]!
    expect(target).toMatchObject({ server: 'x', tool: 'echo', name: 'mcp__x__echo' })
    expect(target.definition).toMatchObject({ name: 'echo', annotations: { readOnlyHint: true } })
    expect(wanted).toEqual({ args: { text: 'a' }, who: 'person', signal: undefined })
  })

  it('takes its time, which is not that of the call, whether it answers at once or later', async () => {
    let answer: () => ReturnType<Permit> = () => ALLOWED
    let passed = 0
    const scratch = createScratch()
    const { clock } = scratch.world
    const world = { ...scratch.world, clock: { ...clock, now: () => clock.now() + passed } }
    await using test = await open('outcomes', {
      scratch: { ...scratch, world },
      permit: () => {
        passed += 3_600_000
        return answer()
      },
    })
    expect((await call(test, 'echo', { text: 'a' })).durationMs).toBeLessThan(60_000)
    answer = () => Promise.resolve(ALLOWED)
    expect((await call(test, 'echo', { text: 'a' })).durationMs).toBeLessThan(60_000)
  })

  it('aborted while somebody thinks about the question', async () => {
    const controller = new AbortController()
    await using test = await open('outcomes', {
      permit: () => {
        controller.abort()
        return new Promise(() => {})
      },
    })
    const error = await abortOf(call(test, 'echo', { text: 'a' }, { signal: controller.signal }))
    expect(error.wasSent).toBe(false)
  })

  it('unknown-tool: the nearest is named', async () => {
    await using test = await open('outcomes')
    expect(gist(await test.board.call('mcp__x__ecko'))).toEqual({
      outcome: 'not-sent',
      code: 'unknown-tool',
      problem: 'call/unknown-tool',
      text: 'Error: no tool is named `mcp__x__ecko`\ndid you mean `mcp__x__echo`?\nto see every tool, run `plugboard tools`',
    })
    expect((await call(test, 'ecko')).text).toBe(
      'Error: `x` has no tool `ecko`\ndid you mean `echo`?\nto see its tools, run `plugboard tools x`',
    )
  })

  it('unknown-tool: servers whose tools nobody knows are named', async () => {
    await using test = await openTestBoard(
      { x: serverEntry('outcomes'), y: { command: 'no-such-program' } },
      { permit: allowAll },
    )
    const { problem } = await test.board.call('mcp__y__do')
    expect(problem?.notes).toEqual(['not connected, so that their tools are not known: y'])
    expect(problem?.hints).toEqual(['to see every tool, run `plugboard tools`'])
  })

  it('bad-arguments: a text in place of an object, and nobody is asked about it', async () => {
    const asked: [ToolToCall, WantedCall][] = []
    await using test = await open('outcomes', { permit: denyAll(asked) })
    const result = await test.board.call('mcp__x__echo', () => '["text"')
    expect(gist(result)).toMatchObject({ outcome: 'not-sent', code: 'bad-arguments' })
    expect(result.problem?.notes).toEqual(['the arguments are no JSON object, but: ["text"'])
    const builtin = await test.board.call('listMcpResources', () => [])
    expect(gist(builtin)).toMatchObject({ outcome: 'not-sent', code: 'bad-arguments' })
    expect(asked).toEqual([])
  })

  it('unknown-tool: one that is in quarantine says why', async () => {
    await using test = await open('bad-tools')
    const { quarantined } = test.board.snapshot().servers[0]!.offering!
    const { name, reason } = quarantined.find((one) => one.kind === 'tool' && !one.name.startsWith('#'))!
    expect((await call(test, name)).problem?.message).toBe(`\`x.${name}\` cannot be used: ${reason}`)
  })

  it('not-connected: with the reason why it cannot be', async () => {
    await using test = await openTestBoard({ x: { command: 'no-such-program' } }, { permit: allowAll })
    const result = await call(test, 'echo')
    expect(gist(result)).toMatchObject({
      outcome: 'not-sent',
      code: 'not-connected',
      problem: 'connect/spawn',
    })
    expect(result.text).toMatch(/^MCP error: Failed to connect to "x": its command was not found\n/)
  })

  it('not-connected: a server that is switched off says how to switch it on', async () => {
    await using test = await open('outcomes', { entry: { enabled: false } })
    const message = 'Server "x" is disabled. Run /mcp enable x first.'
    expect((await call(test, 'echo')).text).toMatch(new RegExp(`^MCP error: ${message}\n`))
    expect((await test.board.call('mcp__x__echo')).problem?.message).toBe(message)
    expect((await problemOf(test.board.connect('x'))).message).toBe(message)
  })

  it('not-connected: no such server', async () => {
    await using test = await open('outcomes')
    const result = await test.board.call({ server: 'xx', tool: 'echo' })
    expect(gist(result)).toMatchObject({ code: 'not-connected', problem: 'connect/unknown-server' })
  })

  it('not-connected: not ready within the limit of the call', async () => {
    await using test = await open('slow-start', { wait: 'moment' })
    const result = await call(test, 'echo', {}, { timeoutMs: 50 })
    expect(gist(result)).toMatchObject({ code: 'not-connected', problem: 'connect/not-ready' })
  })

  it('loop-guard: the same answer to the same arguments, three times in a row', async () => {
    await using test = await open('outcomes')
    const echo = (text: string): Promise<ToolResult> => call(test, 'echo', { text })
    for (let i = 0; i < 3; i++) expect((await echo('a')).outcome).toBe('done')
    expect(gist(await echo('a'))).toEqual({
      outcome: 'not-sent',
      code: 'loop-guard',
      problem: 'call/loop',
      text: [
        'Error: `x.echo` gave the same answer to the same arguments 3 times in a row, so it was not called again',
        'change the arguments, use another tool, or go on with the answer there is',
      ].join('\n'),
    })
    expect((await echo('b')).outcome).toBe('done')
    expect((await echo('a')).outcome).toBe('done')
  })

  it('loop-guard: can be switched off', async () => {
    await using test = await open('outcomes', { loopLimit: 0 })
    for (let i = 0; i < 5; i++) expect((await call(test, 'echo', { text: 'a' })).outcome).toBe('done')
  })
})

describe('a connection that drops after the call was sent', () => {
  async function drop(
    tool: string,
    options: TestOptions & { times?: number } = {},
  ): Promise<[ToolResult, string[]]> {
    const { times = 1, ...rest } = options
    const scratch: Scratch = createScratch()
    const log = join(scratch.project, 'calls')
    await using test = await openTestBoard(
      { x: serverEntry('drops-calls', '--log', log, '--times', String(times)) },
      { permit: allowAll, scratch, ...rest },
    )
    const result = await call(test, tool)
    return [result, readFileSync(log, 'utf8').trim().split('\n')]
  }

  it('leaves it unknown, and it is not sent again', async () => {
    const [result, received] = await drop('drop')
    expect(gist(result)).toMatchObject({ outcome: 'unknown', problem: 'call/lost' })
    expect(result.text).toMatch(
      /^MCP error: `x.drop` was called and did not answer: the process exited with code 1/,
    )
    expect(received).toEqual(['drop'])
  })

  it.each(['drop_idempotent', 'drop_readonly'])(
    'is tried once more when that does no harm: %s',
    async (tool) => {
      const [result, received] = await drop(tool)
      expect(gist(result)).toEqual({ outcome: 'done', text: 'call 2' })
      expect(received).toEqual([tool, tool])
    },
  )

  it('is tried once more, and no oftener', async () => {
    const [result, received] = await drop('drop_idempotent', { times: 9 })
    expect(result.outcome).toBe('unknown')
    expect(received).toHaveLength(2)
  })

  it('is not tried again when the tool is not what was approved, whatever it says of itself', async () => {
    const [result, received] = await drop('drop_idempotent', { permit: allowChanged })
    expect(result.outcome).toBe('unknown')
    expect(received).toEqual(['drop_idempotent'])
  })
})

describe('a call to a server that is not there', () => {
  it('waits until it is', async () => {
    await using test = await open('slow-start', { wait: 'moment', entry: {} })
    expect((await call(test, 'echo', { text: 'late' })).text).toBe('late')
  })

  it('connects one that nobody asked for yet', async () => {
    await using test = await open('outcomes', { only: [] })
    expect((await call(test, 'echo', { text: 'woken' })).text).toBe('woken')
  })

  it('is asked about, and made, with what the server has now, not with what is remembered of it', async () => {
    const scratch = createScratch()
    const entry = serverEntry('shifts-tools', '--count', join(scratch.project, 'starts'))
    const seen: unknown[] = []
    await using test = await openTestBoard(
      { x: entry },
      {
        scratch,
        permit: ({ definition }) => {
          seen.push(definition['description'])
          return allowAll({} as ToolToCall, {} as WantedCall)
        },
      },
    )
    await call(test, 'work')
    await test.board.disconnect('x')
    expect((await call(test, 'work')).text).toBe('start 2')
    expect(seen).toEqual(['Start 1.', 'Start 2.'])
  })

  it('comes back by itself after a drop', async () => {
    await using test = await openTestBoard(
      { x: serverEntry('crashes-after', '--requests', '4') },
      { permit: allowAll },
    )
    // The probe, the handshake and the list were three: this answer is the last.
    expect((await call(test, 'echo', { text: 'a' })).text).toBe('a')
    await untilState(test.board, 'x', 'waiting')
    expect((await call(test, 'echo', { text: 'b' })).text).toBe('b')
  })
})

describe('a tool that changes while somebody thinks', () => {
  async function changed(during: (test: TestBoard) => Promise<unknown>): Promise<ToolResult> {
    const scratch = createScratch()
    const entry = serverEntry('shifts-tools', '--count', join(scratch.project, 'starts'))
    await using test: TestBoard = await openTestBoard(
      { x: entry },
      {
        scratch,
        permit: async () => {
          await during(test)
          return { kind: 'allowed', isUnchanged: true }
        },
      },
    )
    return await call(test, 'work')
  }

  it('is not called with the permission of the other', async () => {
    const result = await changed(({ board }) => board.restart('x'))
    expect(gist(result)).toEqual({
      outcome: 'not-sent',
      code: 'denied',
      problem: 'call/changed',
      text: [
        'Error: `x.work` is not what it was when this call was allowed, so it was not called',
        'look at the tool again, and call it again if it is still what you want',
      ].join('\n'),
    })
  })

  it('is not called when its server has become another', async () => {
    const result = await changed(({ board, servers }) => {
      servers['x'] = serverEntry('well-behaved')
      return board.reload()
    })
    expect(gist(result)).toMatchObject({ outcome: 'not-sent', code: 'denied', problem: 'call/changed' })
  })

  it('is called when it is the same again', async () => {
    await using test: TestBoard = await open('outcomes', {
      permit: async () => {
        await test.board.restart('x')
        return { kind: 'allowed', isUnchanged: true }
      },
    })
    expect((await call(test, 'echo', { text: 'a' })).text).toBe('a')
  })
})

describe('calls beside each other', () => {
  it('are independent: one that hangs or fails is alone with it', async () => {
    await using test = await open('outcomes')
    const hangs = call(test, 'hangs', {}, { timeoutMs: 500 })
    const all = await Promise.all([
      call(test, 'busy'),
      call(test, 'busy', { ms: 60 }),
      call(test, 'refuses'),
      call(test, 'fails'),
      call(test, 'echo', { text: 'a' }),
    ])
    expect(all.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'failed', 'tool-error', 'done'])
    expect([all[0]!.text, all[1]!.text]).toEqual(['2', '2'])
    expect((await hangs).outcome).toBe('unknown')
  })

  it('come one after the other where the server takes one at a time', async () => {
    await using test = await open('outcomes', { entry: { supportsParallelCalls: false } })
    const all = await Promise.all([1, 2, 3, 4].map((ms) => call(test, 'busy', { ms: 30 + ms })))
    expect(all.map(({ text }) => text)).toEqual(['1', '1', '1', '1'])
  })

  it('in a queue can be given up, and those behind go on', async () => {
    await using test = await open('outcomes', { entry: { supportsParallelCalls: false } })
    const controller = new AbortController()
    const first = call(test, 'busy', { ms: 100 })
    const second = abortOf(call(test, 'busy', { ms: 101 }, { signal: controller.signal }))
    const third = call(test, 'busy', { ms: 10 })
    controller.abort()
    expect((await second).wasSent).toBe(false)
    expect([(await first).text, (await third).text]).toEqual(['1', '1'])
  })

  it('in a queue go on after one that failed', async () => {
    await using test = await open('outcomes', { entry: { supportsParallelCalls: false } })
    const all = await Promise.all([call(test, 'refuses'), call(test, 'busy', { ms: 1 })])
    expect(all.map(({ outcome }) => outcome)).toEqual(['failed', 'done'])
  })
})

describe('over HTTP', () => {
  const HELLO = {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'test', version: '1' },
  }
  const TOOL = { name: 'do', inputSchema: { type: 'object' } }

  /** Answers everything but calls, which are answered as the test says. */
  function answer(onCall: (request: Received) => void): (request: Received) => void {
    return (request) => {
      const method = request.message?.method
      if (request.method !== 'POST') request.response.writeHead(405).end()
      else if (method === 'initialize') sendResult(request, HELLO)
      else if (method === 'tools/list') sendResult(request, { tools: [TOOL] })
      else if (method === 'tools/call') onCall(request)
      else if (method === 'server/discover')
        sendJson(
          request,
          { jsonrpc: '2.0', id: request.message.id, error: { code: -32601, message: 'no' } },
          404,
        )
      else sendResult(request)
    }
  }

  async function callOver(onCall: (request: Received) => void): Promise<[ToolResult, number]> {
    await using server = await serve(answer(onCall))
    await using test = await openTestBoard({ x: { type: 'http', url: server.url } }, { permit: allowAll })
    const result = await call(test, 'do')
    return [result, server.received.filter(({ message }) => message?.method === 'tools/call').length]
  }

  it.each([
    ['turned down', 413, 'failed', 'call/failed', 1],
    ['broken', 502, 'unknown', 'call/lost', 1],
  ])('a request that is %s (%i) is %s', async (_, status, outcome, code, times) => {
    const [result, count] = await callOver(({ response }) => void response.writeHead(status).end('sorry'))
    expect([result.outcome, result.problem?.code, count]).toEqual([outcome, code, times])
  })

  it.each([401, 403, 404])(
    'one whose answer breaks off, and is refused later with %i, is unknown',
    async (status) => {
      let isRunning = false
      const usual = answer((request) => {
        isRunning = true
        request.response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end('id: e1\nretry: 1\ndata: \n\n')
      })
      await using server = await serve((request) => {
        // It was restarted: neither the session nor the call is known to it.
        if (request.method === 'GET' && isRunning) request.response.writeHead(status).end()
        else {
          request.response.setHeader('mcp-session-id', 's')
          usual(request)
        }
      })
      await using test = await openTestBoard({ x: { type: 'http', url: server.url } }, { permit: allowAll })
      const result = await call(test, 'do')
      const count = server.received.filter(({ message }) => message?.method === 'tools/call').length
      expect([result.outcome, result.problem?.code, count]).toEqual(['unknown', 'call/lost', 1])
    },
  )

  it('one that is not found is not sent again to a server that has no sessions', async () => {
    const [result, count] = await callOver(({ response }) => void response.writeHead(404).end('sorry'))
    expect([result.outcome, count]).toEqual(['failed', 1])
  })

  it('one that is cut off without an answer is unknown, and not sent again', async () => {
    const [result, count] = await callOver(({ response }) => void response.socket!.destroy())
    expect([result.outcome, count]).toEqual(['unknown', 1])
  })

  it('a sign-in that is wanted is tried for once more, and then said', async () => {
    let isSignedOut = false
    const onCall = ({ response }: Received): void => {
      isSignedOut = true
      response.writeHead(401).end()
    }
    const usual = answer(onCall)
    await using server = await serve((request) =>
      isSignedOut ? void request.response.writeHead(401).end() : usual(request),
    )
    await using test = await openTestBoard({ x: { type: 'http', url: server.url } }, { permit: allowAll })
    const result = await call(test, 'do')
    expect(gist(result)).toMatchObject({
      outcome: 'not-sent',
      code: 'not-connected',
      problem: 'connect/needs-auth',
    })
  })
})

describe('what the model gets', () => {
  it('is every kind of content in order, with media beside it and nothing that a terminal obeys', async () => {
    await using test = await open('outcomes')
    const { text, media, structuredContent, content } = await call(test, 'mixed')
    expect(text).toBe(
      [
        'first red',
        '[image: image/png, 8 bytes]',
        '[audio: audio/wav, 4 bytes]',
        '[resource link "a.txt": file:///a.txt, text/plain] A file.',
        '[resource: file:///b.txt]',
        'inside b',
        '[resource: file:///c.pdf] application/pdf, 4 bytes, not text',
        '[content of type "hologram"] {"type":"hologram","depth":3}',
        'last',
      ].join('\n'),
    )
    expect(media).toEqual([
      { kind: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
      { kind: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' },
    ])
    expect(structuredContent).toEqual({ n: 1 })
    expect(content).toHaveLength(8)
  })

  it('is the structured content where there is nothing else', async () => {
    await using test = await open('outcomes')
    expect((await call(test, 'structured')).text).toBe('{"answer":42}')
  })

  it('is a preview of what is too long, and where the whole is', async () => {
    await using test = await open('outcomes')
    const { text, details } = await call(test, 'big')
    expect(text.length).toBeLessThan(10_000)
    expect(text).toMatch(
      /^x+\n\n\[… \d+ characters are left out here; the output has about 50002 tokens, all of it is in /,
    )
    expect(text.endsWith('\nthe end')).toBe(true)
    const { files } = test.scratch.world
    expect(files.read(details.savedTo!)).toEqual({ kind: 'text', text: `${'x'.repeat(200_000)}\nthe end` })
    expect(files.mode(details.savedTo!)).toBe(0o600)
    expect(text).toContain(details.savedTo)
  })

  it('is whole where the host wants no limit', async () => {
    await using test = await open('outcomes', { maxResultTokens: 0 })
    expect((await call(test, 'big')).text).toHaveLength(200_008)
  })
})

describe('arguments', () => {
  it('may be made for the tool, once it is known', async () => {
    await using test = await open('outcomes')
    const result = await test.board.call('mcp__x__echo', ({ inputSchema }) => ({
      text: Object.keys(inputSchema['properties'] as object).join(),
    }))
    expect(result.text).toBe('text')
  })

  it('are checked against the schema as the server sent it', async () => {
    await using test = await open('outcomes')
    const result = await call(test, 'strict', { title: 'a', tags: ['b'], options: { c: 1 } })
    expect(JSON.parse(result.text)).toEqual({ title: 'a', tags: ['b'], options: { c: 1 } })
  })
})

describe('a call that a server asks back about (modern)', () => {
  it('counts as sent when it is given up between two rounds', async () => {
    const controller = new AbortController()
    await using test = await open('asks-back', {
      era: 'modern',
      handlers: {
        elicit: () => {
          controller.abort()
          return new Promise(() => {})
        },
      },
    })
    const error = await abortOf(call(test, 'ask', { only: ['elicitation'] }, { signal: controller.signal }))
    expect(error.wasSent).toBe(true)
  })

  it('has failed when the host cannot answer', async () => {
    const elicit = (): Promise<never> => Promise.reject(new Error('secret detail'))
    await using test = await open('asks-back', { era: 'modern', handlers: { elicit } })
    expect(gist(await call(test, 'ask', { only: ['elicitation'] }))).toMatchObject({
      outcome: 'failed',
      text: 'MCP error: `x.ask` failed: it needs an answer to `elicitation/create`, and the host failed to give it',
    })
  })
})

describe('the limit of its server', () => {
  it('holds for a call, and for a request whose limit is said to be undefined', async () => {
    await using test = await open('outcomes', { entry: { timeout: 1000 } })
    const request = test.board.request('x', 'tools/call', { name: 'hangs' }, { timeoutMs: undefined })
    const [result] = await Promise.all([
      call(test, 'hangs'),
      expect(request).rejects.toThrow('no answer within 1000 ms'),
    ])
    expect(result).toMatchObject({ outcome: 'unknown', problem: { code: 'call/timeout' } })
  })
})
