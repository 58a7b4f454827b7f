/**
 * sockets: WebSockets, which Node 20 does not have.
 */
import type { Socket, SocketListener, SocketRequest, Sockets } from '../world.ts'

export const nodeSockets: Sockets = {
  open(request, listener) {
    let socket: Socket | undefined
    let isClosed = false
    void openSocket(request, listener, () => isClosed).then((opened) => (socket = opened))
    return {
      send: (text) => socket?.send(text),
      close() {
        isClosed = true
        socket?.close()
      },
    }
  },
}

async function openSocket(
  { url, headers, protocols }: SocketRequest,
  listener: SocketListener,
  isClosed: () => boolean,
): Promise<Socket> {
  const { WebSocket } = await import('ws')
  const socket = new WebSocket(url, [...protocols], { headers: { ...headers }, maxPayload: 64 * 1024 * 1024 })
  let end: Parameters<SocketListener['onClose']>[0] = {}
  socket.on('open', () => listener.onOpen())
  socket.on('message', (bytes: Buffer) => listener.onText(bytes.toString('utf8')))
  socket.on('unexpected-response', (request, response) => {
    end = { status: response.statusCode ?? 0 }
    request.destroy()
    socket.terminate()
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (end.status === undefined) end = { error: { code: error.code ?? 'UNKNOWN', message: error.message } }
  })
  socket.on('close', () => listener.onClose(end))
  if (isClosed()) socket.close()
  return { send: (text) => socket.send(text), close: () => socket.close() }
}
