/**
 * loopback: an HTTP server at 127.0.0.1.
 *
 * never  listens where another machine could reach it; keeps a connection after its response; waits, when it closes,
 *        for a connection without a request
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Loopback, LoopbackAnswer, LoopbackRequest } from '../world.ts'

export const nodeLoopback: Loopback = {
  listen: (port, answer) =>
    new Promise((resolve, reject) => {
      const { createServer } = process.getBuiltinModule('node:http')
      /** Browsers open connections before they need them. Node would wait a minute for the first request on each. */
      const silent = new Set<Socket>()
      const server = createServer((request, response) => {
        silent.delete(request.socket)
        reply(response, answer(toRequest(request)))
      })
      server.on('connection', (socket) => {
        silent.add(socket)
        socket.once('close', () => silent.delete(socket))
      })
      server.once('error', reject)
      // The number, not the name: a hosts file may map `localhost` to another machine.
      server.listen(port ?? 0, '127.0.0.1', () => {
        resolve({
          port: (server.address() as AddressInfo).port,
          close: () =>
            new Promise((closed) => {
              server.close(() => closed())
              for (const socket of silent) socket.destroy()
            }),
        })
      })
    }),
}

function toRequest({ method, url, headers }: IncomingMessage): LoopbackRequest {
  return { method: method ?? '', path: url ?? '', headers }
}

function reply(response: ServerResponse, { status, html }: LoopbackAnswer): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    // The address of the page holds the code.
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    // The server could not close before the browser does.
    connection: 'close',
  })
  response.end(html)
}
