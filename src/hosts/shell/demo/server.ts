/**
 * demo: an MCP server in this process, for users who have none yet and want to see one.
 *
 * in     the messages of a client, of any revision that begins with `initialize`
 * out    a few honest tools on a scratch folder, resources, a prompt, a long task with progress, a question
 * never  touches anything but the notes in its folder
 */
import { isObject } from '../../../base/is-object.ts'
import { RPC_CODES, type Params, type RequestId, type Result } from '../../../model/message.ts'
import { LEGACY_VERSIONS } from '../../../model/session.ts'
import type { BoardOptions } from '../../../runtime/board.ts'
import type { Clock, World } from '../../../world/world.ts'
import { countOf } from '../../shared/amounts.ts'
import { createNotes, isTitle, TITLE_RULE, type Notes } from './notes.ts'
import { INSTRUCTIONS, INTERVIEW, PROMPTS, STYLES, TEMPLATE, TOOLS } from './offers.ts'

export type InProcessServer = NonNullable<BoardOptions['inProcess']>[string]

type Transport = Parameters<InProcessServer['connect']>[0]

/** May be connected to any number of times. */
export function createDemoServer(
  world: Pick<World, 'files' | 'paths' | 'clock'>,
  folder: () => string,
): InProcessServer {
  return {
    async connect(transport) {
      const desk = { notes: createNotes(world, folder()), clock: world.clock }
      const line = createLine(transport)
      // A transport of MCP has no other way.
      // oxlint-disable-next-line prefer-add-event-listener
      transport.onmessage = (message: unknown) => void answer(desk, line, message)
      // oxlint-disable-next-line prefer-add-event-listener
      transport.onclose = () => line.end()
      await transport.start()
    },
  }
}

interface DemoContext {
  readonly notes: Notes
  readonly clock: Clock
}

/** One client. */
interface Line {
  send(message: object): void
  /** The client's capabilities, after `initialize`. */
  capabilities: Params
  /** Calls in progress, by the id of their request. */
  readonly running: Map<RequestId, AbortController>
  /** Sends a request to the client; undefined when the client refuses or is gone. */
  ask(method: string, params: object): Promise<Result | undefined>
  hear(id: unknown, result: Result | undefined): void
  end(): void
}

function createLine(transport: Transport): Line {
  const asked = new Map<unknown, (result: Result | undefined) => void>()
  const running = new Map<RequestId, AbortController>()
  let lastId = 0
  const send = (message: object): void => void transport.send({ jsonrpc: '2.0', ...message })
  return {
    send,
    capabilities: {},
    running,
    ask(method, params) {
      const id = `demo-${++lastId}`
      return new Promise((resolve) => {
        asked.set(id, resolve)
        send({ id, method, params })
      })
    },
    hear(id, result) {
      asked.get(id)?.(result)
      asked.delete(id)
    },
    end() {
      for (const call of running.values()) call.abort()
      for (const resolve of asked.values()) resolve(undefined)
    },
  }
}

/** An error in a request, as the protocol expresses it. */
class Fault extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

async function answer(desk: DemoContext, line: Line, message: unknown): Promise<void> {
  if (!isObject(message)) return
  const { id, method } = message
  const params = isObject(message['params']) ? message['params'] : {}
  if (typeof method !== 'string')
    return line.hear(id, isObject(message['result']) ? message['result'] : undefined)
  if (typeof id !== 'string' && typeof id !== 'number') return hearNotification(line, method, params)
  try {
    line.send({ id, result: await answerRequest(desk, line, { id, method, params }) })
  } catch (error) {
    const fault = error instanceof Fault ? error : new Fault(RPC_CODES.internalError, String(error))
    line.send({ id, error: { code: fault.code, message: fault.message } })
  }
}

function hearNotification({ running }: Line, method: string, { requestId }: Params): void {
  if (method === 'notifications/cancelled') running.get(requestId as RequestId)?.abort()
}

interface Request {
  readonly id: RequestId
  readonly method: string
  readonly params: Params
}

function answerRequest(desk: DemoContext, line: Line, request: Request): Result | Promise<Result> {
  const { method, params } = request
  switch (method) {
    case 'initialize':
      return greet(line, params)
    case 'ping':
      return {}
    case 'tools/list':
      return { tools: TOOLS }
    case 'tools/call':
      return call(desk, line, request)
    case 'resources/list':
      return { resources: desk.notes.titles().map(toResource) }
    case 'resources/templates/list':
      return { resourceTemplates: [TEMPLATE] }
    case 'resources/read':
      return readResource(desk, params)
    case 'prompts/list':
      return { prompts: PROMPTS }
    case 'prompts/get':
      return fillPrompt(desk, params)
    case 'completion/complete':
      return complete(desk, params)
    default:
      throw new Fault(RPC_CODES.methodNotFound, `there is no method ${method} here`)
  }
}

function greet(line: Line, { protocolVersion, capabilities }: Params): Result {
  line.capabilities = isObject(capabilities) ? capabilities : {}
  return {
    protocolVersion: LEGACY_VERSIONS.find((one) => one === protocolVersion) ?? LEGACY_VERSIONS[0],
    capabilities: { tools: {}, resources: { listChanged: true }, prompts: {}, completions: {} },
    serverInfo: { name: 'plugboard-demo', title: 'Plugboard demo', version: '1.0.0' },
    instructions: INSTRUCTIONS,
  }
}

