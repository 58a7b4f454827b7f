/**
 * bridge: connects the client on our stdin to a running gateway (`plugboard serve --stdio`).
 *
 * in     lines of the client
 * out    lines of the gateway; when it goes away, those of the next gateway, or of one in this process
 * never  repeats a request that may have been carried out: the client gets an error that says so
 */
import type { Socket } from 'node:net'
import { GREETING_MS, NO_GREETING, type Word } from '../visit.ts'
import { createWriter, type Held } from './terminal-facts.ts'
import { findSocket, readLines, toFrom } from './visit.ts'

/** How long the next gateway may take to appear: one stops, and another starts. */
const PATIENCE_MS = 5000

const LOOK_MS = 100

/** What serves the client: a gateway, or this process. */
interface Server {
  /** The source of its lines. The server is not read while the client does not read. */
  readonly from: Held
  write(line: string): void
  /** The client is gone. */
  end(): void
}

interface ServerListener {
  onLine(line: string): void
  onGone(): void
}

export function bridgeGateway(version: string, alone: () => void): void {
  void (async () => {
    const memory = new Memory()
    const client = new Client(memory)
    const server = await tryVisit(version, client)
    if (server === undefined) return alone()
    client.begin(server, () => findNext(version, client))
  })()
}

/** The next gateway, or a server for this client alone. */
async function findNext(version: string, listener: ServerListener): Promise<Server> {
  for (const giveUpAt = Date.now() + PATIENCE_MS; Date.now() < giveUpAt;) {
    const server = await tryVisit(version, listener)
    if (server !== undefined) return server
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return startAlone(listener)
}

/** Undefined: no gateway runs, or the gateway refuses this client. */
function tryVisit(version: string, listener: ServerListener): Promise<Server | undefined> {
  const path = findSocket()
  const from = toFrom()
  if (path === undefined || from === undefined) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const socket: Socket = process.getBuiltinModule('node:net').connect(path)
    let isWelcome = false
    const timer = setTimeout(() => {
      process.stderr.write(`note: ${NO_GREETING}\n`)
      socket.destroy()
    }, GREETING_MS)
    readLines(socket, (line) => {
      if (isWelcome) return listener.onLine(line)
      clearTimeout(timer)
      const word = JSON.parse(line) as Word
      if (word.say === 'hello') return
      if (word.say === 'alone' && word.why !== undefined) process.stderr.write(`note: ${word.why}\n`)
      isWelcome = word.say === 'welcome'
      if (!isWelcome) return void socket.destroy()
      resolve({
        from: socket,
        write: (text) => void socket.write(`${text}\n`),
        end: () => void socket.end(),
      })
    })
    socket.on('connect', () => {
      socket.write(`${JSON.stringify({ version, wants: { kind: 'mcp', ...from } })}\n`)
    })
    // The `close` event reports it.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      return isWelcome ? listener.onGone() : resolve(undefined)
    })
  })
}

