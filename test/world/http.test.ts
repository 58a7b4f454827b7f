import { createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { buildConnector } from 'undici'
import build from 'undici/lib/core/connect.js'
import { beforeEach, describe, expect, it } from 'vitest'
import { lendRoom } from '../../src/base/room.ts'
import { createConnector } from '../../src/world/node/http-socket.ts'
import { createNodeHttp } from '../../src/world/node/http.ts'
import type { BodyUse, HttpHead } from '../../src/world/world.ts'
import { emptyRooms } from '../base/rooms.ts'

const http = createNodeHttp({})

interface Listening {
  readonly origin: string
  /** Each connection, in the order in which they came. */
  next(): Promise<Socket>
  [Symbol.asyncDispose](): Promise<void>
}

/** Takes what comes; the test says by hand what it answers. */
async function listen(): Promise<Listening> {
  const came: Socket[] = []
  const waiting: ((socket: Socket) => void)[] = []
  const all = new Set<Socket>()
  const server: Server = createServer((socket) => {
    all.add(socket)
    socket.on('error', () => undefined)
    const take = waiting.shift()
    if (take === undefined) came.push(socket)
    else take(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    next: () =>
      new Promise((resolve) => {
        const socket = came.shift()
        if (socket === undefined) waiting.push(resolve)
        else resolve(socket)
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of all) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Answer {
  readonly head: HttpHead
  readonly text: string
}

function ask(origin: string, body: string | Uint8Array = 'hello', use: BodyUse = 'whole'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let head: HttpHead | undefined
    let text = ''
    http.request(
      { method: 'POST', origin, path: '/', headers: [], body, isUrgent: false },
      {
        onHead: (one) => {
          head = one
          return use
        },
        onText: (piece) => (text += piece),
        onEnd: () => resolve({ head: head!, text }),
        onFailed: ({ message }) => reject(new Error(message)),
      },
    )
  })
}

/** undici takes a connection again a turn after it was used; before that it would open another one. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

const write = (socket: Socket, text: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => socket.write(text, () => resolve()))

/** Resolves with all that came, when it is so many bytes or more. */
function receive(socket: Socket, bytes: number): Promise<Buffer> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    let length = 0
    const take = (piece: Buffer): void => {
      pieces.push(piece)
      length += piece.length
      if (length < bytes) return
      socket.off('data', take)
      resolve(Buffer.concat(pieces))
    }
    socket.on('data', take).resume()
  })
}

const answerOf = (body: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** An exchange of its own, which is over when this resolves: what was read before it is no longer in shared memory. */
async function disturb(other: Listening, body: string): Promise<void> {
  const answer = ask(other.origin)
  const socket = await other.next()
  await receive(socket, 1)
  socket.end(answerOf(body, 'connection: close\r\n'))
  expect((await answer).text).toBe(body)
}

/** What is asked over a connection over which so much has come that it has memory of its own. */
async function askAfterMuch(server: Listening): Promise<{ socket: Socket; answer: Promise<Answer> }> {
  const first = ask(server.origin)
  const socket = await server.next()
  socket.setNoDelay(true)
  await receive(socket, 1)
  socket.write(answerOf('x'.repeat(2_000_000)))
  await first
  await settle()
  const answer = ask(server.origin)
  await receive(socket, 1)
  return { socket, answer }
}

beforeEach(emptyRooms)

describe('an answer', () => {
  it.each([10, 70_000, 300_000, 3_000_000])(
    'of %d bytes is whole, on a connection that is used again',
    async (length) => {
      await using server = await listen()
      let socket: Socket | undefined
      for (const letter of ['a', 'b', 'c']) {
        const answer = ask(server.origin)
        socket ??= await server.next()
        await receive(socket, 1)
        socket.write(answerOf(letter.repeat(length)))
        expect((await answer).text).toBe(letter.repeat(length))
        await settle()
      }
    },
  )

  it('may come in pieces that are cut anywhere, also in its head, while others are read', async () => {
    await using server = await listen()
    await using other = await listen()
    const whole = answerOf('é€😀'.repeat(10), 'mcp-session-id: abcdefghijklmnop\r\n')
    const bytes = Buffer.from(whole)
    const answer = ask(server.origin)
    const socket = await server.next()
    socket.setNoDelay(true)
    for (let from = 0; from < bytes.length; from += 9) {
      await write(socket, bytes.subarray(from, from + 9))
      await disturb(other, '#'.repeat(500))
    }
    const { head, text } = await answer
    expect([head.headers['mcp-session-id'], text]).toEqual(['abcdefghijklmnop', 'é€😀'.repeat(10)])
  })

  it('that is long may come while another one does', async () => {
    await using one = await listen()
    await using two = await listen()
    const texts = ['1', '2'].map((digit) => digit.repeat(5_000_000))
    const answers = [ask(one.origin), ask(two.origin)]
    const sockets = [await one.next(), await two.next()]
    for (const [at, socket] of sockets.entries()) socket.write(answerOf(texts[at]!))
    expect((await Promise.all(answers)).map(({ text }) => text)).toEqual(texts)
  })

  it('has a head of its own, also when the half of it that came first came with much else, and others are read meanwhile', async () => {
    await using server = await listen()
    await using other = await listen()
    const { socket, answer } = await askAfterMuch(server)
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(3_000)
    await write(socket, `${hints}HTTP/1.1 200 OK\r\nmcp-session-id: abcdef`)
    await disturb(other, '#'.repeat(300_000))
    await write(socket, 'ghij\r\ncontent-length: 2\r\n\r\n{}')
    expect((await answer).head.headers).toEqual({ 'mcp-session-id': 'abcdefghij', 'content-length': '2' })
  })

  it('has a head that may be cut anywhere, also on a connection over which much has come', async () => {
    await using server = await listen()
    const { socket, answer } = await askAfterMuch(server)
    for (const piece of [
      'HTTP/1.1 200 OK\r\nmcp-session-id: abc',
      'defghij\r\ncontent-length: 2\r\n\r\n',
      '{}',
    ]) {
      await write(socket, piece)
      await settle()
    }
    expect((await answer).head.headers).toEqual({ 'mcp-session-id': 'abcdefghij', 'content-length': '2' })
  })

  it('comes through a stream where a socket knows of nothing else', async () => {
    await using server = await listen()
    const plain = (options: object): buildConnector.connector =>
      build({ ...options, onread: undefined } as object)
    const connect = createConnector(plain as typeof buildConnector, {})
    const { hostname, port, protocol } = new URL(server.origin)
    const target = { hostname, port, protocol, host: hostname }
    const socket = await new Promise<Socket>((resolve, reject) => {
      connect(target, (error, opened) => (error === null ? resolve(opened as Socket) : reject(error)))
    })
    const heard = new Promise((resolve) => {
      socket.on('readable', () => resolve(String(socket.read())))
    })
    await write(await server.next(), 'hello')
    expect(await heard).toBe('hello')
    socket.destroy()
  })

  it('is told piece by piece, where that is wanted', async () => {
    await using server = await listen()
    const answer = ask(server.origin, 'hello', 'pieces')
    const socket = await server.next()
    await write(socket, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
    for (const text of ['é'.repeat(40_000), '€'.repeat(40_000)])
      await write(socket, `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
    await write(socket, '0\r\n\r\n')
    expect((await answer).text).toBe('é'.repeat(40_000) + '€'.repeat(40_000))
  })

  it('breaks off with its connection, and that is told', async () => {
    await using server = await listen()
    const answer = ask(server.origin)
    const socket = await server.next()
    await write(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n123')
    socket.destroy()
    await expect(answer).rejects.toThrow()
  })
})

describe('what is sent', () => {
  /** More than the system takes for one who does not read. */
  const LENGTH = 15_000_000
  const lend = (letter: string): Uint8Array => lendRoom(LENGTH).fill(letter.charCodeAt(0))

  it('gives its memory back with an answer of success', async () => {
    await using server = await listen()
    const body = lend('a')
    const answer = ask(server.origin, body)
    const socket = await server.next()
    await receive(socket, LENGTH)
    socket.write(answerOf('{}'))
    await answer
    expect(lend('b').buffer).toBe(body.buffer)
  })

  it.each([307, 401])(
    'keeps its memory when it is refused (%d), since it may be sent again',
    async (status) => {
      await using server = await listen()
      const body = lend('a')
      const answer = ask(server.origin, body)
      const socket = await server.next()
      await receive(socket, LENGTH)
      socket.write(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
      await answer
      expect(lend('b').buffer).not.toBe(body.buffer)
    },
  )

  it('keeps its memory for good when it was refused before it was read, and is sent again over another connection', async () => {
    await using server = await listen()
    const body = lend('a')
    const refused = ask(server.origin, body)
    const first = await server.next()
    first.pause()
    first.write('HTTP/1.1 307 Over there\r\nlocation: /there\r\ncontent-length: 0\r\n\r\n')
    await refused
    const taken = ask(server.origin, body)
    const second = await server.next()
    await receive(second, LENGTH)
    second.write(answerOf('{}'))
    await taken
    expect(lend('b').buffer).not.toBe(body.buffer)
  })

  it('arrives as it is, also when the answer comes before it is read', async () => {
    await using server = await listen()
    const answer = ask(server.origin, lend('a'))
    const socket = await server.next()
    socket.pause()
    socket.write(answerOf('{}'))
    await answer
    // What is left to be written of it must not be somebody else's.
    lend('b')
    const received = await receive(socket, LENGTH)
    expect(received.includes('b'.repeat(100))).toBe(false)
  })
})
