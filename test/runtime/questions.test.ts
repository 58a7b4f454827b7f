/**
 * questions: what servers ask, how far they are, and what becomes of a call that nobody waits for any more.
 */
import { describe, expect, it } from 'vitest'
import type { Params } from '../../src/model/message.ts'
import { SessionError, type Answerer, type ClientHandlers } from '../../src/model/session.ts'
import { capabilitiesOf } from '../../src/pipeline/connect/questions.ts'
import { findOurDirs, findProject } from '../../src/pipeline/discover/project.ts'
import { ProblemError } from '../../src/problem/problem.ts'
import { logFileOf } from '../../src/runtime/server-logs.ts'
import { openTestBoard, serverEntry, type TestBoard } from '../boards/open.ts'
import { call, problemOf } from '../boards/watch.ts'
import { createObserved } from '../worlds/observed.ts'

const ERAS = ['legacy', 'modern'] as const

function open(program: string, era: string, handlers?: ClientHandlers): Promise<TestBoard> {
  return openTestBoard({ x: serverEntry(program, ...(era === 'modern' ? ['--modern'] : [])) }, { handlers })
}

async function failureOf(work: Promise<unknown>): Promise<SessionError['failure']> {
  const error: unknown = await work.catch((reason: unknown) => reason)
  if (error instanceof SessionError) return error.failure
  throw new Error(`no SessionError, but ${String(error)}`)
}

/** What the server wrote to stderr; the board must be closed. */
function stderrOf({ scratch: { world } }: TestBoard): readonly string[] {
  const read = world.files.read(logFileOf(world, findOurDirs(world, findProject(world)), 'x'))
  const lines = read.kind === 'text' ? read.text.split('\n') : []
  return lines.flatMap((line) => /^\S+ stderr (.*)$/.exec(line)?.[1] ?? [])
}

/** Something that a test settles by hand. */
function createGate<T>(): { readonly opened: Promise<T>; open(value: T): void } {
  let open: ((value: T) => void) | undefined
  const opened = new Promise<T>((resolve) => (open = resolve))
  return { opened, open: open! }
}

describe.each(ERAS)('a question of a server (%s)', (era) => {
  it('is answered by the host, forms with their defaults', async () => {
    const asked: unknown[] = []
    await using test = await open('asks-back', era, {
      elicit: async (params) => {
        asked.push(params)
        return { action: 'accept', content: { name: 'Ada' } }
      },
      sample: async (params) => {
        asked.push(params)
        return { role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'test' }
      },
      roots: async () => [{ uri: 'file:///src/shop', name: 'shop' }],
    })
    expect(JSON.parse(await call(test.board, 'x', ['ask']))).toEqual({
      elicitation: { action: 'accept', content: { name: 'Ada', greeting: 'Hello' } },
      sampling: { role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'test' },
      roots: { roots: [{ uri: 'file:///src/shop', name: 'shop' }] },
    })
    expect(asked).toEqual([
      {
        mode: 'form',
        message: 'What is your name?',
        requestedSchema: {
          type: 'object',
          properties: { name: { type: 'string' }, greeting: { type: 'string', default: 'Hello' } },
          required: ['name'],
        },
      },
      { messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }], maxTokens: 10 },
    ])
  })

  it('that was declined gets no defaults', async () => {
    await using test = await open('asks-back', era, { elicit: async () => ({ action: 'decline' }) })
    expect(JSON.parse(await call(test.board, 'x', ['ask', { only: ['elicitation'] }]))).toEqual({
      elicitation: { action: 'decline' },
    })
  })

  it('does not let the call time out while somebody thinks', async () => {
    const gate = createGate<void>()
    await using test = await open('asks-back', era, {
      elicit: async () => {
        setTimeout(gate.open, 400)
        await gate.opened
        return { action: 'accept', content: { name: 'Ada' } }
      },
    })
    const answer = call(test.board, 'x', ['ask', { only: ['elicitation'] }, { timeoutMs: 250 }])
    expect(JSON.parse(await answer)).toMatchObject({ elicitation: { action: 'accept' } })
  })

  it('is taken back when the caller gives up or the server dies', async () => {
    const seen = createObserved()
    const asked = [createGate<AbortSignal>(), createGate<AbortSignal>()]
    let round = 0
    const elicit: ClientHandlers['elicit'] = (_, { signal }) => {
      asked[round++]!.open(signal)
      return new Promise(() => undefined)
    }
    const entry = serverEntry('asks-back', ...(era === 'modern' ? ['--modern'] : []))
    await using test = await openTestBoard({ x: entry }, { handlers: { elicit }, scratch: seen })
    const ask = (signal?: AbortSignal): Promise<SessionError['failure']> =>
      failureOf(call(test.board, 'x', ['ask', { only: ['elicitation'] }, { signal }]))

    const controller = new AbortController()
    const first = ask(controller.signal)
    await asked[0]!.opened
    controller.abort()
    expect((await first).kind).toBe('aborted')

    const second = ask()
    const signal = await asked[1]!.opened
    process.kill(seen.children[0]!.pid, 'SIGKILL')
    expect(await second).toMatchObject({ kind: 'lost', wire: { kind: 'exit', signal: 'SIGKILL' } })
    expect(signal.aborted).toBe(true)
  })
})

