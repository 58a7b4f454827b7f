/**
 * pipes: sockets on this machine, on `node:net`.
 *
 * never  listens where another user could connect, or connects where another user could listen; replaces the socket of
 *        a process that still listens; keeps output that a client does not read
 */
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import type { Server, Socket } from 'node:net'
import { dirname } from 'node:path'
import type { Pipe, Pipes, UnreadLimits } from '../world.ts'
import { Backlog } from './backlog.ts'
import { isOwnFolder, isPrivateFolder } from './own-folder.ts'
import { PacedWriter } from './paced-writer.ts'

const MEGABYTE = 1024 * 1024

/** The same as over HTTP. Each connection is a client. */
const UNREAD: UnreadLimits = {
  waitBytes: 64 * MEGABYTE,
  clientBytes: 128 * MEGABYTE,
  totalBytes: 256 * MEGABYTE,
}

/** At the end, the time for clients that have not read everything yet. */
const FAREWELL_MS = 2000

export const nodePipes: Pipes = {
  async listen(path, onPipe) {
    if (!isNamedPipe(path)) makeFolder(dirname(path))
    const open = new Map<Socket, Pipe>()
    const backlog = new Backlog(UNREAD)
    const take = (socket: Socket): void => {
      const pipe = toPipe(socket, backlog)
      open.set(socket, pipe)
      socket.on('close', () => open.delete(socket))
      onPipe(pipe)
    }
    const server = await listenAt(path, take).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' || isNamedPipe(path) || (await isAnswered(path))) throw error
      // Left behind by a process that was killed.
      rmSync(path, { force: true })
      return listenAt(path, take)
    })
    return {
      close: () =>
        new Promise((resolve) => {
          // `close` removes the socket, too.
          const late = setTimeout(() => {
            for (const socket of open.keys()) socket.destroy()
          }, FAREWELL_MS)
          server.close(() => {
            clearTimeout(late)
            resolve()
          })
          for (const [socket, pipe] of open) {
            socket.once('finish', () => socket.destroy())
            if (socket.writableFinished) socket.destroy()
            else pipe.end()
          }
        }),
    }
  },
  async connect(path) {
    if (!isNamedPipe(path) && !isPrivateFolder(dirname(path))) throw notOurs(dirname(path))
    return toPipe(await connectTo(path), new Backlog(UNREAD))
  },
}

function isNamedPipe(path: string): boolean {
  return path.startsWith('\\\\')
}

function notOurs(folder: string): Error {
  return Object.assign(new Error(`${folder} belongs to somebody else`), { code: 'EACCES' })
}

/**
 * In a folder that others can write to, another user could have made the socket. A folder that another user owns, that
 * user can open again.
 */
function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!isOwnFolder(folder)) throw notOurs(folder)
  chmodSync(folder, 0o700)
}

async function listenAt(path: string, onSocket: (socket: Socket) => void): Promise<Server> {
  const { createServer } = await import('node:net')
  const server = createServer({ allowHalfOpen: false, noDelay: true }, onSocket)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  if (!isNamedPipe(path)) chmodSync(path, 0o600)
  return server
}

async function isAnswered(path: string): Promise<boolean> {
  try {
    const socket = await connectTo(path)
    socket.destroy()
    return true
  } catch {
    return false // no process listens
  }
}

async function connectTo(path: string): Promise<Socket> {
  const { connect } = await import('node:net')
  const socket = connect(path)
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('connect', resolve)
  })
  return socket
}

function toPipe(socket: Socket, backlog: Backlog): Pipe {
  socket.setEncoding('utf8')
  // The `close` event reports it.
  socket.on('error', () => undefined)
  const writer = new PacedWriter(socket, { backlog, client: socket })
  let isHeld = false
  const goOn = (): void => {
    isHeld = false
    socket.resume()
  }
  /** Stops reading from a client that has too much to read. */
  const hold = (): void => {
    const wait = isHeld ? undefined : backlog.untilRead(socket)
    if (wait === undefined) return
    isHeld = true
    socket.pause()
    void wait.then(goOn)
  }
  return {
    write(text) {
      writer.write(text)
      hold()
    },
    onInput({ onText, onEnd }) {
      socket.on('data', onText)
      socket.on('close', onEnd)
    },
    end: () => writer.finish(),
  }
}
