/**
 * model-endpoint: a provider on this machine that says what a test wrote down, and a board for it to call.
 */
import { findOurDirs, findProject } from '../../../src/pipeline/discover/project.ts'
import { logFileOf } from '../../../src/runtime/server-logs.ts'
import type { ToolBoard } from '../../../src/hosts/adapters/offer.ts'
import { openTestBoard, serverEntry, type TestBoard } from '../../boards/open.ts'
import { allowAll } from '../../boards/permits.ts'
import { sendJson, serve } from '../../servers/http/loopback.ts'

type Body = Readonly<Record<string, unknown>>

export interface ModelEndpoint extends AsyncDisposable {
  readonly origin: string
  /** What it was sent, and where. */
  readonly requests: readonly { readonly path: string; readonly body: Body }[]
}

/** One answer for each request, in turn; a request too many is refused. */
export async function openModel(...answers: readonly object[]): Promise<ModelEndpoint> {
  const requests: { path: string; body: Body }[] = []
  const server = await serve((request) => {
    const answer = answers[requests.length]
    requests.push({ path: request.path, body: request.message as unknown as Body })
    if (answer === undefined) sendJson(request, { error: { message: 'nothing left to say' } }, 400)
    else sendJson(request, answer)
  })
  return { origin: server.origin, requests, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

export interface AdapterBoard extends TestBoard {
  /** The board, as adapters use it. */
  readonly tools: ToolBoard
  /** Resolves when the server has a call of the adapter's. */
  untilCalled(): Promise<void>
  /** Closes the board, and tells how many calls the server was told to drop. */
  countCancelled(): Promise<number>
}

/** With the tools of `test/servers/outcomes.mjs`, as `mcp__x__…`. */
export async function openOutcomes(): Promise<AdapterBoard> {
  const test = await openTestBoard({ x: serverEntry('outcomes') }, { wait: 'all', permit: allowAll })
  const { board, scratch } = test
  let tell: () => void = () => undefined
  const called = new Promise<void>((resolve) => (tell = resolve))
  return {
    ...test,
    tools: {
      tools: () => board.tools(),
      builtinTools: () => board.builtinTools(),
      call(...call) {
        const work = board.call(...call)
        tell()
        return work
      },
    },
    async untilCalled() {
      await called
      // Answered by the same process, so the call has come before.
      await board.call('mcp__x__echo', { text: 'here' })
    },
    async countCancelled() {
      await board.call('mcp__x__echo', { text: 'there' })
      await board.close()
      const { world } = scratch
      const read = world.files.read(logFileOf(world, findOurDirs(world, findProject(world)), 'x'))
      return read.kind === 'text' ? [...read.text.matchAll(/ stderr cancelled \d+$/gm)].length : 0
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  }
}

/** What a turn needs. */
export type TurnBoard = Pick<AdapterBoard, 'tools'>

/** A fork that may read what servers have, but not of `y`, and may call one tool. Both have the notes of `tells-changes`. */
export async function openNotes(): Promise<TurnBoard & AsyncDisposable> {
  const notes = serverEntry('tells-changes')
  const test = await openTestBoard({ x: notes, y: notes }, { wait: 'all' })
  const tools = test.board.fork({
    allow: ['mcp__x__touch', 'readMcpResource'],
    rules: [{ tool: 'mcp__y', action: 'deny' }],
  })
  return { tools, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() }
}

export const NOTES_TOOLS = ['mcp__x__touch', 'readMcpResource']

/** Of the fork's two, and one that it was not given: what is called, and what comes of it. */
export const NOTES_CALLS = [
  ['readMcpResource', { server: 'x', uri: 'note://one' }, 'this is note://one'],
  ['readMcpResource', { server: 'y', uri: 'note://one' }, 'policy does not allow `readMcpResource`'],
] as const

export const PNG = 'iVBORw0KGgo='

/** A call that a model of Anthropic's makes. */
export function anthropicCall(name: string, input: object = {}): object {
  return anthropicSays([{ type: 'tool_use', id: 'toolu_1', name, input }], 'tool_use')
}

export function anthropicText(text: string): object {
  return anthropicSays([{ type: 'text', text }], 'end_turn')
}

function anthropicSays(content: readonly object[], stop: string): object {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }
}

/** A call that a model makes in chat completions. */
export function chatCall(name: string, args: object | string = {}): object {
  const written = typeof args === 'string' ? args : JSON.stringify(args)
  const tool_calls = [{ id: 'call_1', type: 'function', function: { name, arguments: written } }]
  return chatSays({ role: 'assistant', content: null, tool_calls }, 'tool_calls')
}

export function chatText(content: string): object {
  return chatSays({ role: 'assistant', content }, 'stop')
}

function chatSays(message: object, finish: string): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }
}

/** A call that a model makes in responses. */
export function responseCall(name: string, args: object = {}): object {
  const written = JSON.stringify(args)
  return responseSays({
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name,
    arguments: written,
    status: 'completed',
  })
}

export function responseText(text: string): object {
  return responseSays({
    type: 'message',
    id: 'm_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  })
}

function responseSays(item: object): object {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'scripted',
    status: 'completed',
    output: [item],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  }
}