describe.each(ERAS)('a call with a question (%s)', (era) => {
  it('ends on the server that it began on, whatever is loaded meanwhile', async () => {
    const [asked, answer] = [createGate<void>(), createGate<void>()]
    await using test = await open('asks-back', era, {
      elicit: async () => {
        asked.open()
        await answer.opened
        return { action: 'accept', content: { name: 'Ada' } }
      },
    })
    const { board, servers } = test
    const work = call(board, 'x', ['ask', { only: ['elicitation'] }])
    await asked.opened
    servers['x'] = serverEntry('echoes-env')
    expect((await board.reload()).changed).toEqual(['x'])
    await board.connect('x')
    answer.open()
    expect(JSON.parse(await work)).toMatchObject({ elicitation: { content: { name: 'Ada' } } })
  })
})

describe('a question that nobody here can answer', () => {
  it('is refused, and the server goes on (legacy)', async () => {
    await using test = await open('asks-back', 'legacy')
    const refusal = (method: string): object => ({
      error: { code: -32601, message: `this client does not answer ${method}` },
    })
    expect(JSON.parse(await call(test.board, 'x', ['ask']))).toEqual({
      elicitation: refusal('elicitation/create'),
      sampling: refusal('sampling/createMessage'),
      roots: refusal('roots/list'),
    })
  })

  it('ends the call with a clear word (modern)', async () => {
    await using test = await open('asks-back', 'modern')
    expect(await failureOf(call(test.board, 'x', ['ask', { only: ['roots'] }]))).toEqual({
      kind: 'bad-answer',
      message: 'it needs an answer to `roots/list`, and there is nobody here to give it',
    })
    expect(await call(test.board, 'x', ['echo', { text: 'well' }])).toBe('well')
  })

  it('because the host fails to is refused without its words (legacy)', async () => {
    await using test = await open('asks-back', 'legacy', {
      roots: () => Promise.reject(new Error('secret detail')),
    })
    expect(JSON.parse(await call(test.board, 'x', ['ask', { only: ['roots'] }]))).toEqual({
      roots: { error: { code: -32603, message: 'the host failed to answer' } },
    })
  })
})

