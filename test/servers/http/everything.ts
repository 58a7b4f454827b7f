/**
 * everything: the official example server, as a process of its own that listens on a port.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
)

export interface Everything extends AsyncDisposable {
  readonly origin: string
}

export async function startEverything(how: 'streamableHttp' | 'sse'): Promise<Everything> {
  const port = await findFreePort()
  const child = spawn(process.execPath, [PROGRAM, how], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await new Promise<void>((resolve, reject) => {
    let said = ''
    const listen = (text: string): void => {
      said += text
      if (said.includes(`on port ${port}`)) resolve()
    }
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', listen)
    child.on('exit', () => reject(new Error(`it exited: ${said}`)))
  })
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.removeAllListeners('exit')
      child.kill('SIGKILL')
      await once(child, 'close')
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
