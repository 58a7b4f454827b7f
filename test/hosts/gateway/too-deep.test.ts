/**
 * too-deep: messages that are nested thousands of levels deep, from a server and from a client. Each gets an answer, and
 * the gateway goes on for everybody else.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createParser } from 'eventsource-parser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LEGACY_VERSIONS, MODERN_VERSION, type Era } from '../../../src/model/session.ts'
import { serverEntry } from '../../boards/open.ts'
import { BIN, type Machine, openMachine } from '../../processes/plugboard.ts'
import { startServing, tokenOf, type ServingProcess } from '../../processes/serve.ts'

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const DEEP = 20_000

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] }
  readonly error?: { readonly code: number; readonly message: string }
}

/** Gives the message that answers a text. */
type Exchange = (text: string) => Promise<Message>

interface Client extends AsyncDisposable {
  /** Of a method and its parameters, as JSON. */
  ask(method: string, params: string): Promise<Message>
  exchange: Exchange
}

const META = `"io.modelcontextprotocol/protocolVersion":"${MODERN_VERSION}","io.modelcontextprotocol/clientCapabilities":{}`

/** With what each era has around parameters. */
function toRequest(era: Era, method: string, params: string): string {
  const inner = params.slice(1, -1)
  const meta = `"_meta":{"progressToken":7${era === 'modern' ? `,${META}` : ''}}`
  return `{"jsonrpc":"2.0","id":5,"method":"${method}","params":{${meta}${inner === '' ? '' : `,${inner}`}}}`
}

function toClient(era: Era, exchange: Exchange, close: () => Promise<void>): Client {
  return {
    exchange,
    ask: (method, params) => exchange(toRequest(era, method, params)),
    [Symbol.asyncDispose]: close,
  }
}

const GREETING = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"${LEGACY_VERSIONS[0]}","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`

async function connectHttp(era: Era, url: URL, token: string): Promise<Client> {
  let session: string | undefined
  const exchange: Exchange = async (text) => {
    const [, method] = /"method":"([^"]*)"/.exec(text) ?? []
    const [, name] = /"(?:name|uri)":"([^"]*)"/.exec(text) ?? []
    const modern = {
      'mcp-protocol-version': MODERN_VERSION,
      'mcp-method': method ?? '',
      ...(name === undefined ? {} : { 'mcp-name': name }),
    }
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(era === 'modern' ? modern : session === undefined ? {} : { 'mcp-session-id': session }),
      },
      body: text,
    })
    session ??= response.headers.get('mcp-session-id') ?? undefined
    const body = await response.text()
    if (body.startsWith('{')) return JSON.parse(body) as Message
    const messages: Message[] = []
    createParser({ onEvent: ({ data }) => messages.push(JSON.parse(data) as Message) }).feed(body)
    return messages.find((one) => one.method === undefined)!
  }
  if (era === 'legacy') await exchange(GREETING)
  return toClient(era, exchange, async () => undefined)
}

/** One exchange at a time: what is no answer is passed over. */
async function connectStdio(machine: Machine, ...flags: readonly string[]): Promise<Client> {
  const child = spawn(process.execPath, [BIN, 'serve', '--stdio', ...flags], {
    cwd: machine.project,
    env: { PATH: process.env['PATH'] ?? '', HOME: machine.home },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const closed = once(child, 'close')
  let settle: ((message: Message) => void) | undefined
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message
    if (message.method === undefined) settle?.(message)
  })
  const exchange: Exchange = (text) =>
    new Promise((resolve, reject) => {
      settle = resolve
      void closed.then(() => reject(new Error('the gateway ended')))
      child.stdin.write(`${text}\n`)
    })
  await exchange(GREETING)
  return toClient('legacy', exchange, async () => {
    child.stdin.end()
    await closed
  })
}

function openNests(): Machine {
  return openMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: { x: serverEntry('nests') } },
    '~/.config/plugboard/settings.json': { permissions: { rules: [{ tool: 'mcp__*', action: 'allow' }] } },
  })
}

const toArguments = (what: string): string => `{"name":"mcp__x__nest","arguments":{"what":"${what}"}}`

/** What a client sends, and how the answer goes. */
const FROM_CLIENTS: readonly (readonly [what: string, text: (era: Era) => string, id: unknown])[] = [
  ['a deep id', () => `{"jsonrpc":"2.0","id":${nested(DEEP)},"method":"ping"}`, null],
  [
    'deep arguments',
    (era) => toRequest(era, 'tools/call', `{"name":"mcp__x__take","arguments":{"a":${nested(DEEP)}}}`),
    5,
  ],
  [
    'deep arguments of a prompt',
    (era) => toRequest(era, 'prompts/get', `{"name":"mcp__x__deep","arguments":${nested(DEEP)}}`),
    5,
  ],
  ['a deep uri', (era) => toRequest(era, 'resources/read', `{"uri":"x://deep","more":${nested(DEEP)}}`), 5],
  [
    'a level too many',
    (era) => toRequest(era, 'tools/call', `{"name":"mcp__x__take","arguments":${nested(199)}}`),
    5,
  ],
]