describe.each(ERAS)('a call on its way (%s)', (era) => {
  it('tells how far it is', async () => {
    await using test = await open('progress', era)
    const told: Params[] = []
    const onProgress = (progress: Params): void => void told.push(progress)
    expect(await call(test.board, 'x', ['work', { steps: 2 }, { onProgress }])).toBe('worked 2 steps')
    const progressToken = expect.any(Number) as unknown
    expect(told).toEqual([
      { progressToken, progress: 1, total: 2, message: 'step 1 of 2' },
      { progressToken, progress: 2, total: 2, message: 'step 2 of 2' },
    ])
  })

  it('may take longer than its limit while there is progress', async () => {
    await using test = await open('progress', era)
    const args = { steps: 6, ms: 100 }
    const options = { timeoutMs: 350, onProgress: () => undefined }
    expect(await call(test.board, 'x', ['work', args, options])).toBe('worked 6 steps')
  })

  it('that takes too long is given up, and the server learns of it', async () => {
    await using test = await open('progress', era)
    const id = await idOf(call(test.board, 'x', ['work', { ms: 60_000 }, { timeoutMs: 100 }]), {
      kind: 'timeout',
      afterMs: 100,
    })
    // Answered by the same process, so the cancellation has come before.
    await call(test.board, 'x', ['echo'])
    await test.board.close()
    expect(stderrOf(test)).toEqual([`cancelled ${id}`])
  })

  it('that nobody wants any more is given up, and the server learns of it', async () => {
    await using test = await open('progress', era)
    const controller = new AbortController()
    const { signal } = controller
    const work = call(test.board, 'x', ['work', { ms: 60_000 }, { signal }])
    await call(test.board, 'x', ['echo'])
    controller.abort()
    const id = await idOf(work, { kind: 'aborted', wasSent: true })
    await call(test.board, 'x', ['echo'])
    await test.board.close()
    expect(stderrOf(test)).toEqual([`cancelled ${id}`])
  })

  it('that was given up before it began is not sent', async () => {
    await using test = await open('progress', era)
    const signal = AbortSignal.abort()
    expect(await failureOf(call(test.board, 'x', ['work', {}, { signal }]))).toEqual({
      kind: 'aborted',
      wasSent: false,
    })
  })

  it('has its own limit, whatever else is on its way', async () => {
    await using test = await open('well-behaved', era)
    const long = call(test.board, 'x', ['slow', { ms: 700 }, { timeoutMs: 60_000 }])
    const startedAt = Date.now()
    const short = await failureOf(call(test.board, 'x', ['slow', { ms: 60_000 }, { timeoutMs: 100 }]))
    expect(short).toEqual({ kind: 'timeout', afterMs: 100 })
    expect(Date.now() - startedAt).toBeLessThan(600)
    expect(await long).toBe('done')
  })
})

/** The id of a request that fails in this way. */
async function idOf(work: Promise<unknown>, failure: object): Promise<unknown> {
  const error = await work.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(SessionError)
  expect((error as SessionError).failure).toEqual(failure)
  return (error as SessionError).requestId
}

const PAGE = {
  mode: 'url',
  url: 'https://pay.example.test/start?order=7',
  message: 'Please pay first.',
  elicitationId: 'order-7',
}

/** Calls the tool that wants a page to be opened. */
const pay = ({ board }: TestBoard, signal?: AbortSignal): Promise<string> =>
  call(board, 'x', ['pay', {}, { signal }])

/** As the browser would. */
const visit = ({ board }: TestBoard): Promise<string> => call(board, 'x', ['visit'])