function startAlone(listener: ServerListener): Server {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const child = spawn(process.execPath, [process.argv[1]!, 'serve', '--stdio', '--alone'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  readLines(child.stdout, (line) => listener.onLine(line))
  child.stdin.on('error', () => undefined)
  child.on('error', () => process.exit(1))
  child.on('exit', (code) => process.exit(code ?? 1))
  return {
    from: child.stdout,
    write: (text) => void child.stdin.write(`${text}\n`),
    end: () => void child.stdin.end(),
  }
}

/** The client, through our stdin and stdout. */
class Client implements ServerListener {
  readonly #memory: Memory
  readonly #out = createWriter()
  #server: Server | undefined
  #findNext: (() => Promise<Server>) | undefined
  /** Lines that came while no server was connected. */
  #kept: string[] = []
  #hasLeft = false

  constructor(memory: Memory) {
    this.#memory = memory
  }

  begin(server: Server, findNext: () => Promise<Server>): void {
    this.#server = server
    this.#findNext = findNext
    this.#out.holdInput(server.from)
    readLines(process.stdin, (line) => this.#pass(line))
    process.stdin.on('end', () => {
      this.#hasLeft = true
      if (this.#server === undefined) process.exit()
      this.#server.end()
    })
  }

  onLine(line: string): void {
    if (!this.#memory.isForUs(line)) this.#out.write(1, `${line}\n`)
  }

  onGone(): void {
    if (this.#hasLeft) process.exit()
    this.#server = undefined
    for (const line of [...this.#memory.takeQuestions(), ...this.#memory.takeUnanswered()])
      this.#out.write(1, `${line}\n`)
    void this.#goOn()
  }

  async #goOn(): Promise<void> {
    const server = await this.#findNext!()
    this.#out.holdInput(server.from)
    for (const line of this.#memory.takeGreeting()) server.write(line)
    // What the client knows from the previous server need not be true of this one.
    if (this.#memory.hasGreeted) for (const line of CHANGES) this.#out.write(1, `${line}\n`)
    this.#server = server
    const kept = this.#kept
    this.#kept = []
    for (const line of kept) this.#pass(line)
    if (this.#hasLeft) server.end()
  }

  #pass(line: string): void {
    if (line.trim() === '') return
    if (this.#server === undefined) return void this.#kept.push(line)
    this.#memory.note(line)
    this.#server.write(line)
  }
}

const CHANGES = ['tools', 'resources', 'prompts'].map((list) =>
  JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }),
)

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly uri?: string }
}

/** What the next server must be sent, and which responses the client still waits for. */
class Memory {
  /** By subject: a later message replaces an earlier one. */
  readonly #lasting = new Map<string, string>()
  /** As JSON. */
  readonly #unanswered = new Set<string>()
  /** Requests of the server that the client has not answered yet, as JSON. */
  readonly #questions = new Set<string>()
  /** Requests that this process sent itself: their responses are not for the client. */
  readonly #ours = new Set<string>()

  get hasGreeted(): boolean {
    return this.#lasting.has('initialize')
  }

  note(line: string): void {
    const { id, method, params } = tryParse(line)
    // Any other id is invalid: the gateway says so.
    const key = typeof id === 'string' || typeof id === 'number' ? JSON.stringify(id) : undefined
    if (method === undefined) return key === undefined ? undefined : void this.#questions.delete(key)
    if (key !== undefined) this.#unanswered.add(key)
    if (LASTING.has(method)) this.#lasting.set(method, line)
    if (method === 'resources/subscribe') this.#lasting.set(`subscribe ${params?.uri ?? ''}`, line)
    if (method === 'resources/unsubscribe') this.#lasting.delete(`subscribe ${params?.uri ?? ''}`)
  }

  /**
   * Whether a line of the server answers a request of ours. Ours begin in one way only, so a long line need not be
   * parsed.
   */
  isForUs(line: string): boolean {
    const withdrawn = WITHDRAWAL.exec(line)?.[1]
    if (withdrawn !== undefined) this.#questions.delete(withdrawn)
    const [, id, kind] = BEGINNING.exec(line) ?? []
    if (id === undefined) return false
    const key = JSON.stringify(JSON.parse(id))
    if (kind === 'method') {
      this.#questions.add(key)
      return false
    }
    this.#unanswered.delete(key)
    return this.#ours.delete(key)
  }

  /** The requests of the previous server: it no longer waits for their responses. */
  takeQuestions(): readonly string[] {
    const lines = [...this.#questions].map(
      (id) => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`,
    )
    this.#questions.clear()
    return lines
  }

  takeUnanswered(): readonly string[] {
    const lines = [...this.#unanswered].map(
      (id) => `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code: -32603, message: UNKNOWN })}}`,
    )
    this.#unanswered.clear()
    return lines
  }

  /** The handshake of a client that has a session, which the next server does not know. */
  takeGreeting(): readonly string[] {
    this.#ours.clear()
    const lines = [...this.#lasting.values()]
    for (const line of lines) {
      const { id } = tryParse(line)
      if (id !== undefined) this.#ours.add(JSON.stringify(id))
    }
    return lines
  }
}

const BEGINNING = /^\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?),"(result|error|method)":/

const WITHDRAWAL =
  /^\{"jsonrpc":"2\.0","method":"notifications\/cancelled","params":\{"requestId":("[^"\\]*")/

const LASTING: ReadonlySet<string> = new Set(['initialize', 'notifications/initialized', 'logging/setLevel'])

const UNKNOWN = 'the gateway went away before it had answered: what was asked for may have happened'

function tryParse(line: string): Message {
  try {
    return JSON.parse(line) as Message
  } catch {
    return {} // the gateway says so
  }
}
