/**
 * program: a server on a port, as a process of its own that can be ended and started again.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Program extends AsyncDisposable {
  readonly origin: string
  readonly port: number
}

export interface ProgramOptions {
  /** One that is free, unless given. */
  readonly port?: number
  onLine?(line: string): void
}

const EVERYTHING = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
)
const SDK = fileURLToPath(new URL('sdk.mjs', import.meta.url))
const REFERENCE = fileURLToPath(new URL('reference.mjs', import.meta.url))

export const PROGRAMS = {
  'everything-http': [EVERYTHING, 'streamableHttp'],
  'everything-sse': [EVERYTHING, 'sse'],
  sdk: [SDK, 'http'],
  reference: [REFERENCE, 'http'],
} as const

/**
 * Resolves when it listens, which it says in a line with its port. What it writes, to stdout or stderr, is told line by
 * line. In place of a name: a command with its arguments, which gets its port in `PORT`.
 */
export async function startProgram(
  program: keyof typeof PROGRAMS | readonly string[],
  { port, onLine = () => undefined }: ProgramOptions = {},
): Promise<Program> {
  const at = port ?? (await findFreePort())
  const isOurs = typeof program === 'string'
  const [command, ...args] = isOurs ? [process.execPath, ...PROGRAMS[program]] : program
  const child = spawn(command!, args, {
    env: { PATH: process.env['PATH'], PORT: String(at) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  const said: string[] = []
  await new Promise<void>((resolve, reject) => {
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        said.push(line)
        onLine(line)
        if (line.includes(String(at))) resolve()
      })
    }
    closed.then(() => reject(new Error(`it ended: ${said.join('\n')}`)), reject)
  })
  return {
    origin: `http://127.0.0.1:${at}`,
    port: at,
    /** May be done before its time, and again. */
    async [Symbol.asyncDispose]() {
      // A command may be a runner such as `tsx`, which passes SIGTERM on to the server.
      child.kill(isOurs ? 'SIGKILL' : 'SIGTERM')
      await closed
    },
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
