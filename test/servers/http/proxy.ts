/**
 * proxy: a real proxy on this machine that forwards and tunnels, and remembers what it was asked for.
 */
import { once } from 'node:events'
import { createServer, request as askHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'

export interface LoopbackProxy extends AsyncDisposable {
  readonly port: number
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  /** `GET http://…`, `CONNECT host:port`, with what it was given to let us in. */
  readonly asked: readonly { readonly line: string; readonly authorization?: string | undefined }[]
}

export interface ProxyOptions {
  /** Refuses everything with this status. `hang-up`: without a word. */
  readonly refusal?: number | 'hang-up'
}

export async function startProxy({ refusal }: ProxyOptions = {}): Promise<LoopbackProxy> {
  const asked: { line: string; authorization?: string | undefined }[] = []
  const sockets = new Set<Socket>()
  const note = ({ method, url, headers }: IncomingMessage): void =>
    void asked.push({ line: `${method} ${url}`, authorization: headers['proxy-authorization'] })

  const server = createServer((request, response) => {
    note(request)
    if (refusal === 'hang-up') request.socket.destroy()
    else if (refusal !== undefined) response.writeHead(refusal).end('the proxy says no')
    else forward(request, response)
  })
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    note(request)
    // Whoever asked may be gone at any time.
    socket.on('error', () => undefined)
    if (refusal === 'hang-up') return void socket.destroy()
    if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n`)
    tunnel(request.url!, { socket, head })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function forward(request: IncomingMessage, response: ServerResponse): void {
  const { 'proxy-authorization': _, ...headers } = request.headers
  const onward = askHttp(request.url!, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers)
    response.flushHeaders()
    answer.pipe(response)
  })
  onward.on('error', () =>
    response.headersSent ? response.destroy() : response.writeHead(502).end('no such server'),
  )
  response.on('close', () => onward.destroy())
  request.pipe(onward)
}

function tunnel(target: string, { socket, head }: { readonly socket: Socket; readonly head: Buffer }): void {
  const [, host, port] = /^(.*):(\d+)$/.exec(target)!
  const onward = connect(Number(port), host!, () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    onward.write(head)
    socket.pipe(onward).pipe(socket)
  })
  onward.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'))
  socket.on('close', () => onward.destroy())
}