describe('a call that needs a page to be opened', () => {
  it.each([['url'], ['both']])('is sent once more when somebody went there (%s)', async (offer) => {
    const asked: Params[] = []
    const url: Answerer = async (params) => {
      asked.push(params)
      await visit(test)
      return { action: 'accept' }
    }
    await using test = await open('needs-page', 'legacy', { elicit: offer === 'url' ? { url } : url })
    expect(await pay(test)).toBe('paid, asked 2 times')
    expect(asked).toEqual([PAGE])
  })

  it('can be told by the server that somebody is done there', async () => {
    const told: string[] = []
    await using test = await open('needs-page', 'legacy', {
      elicit: {
        url: async (_, { completed }) => {
          void visit(test)
          await completed
          told.push('completed')
          return { action: 'accept' }
        },
      },
    })
    expect(await pay(test)).toBe('paid, asked 2 times')
    expect(told).toEqual(['completed'])
  })

  it('is not sent a third time, and the problem shows the page', async () => {
    let count = 0
    await using test = await openTestBoard(
      { x: serverEntry('needs-page', '--never') },
      {
        handlers: {
          elicit: async () => {
            count += 1
            return { action: 'accept' }
          },
        },
      },
    )
    expect(await problemOf(pay(test))).toMatchObject({ code: 'call/needs-page' })
    expect(count).toBe(1)
  })

  it('is not sent again when somebody declined', async () => {
    await using test = await open('needs-page', 'legacy', {
      elicit: { url: async () => ({ action: 'decline' }) },
    })
    expect(await problemOf(pay(test))).toMatchObject({ code: 'call/needs-page' })
    await visit(test)
    expect(await pay(test)).toBe('paid, asked 2 times')
  })

  it.each([
    ['nobody can be asked', undefined],
    ['only forms are offered', { form: async () => ({ action: 'accept' }) }],
  ])('says which one and what to do when %s', async (_, elicit) => {
    await using test = await open('needs-page', 'legacy', { elicit })
    const error: unknown = await pay(test).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ProblemError)
    const { problem, cause } = error as ProblemError
    expect(problem).toMatchObject({
      code: 'call/needs-page',
      message: '`x` needs you to open a page in your browser before it can do this',
      where: { server: 'x' },
      notes: [`page: ${PAGE.url}`, 'it said: "Please pay first."'],
      hints: ['look at the address, open it if you trust it, finish what it asks for, and then try again'],
    })
    // For a host that passes on what the server said.
    expect((cause as SessionError).failure).toMatchObject({
      kind: 'rpc',
      error: { code: -32042, data: { elicitations: [PAGE] } },
    })
  })

  it('is given up with its caller while somebody reads', async () => {
    const asked = createGate<AbortSignal>()
    await using test = await open('needs-page', 'legacy', {
      elicit: {
        url: (_, { signal }) => {
          asked.open(signal)
          return new Promise(() => undefined)
        },
      },
    })
    const controller = new AbortController()
    const work = failureOf(pay(test, controller.signal))
    const signal = await asked.opened
    controller.abort()
    expect(await work).toEqual({ kind: 'aborted', wasSent: false })
    expect(signal.aborted).toBe(true)
  })

  it('ends on the server that it began on, whatever is loaded meanwhile', async () => {
    const [asked, answer] = [createGate<void>(), createGate<void>()]
    await using test = await open('needs-page', 'legacy', {
      elicit: {
        url: async () => {
          await visit(test)
          asked.open()
          await answer.opened
          return { action: 'accept' }
        },
      },
    })
    const work = pay(test)
    await asked.opened
    test.servers['x'] = serverEntry('echoes-env')
    expect((await test.board.reload()).changed).toEqual(['x'])
    await test.board.connect('x')
    answer.open()
    expect(await work).toBe('paid, asked 2 times')
  })
})

describe('a host', () => {
  const answer: Answerer = async () => ({ action: 'accept' })

  it.each<[string, ClientHandlers['elicit'], object | undefined]>([
    ['forms and pages', answer, { form: { applyDefaults: true }, url: {} }],
    ['forms only', { form: answer }, { form: { applyDefaults: true } }],
    ['pages only', { url: answer }, { url: {} }],
    ['both, each by itself', { form: answer, url: answer }, { form: { applyDefaults: true }, url: {} }],
    ['neither', {}, undefined],
    ['nothing', undefined, undefined],
  ])('declares what it offers: %s', (_, elicit, elicitation) => {
    expect(capabilitiesOf({ elicit })).toEqual(elicitation === undefined ? {} : { elicitation })
  })

  it('that offers pages only refuses a form in a way that the server understands', async () => {
    await using test = await open('asks-back', 'legacy', { elicit: { url: answer } })
    expect(JSON.parse(await call(test.board, 'x', ['ask', { only: ['elicitation'] }]))).toEqual({
      elicitation: {
        error: { code: -32602, message: 'this client does not offer elicitation of mode "form"' },
      },
    })
  })
})
