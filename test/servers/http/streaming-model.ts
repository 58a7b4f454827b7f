/**
 * streaming-model: a provider on this machine that streams what a test wrote down, in the manner of Anthropic and of
 * OpenAI's chat completions; and that can fail as providers do.
 */
import type { ServerResponse } from 'node:http'
import { serve, type Received } from './loopback.ts'

/** What it was sent, as far as tests look. */
export interface ModelRequest {
  readonly system?: unknown
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
  readonly tools?: readonly object[]
}

export type Say =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'calls'; readonly text?: string; readonly calls: readonly WantedCall[] }
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** Says so much, and hangs up. */
  | { readonly kind: 'cut'; readonly text: string }
  | { readonly kind: 'garbage' }
  /** Says so much, and then nothing more. */
  | { readonly kind: 'hang'; readonly text: string }

export interface WantedCall {
  readonly name: string
  /** A text is sent as it is: it need not be JSON. */
  readonly input: object | string
}

export type Script = Say | ((request: ModelRequest) => Say)

export interface StreamingModel extends AsyncDisposable {
  readonly origin: string
  readonly requests: readonly ModelRequest[]
  /** `Authorization` or `x-api-key` of each request. */
  readonly keys: readonly (string | undefined)[]
  /** Resolves when so many requests have come. */
  until(count: number): Promise<void>
}

/** One answer for each request, in turn, whichever of the two languages it is asked in; a request too many is refused. */
export async function openStreamingModel(...script: readonly Script[]): Promise<StreamingModel> {
  const requests: ModelRequest[] = []
  const keys: (string | undefined)[] = []
  const server = await serve((received) => {
    const request = received.message as unknown as ModelRequest
    const step = script[requests.length]
    requests.push(request)
    keys.push(received.headers['authorization'] ?? (received.headers['x-api-key'] as string | undefined))
    const say = typeof step === 'function' ? step(request) : step
    answer(received, say ?? { kind: 'status', status: 400 })
  })
  return {
    origin: server.origin,
    requests,
    keys,
    until: async (count) => void (await server.until('POST', count)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** All text that the model was given as results of tools, newest last. */
export function resultsIn({ messages }: ModelRequest): readonly string[] {
  return messages.flatMap(({ role, content }) => {
    if (role === 'tool') return [typeof content === 'string' ? content : JSON.stringify(content)]
    if (!Array.isArray(content)) return []
    return content
      .filter((part: { type?: string }) => part.type === 'tool_result')
      .map((part: { content?: unknown }) => JSON.stringify(part.content))
  })
}

function answer({ path, response }: Received, say: Say): void {
  if (say.kind === 'status') {
    response.writeHead(say.status, { 'content-type': 'application/json', ...say.headers })
    response.end(JSON.stringify({ error: { type: 'scripted', message: `scripted ${say.status}` } }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (say.kind === 'garbage') return void response.end('<html>not what you asked for</html>')
  const voice = path.endsWith('/messages') ? anthropic(response) : chat(response)
  voice.begin()
  if ('text' in say && say.text !== undefined)
    for (const piece of say.text.match(/[^]{1,7}/g) ?? []) voice.text(piece)
  if (say.kind === 'calls') say.calls.forEach((call, i) => voice.call(call, i))
  if (say.kind === 'hang') return
  // Once it is all sent.
  if (say.kind === 'cut') return void response.write(': end\n\n', () => response.destroy())
  voice.end(say.kind === 'calls')
  response.end()
}

interface Voice {
  begin(): void
  text(text: string): void
  call(call: WantedCall, index: number): void
  end(wantsCalls: boolean): void
}

function argumentsOf({ input }: WantedCall): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}

function chat(response: ServerResponse): Voice {
  const send = (delta: object, finish_reason: string | null = null, more: object = {}): void => {
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'scripted', ...more }
    response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
  }
  return {
    begin: () => send({ role: 'assistant', content: '' }),
    text: (content) => send({ content }),
    call: (call, index) =>
      send({
        tool_calls: [
          {
            index,
            id: `call_${index}`,
            type: 'function',
            function: { name: call.name, arguments: argumentsOf(call) },
          },
        ],
      }),
    end(wantsCalls) {
      const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
      send({}, wantsCalls ? 'tool_calls' : 'stop', { usage })
      response.write('data: [DONE]\n\n')
    },
  }
}

function anthropic(response: ServerResponse): Voice {
  let index = -1
  let isInText = false
  const send = (type: string, more: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`)
  const open = (content_block: object): void => {
    index += 1
    send('content_block_start', { index, content_block })
  }
  const close = (): void => {
    if (index >= 0) send('content_block_stop', { index })
  }
  return {
    begin: () =>
      send('message_start', {
        message: {
          id: 'msg',
          type: 'message',
          role: 'assistant',
          model: 'scripted',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 3, output_tokens: 1 },
        },
      }),
    text(text) {
      if (!isInText) open({ type: 'text', text: '' })
      isInText = true
      send('content_block_delta', { index, delta: { type: 'text_delta', text } })
    },
    call(call, at) {
      close()
      isInText = false
      open({ type: 'tool_use', id: `toolu_${at}`, name: call.name, input: {} })
      send('content_block_delta', {
        index,
        delta: { type: 'input_json_delta', partial_json: argumentsOf(call) },
      })
    },
    end(wantsCalls) {
      close()
      const stop_reason = wantsCalls ? 'tool_use' : 'end_turn'
      send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 2 } })
      send('message_stop', {})
    },
  }
}