async function call(desk: DemoContext, line: Line, { id, params }: Request): Promise<Result> {
  const { name, arguments: given } = params
  const args = isObject(given) ? given : {}
  const { notes } = desk
  switch (name) {
    case 'write_note':
      return writeNote(desk, line, args)
    case 'read_note': {
      const title = requireText(args, 'title')
      const text = notes.read(title)
      return text === undefined ? failed(`there is no note \`${title}\``) : said(text)
    }
    case 'list_notes': {
      const titles = notes.titles()
      return { ...said(titles.length === 0 ? 'There are no notes yet.' : titles.join('\n')) }
    }
    case 'count_slowly': {
      const controller = new AbortController()
      line.running.set(id, controller)
      try {
        return await countSlowly(desk, line, { args, params, signal: controller.signal })
      } finally {
        line.running.delete(id)
      }
    }
    case 'interview':
      return interview(desk, line)
    default:
      throw new Fault(RPC_CODES.invalidParams, `there is no tool ${JSON.stringify(name)} here`)
  }
}

function writeNote({ notes }: DemoContext, line: Line, args: Params): Result {
  const [title, text] = [requireText(args, 'title'), requireText(args, 'text')]
  if (!isTitle(title)) return failed(`a title has ${TITLE_RULE}`)
  const isNew = notes.read(title) === undefined
  if (!notes.write(title, text)) return failed(`the folder ${notes.folder} cannot be written to`)
  if (isNew) line.send({ method: 'notifications/resources/list_changed' })
  return said(`${isNew ? 'Wrote' : 'Replaced'} the note \`${title}\` (${countOf(text.length, 'character')}).`)
}

async function countSlowly(
  { clock }: DemoContext,
  line: Line,
  { args, params, signal }: { readonly args: Params; readonly params: Params; readonly signal: AbortSignal },
): Promise<Result> {
  const [total, stepMs] = [numberIn(args, 'to', 10), numberIn(args, 'stepMs', 500)]
  const meta = isObject(params['_meta']) ? params['_meta'] : {}
  const { progressToken } = meta
  for (let progress = 1; progress <= total && !signal.aborted; progress++) {
    await pause(clock, stepMs, signal)
    if (progressToken === undefined || signal.aborted) continue
    const message = `${progress} of ${total}`
    line.send({
      method: 'notifications/progress',
      params: { progressToken, progress, total, message },
    })
  }
  return signal.aborted ? failed('stopped before the end') : said(`Counted to ${total}.`)
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(ms, end)
    signal.addEventListener('abort', end)
  })
}

async function interview({ notes }: DemoContext, line: Line): Promise<Result> {
  if (!isObject(line.capabilities['elicitation']))
    return failed('this client does not let a server ask its user anything')
  const answered = await line.ask('elicitation/create', INTERVIEW)
  const content = answered?.['content']
  if (answered?.['action'] !== 'accept' || !isObject(content)) return said('The user would rather not say.')
  const lines = Object.entries(content).map(([field, value]) => `- ${field}: ${String(value)}`)
  const isNew = notes.read('interview') === undefined
  if (!notes.write('interview', `${lines.join('\n')}\n`))
    return failed(`the folder ${notes.folder} cannot be written to`)
  if (isNew) line.send({ method: 'notifications/resources/list_changed' })
  return said(`The user says:\n${lines.join('\n')}`)
}

function toResource(title: string): object {
  return { uri: uriOf(title), name: title, mimeType: 'text/markdown' }
}

function uriOf(title: string): string {
  return `note:///${encodeURIComponent(title)}`
}

function readResource({ notes }: DemoContext, params: Params): Result {
  const uri = requireText(params, 'uri')
  const title = notes.titles().find((one) => uriOf(one) === uri)
  const text = title === undefined ? undefined : notes.read(title)
  if (text === undefined) throw new Fault(RESOURCE_NOT_FOUND, `there is no resource ${uri} here`)
  return { contents: [{ uri, mimeType: 'text/markdown', text }] }
}

const RESOURCE_NOT_FOUND = -32002

function fillPrompt({ notes }: DemoContext, { name, arguments: given }: Params): Result {
  if (name !== 'summarize')
    throw new Fault(RPC_CODES.invalidParams, `there is no prompt ${JSON.stringify(name)} here`)
  const args = isObject(given) ? given : {}
  const title = requireText(args, 'title')
  const text = notes.read(title)
  if (text === undefined) throw new Fault(RPC_CODES.invalidParams, `there is no note \`${title}\``)
  const style = typeof args['style'] === 'string' && args['style'] !== '' ? args['style'] : STYLES[0]
  const words = `Summarize the note "${title}" as ${style}:\n\n${text}`
  return {
    description: `Summarizes the note "${title}".`,
    messages: [{ role: 'user', content: { type: 'text', text: words } }],
  }
}

function complete({ notes }: DemoContext, { argument }: Params): Result {
  const { name, value } = isObject(argument) ? argument : {}
  const all = name === 'title' ? notes.titles() : name === 'style' ? STYLES : []
  const begun = typeof value === 'string' ? value.toLowerCase() : ''
  const values = all.filter((one) => one.toLowerCase().startsWith(begun))
  return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } }
}

function requireText(params: Params, field: string): string {
  const value = params[field]
  if (typeof value !== 'string') throw new Fault(RPC_CODES.invalidParams, `\`${field}\` must be a text`)
  return value
}

function numberIn(params: Params, field: string, otherwise: number): number {
  const value = params[field] ?? otherwise
  if (typeof value !== 'number') throw new Fault(RPC_CODES.invalidParams, `\`${field}\` must be a number`)
  return value
}

function said(text: string): Result {
  return { content: [{ type: 'text', text }] }
}

function failed(text: string): Result {
  return { ...said(text), isError: true }
}