async function expectRefusals(era: Era, client: Client, other: Client): Promise<void> {
  for (const [what, text, id] of FROM_CLIENTS) {
    const answer = await client.exchange(text(era))
    expect({ what, ...answer }).toMatchObject({
      id,
      error: { code: -32600, message: 'it is nested more than 200 levels deep' },
    })
    await expectWell(other)
  }
}

const FROM_SERVERS = ['structuredContent', '_meta', 'error'] as const
const BESIDE = ['log', 'progress', 'question', 'question id', 'id'] as const

async function expectFailures(client: Client, other: Client): Promise<void> {
  for (const what of FROM_SERVERS) {
    const { result } = await client.ask('tools/call', toArguments(what))
    expect({ what, ...result }).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('the answer is nested more than 200 levels deep') }],
    })
    await expectWell(other)
  }
  for (const what of BESIDE) {
    const { result } = await client.ask('tools/call', toArguments(what))
    expect({ what, ...result }).toMatchObject({ content: [{ type: 'text' }] })
    expect(result!.isError).toBeUndefined()
    await expectWell(other)
  }
  for (const [method, params] of [
    ['resources/read', '{"uri":"x://deep"}'],
    ['prompts/get', '{"name":"mcp__x__deep"}'],
  ] as const) {
    const { error } = await client.ask(method, params)
    expect(error).toMatchObject({ message: expect.stringContaining('nested more than 200 levels deep') })
    await expectWell(other)
  }
}

async function expectWell(client: Client): Promise<void> {
  // Another text each time: a call that repeats is stopped.
  const text = randomUUID()
  const { result } = await client.ask('tools/call', `{"name":"mcp__x__echo","arguments":{"text":"${text}"}}`)
  expect(result?.content).toEqual([{ type: 'text', text }])
}

describe('a gateway over HTTP', () => {
  let machine: Machine
  let serving: ServingProcess
  let token: string
  const audit = '~/audit.log'

  beforeAll(async () => {
    machine = openNests()
    // A server's log reaches those who listen without asking for anything.
    serving = await startServing(
      machine,
      '--http',
      '127.0.0.1:0',
      '--audit',
      machine.at(audit),
      '--audit-arguments',
    )
    token = tokenOf(machine)
  })
  afterAll(async () => {
    await serving[Symbol.asyncDispose]()
    machine[Symbol.dispose]()
  })

  for (const era of ['legacy', 'modern'] as const) {
    test(`refuses what a ${era} client nests too deep, and serves the other`, async () => {
      await using client = await connectHttp(era, serving.url, token)
      await using other = await connectHttp('legacy', serving.url, token)
      await expectRefusals(era, client, other)
    })

    test(`fails what a server nests too deep for a ${era} client, and serves the other`, async () => {
      await using client = await connectHttp(era, serving.url, token)
      await using other = await connectHttp('modern', serving.url, token)
      await expectFailures(client, other)
    })

    test(`audits arguments of a ${era} client that are as deep as they may be`, async () => {
      await using client = await connectHttp(era, serving.url, token)
      const { result } = await client.ask(
        'tools/call',
        `{"name":"mcp__x__take","arguments":{"a":${nested(197)}}}`,
      )
      expect(result?.content).toEqual([{ type: 'text', text: 'taken' }])
      await expectWell(client)
      expect(readFileSync(machine.at(audit), 'utf8')).toContain('"tool":"take"')
    })
  }
})

for (const flags of [['--alone'], []]) {
  test(`a gateway over stdio ${flags.join(' ')} refuses and fails what is too deep, and goes on`, async () => {
    using machine = openNests()
    await using serving =
      flags.length === 0 ? await startServing(machine, '--http', '127.0.0.1:0') : undefined
    await using client = await connectStdio(machine, ...flags)
    await using other =
      serving === undefined ? undefined : await connectHttp('legacy', serving.url, tokenOf(machine))
    await expectRefusals('legacy', client, other ?? client)
    await expectFailures(client, other ?? client)
  })
}

test('a command says what is too deep, and does not call it a bug', async () => {
  using machine = openNests()
  const run = async (...args: readonly string[]): Promise<readonly [number, string]> => {
    const { code, stdout, stderr } = await machine.run(['call', 'x', ...args])
    return [code, stdout + stderr]
  }
  for (const output of ['json', 'raw', 'text']) {
    for (const what of FROM_SERVERS) {
      const [code, said] = await run('nest', `what=${what}`, '--output', output)
      expect(said).toContain('the answer is nested more than 200 levels deep')
      expect(code).toBe(1)
    }
    const [code, said] = await run('take', `a:=${nested(DEEP)}`, '--output', output)
    expect(said).toContain('they are nested too deep: a message may have 200 levels in all')
    expect(code).toBe(2)
  }
  expect((await run('take', '--args', `{"a":${nested(DEEP)}}`))[1]).toContain('nested too deep')
})
