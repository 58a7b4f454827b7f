/**
 * faulty-link: a way to a server on a port, over which everything that happens to connections can be made to happen.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * `pass`: nothing. `stall`: nothing gets through any more, and nobody says so. `reset`: a connection is broken off when an
 * answer comes. `drop`: it is ended in the middle of one.
 */
export type LinkMode = 'pass' | 'stall' | 'reset' | 'drop'

export interface FaultyLink extends AsyncDisposable {
  readonly port: number
  /** For connections there are, and those to come. */
  mode: LinkMode
}

export async function openFaultyLink(port: number): Promise<FaultyLink> {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  }
  const server = createServer((near) => {
    const far = keep(connect(port, '127.0.0.1'))
    keep(near)
    near.on('data', (bytes) => link.mode !== 'stall' && far.write(bytes))
    far.on('data', (bytes: Buffer) => {
      if (link.mode === 'pass') near.write(bytes)
      else if (link.mode === 'reset') near.resetAndDestroy()
      else if (link.mode === 'drop') near.end(bytes.subarray(0, bytes.length / 2))
    })
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const link: FaultyLink = {
    port: (server.address() as AddressInfo).port,
    mode: 'pass',
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return link
}
