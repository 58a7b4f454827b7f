import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { AgentCache } from '../../src/world/node/agent-cache.ts'
import { createNodeHttp } from '../../src/world/node/http.ts'
import type { BodyUse, HttpHead, HttpRequest } from '../../src/world/world.ts'
import { DIST, openMachine } from '../processes/plugboard.ts'

const http = createNodeHttp({}, new AgentCache())

interface Listening {
  readonly origin: string
  /** Each connection, in the order in which they came. */
  next(): Promise<Socket>
  [Symbol.asyncDispose](): Promise<void>
}

/** Takes what comes; the test says by hand what it answers. */
async function listen(host = '127.0.0.1'): Promise<Listening> {
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
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
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

const HAS_IPV6 = Object.values(networkInterfaces()).some((some) => some?.some((one) => one.address === '::1'))

/** Nobody takes the connections that come to it, and its queue is full: what comes next is not answered at all. */
async function fillQueue(): Promise<Pick<Listening, 'origin' | typeof Symbol.asyncDispose>> {
  const program = `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30_000)
  })`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  const queued = [1, 2].map(() => connect(Number(port), '127.0.0.1').on('error', () => undefined))
  await Promise.all(queued.map((socket) => once(socket, 'connect')))
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of queued) socket.destroy()
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}

interface Answer {
  readonly head: HttpHead
  readonly text: string
}

interface Asked {
  readonly answer: Promise<Answer>
  abort(): void
}

function start(request: Partial<HttpRequest> & Pick<HttpRequest, 'origin'>, use: BodyUse = 'whole'): Asked {
  let abort = (): void => undefined
  const answer = new Promise<Answer>((resolve, reject) => {
    let head: HttpHead | undefined
    let text = ''
    abort = http.request(
      { method: 'POST', path: '/', headers: [], body: 'hello', isUrgent: false, ...request },
      {
        onHead: (one) => {
          head = one
          return use
        },
        onText: (piece) => (text += piece),
        onEnd: () => resolve({ head: head!, text }),
        onFailed: ({ code, message }) => reject(Object.assign(new Error(message), { code })),
      },
    )
  })
  return { answer, abort }
}

function ask(origin: string, body = 'hello', use: BodyUse = 'whole'): Promise<Answer> {
  return start({ origin, body }, use).answer
}

/** A connection is taken again a turn after it was used; before that another one would be opened. */
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

/** What is asked over a connection over which much has come. */
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

afterEach(() => void vi.useRealTimers())

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

  it('that ends with its connection is whole, however that ends', async () => {
    await using server = await listen()
    const socket = server.next()
    const text = await new Promise((resolve, reject) => {
      let came = ''
      http.request(
        { method: 'GET', origin: server.origin, path: '/', headers: [], isUrgent: false },
        {
          onHead: () => 'pieces',
          onText: (piece) => {
            came += piece
            void socket.then((one) => one.resetAndDestroy())
          },
          onEnd: () => resolve(came),
          onFailed: reject,
        },
      )
      void socket.then((one) => one.write('HTTP/1.0 200 OK\r\n\r\nabc'))
    })
    expect(text).toBe('abc')
  })

  it.each([
    ['onHead', 'whole'],
    ['onText', 'whole'],
    ['onText', 'pieces'],
  ] as const)('whose listener throws in %s (%s) is a failure, and the next is none', async (where, use) => {
    await using server = await listen()
    const fail = (): never => {
      throw new Error('a mistake')
    }
    const failed = new Promise((resolve) => {
      http.request(
        { method: 'GET', origin: server.origin, path: '/', headers: [], isUrgent: false },
        {
          onHead: () => use,
          onText: () => undefined,
          onEnd: () => resolve('end'),
          onFailed: ({ message }) => resolve(message),
          [where]: fail,
        },
      )
    })
    const socket = await server.next()
    await receive(socket, 1)
    socket.write(answerOf('{}'))
    expect(await failed).toBe('a mistake')
    const answer = ask(server.origin)
    const next = await server.next()
    await receive(next, 1)
    next.write(answerOf('{}'))
    expect((await answer).text).toBe('{}')
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
  it('arrives as it is, also when the answer comes before it is read', async () => {
    await using server = await listen()
    // More than the system takes for one who does not read.
    const body = 'a'.repeat(15_000_000)
    const answer = ask(server.origin, body)
    const socket = await server.next()
    socket.pause()
    socket.write(answerOf('{}'))
    expect((await answer).text).toBe('{}')
    const received = await receive(socket, body.length)
    expect(received.includes(body)).toBe(true)
  })
})

describe('a connection', () => {
  /** Asks, has it answered over this connection or the next one, and gives that. */
  async function exchange(server: Listening, answer: string, socket?: Socket): Promise<Socket> {
    const asked = ask(server.origin)
    const used = socket ?? (await server.next())
    await receive(used, 1)
    await write(used, answer)
    await asked
    await settle()
    return used
  }

  it.each([
    ['says that it is closed', 'connection: close\r\n'],
    ['is kept for a second only', 'keep-alive: timeout=1\r\n'],
  ])('that %s is not used again', async (_, header) => {
    await using server = await listen()
    const first = await exchange(server, answerOf('1', header))
    const second = await exchange(server, answerOf('2'))
    expect(second).not.toBe(first)
    await exchange(server, answerOf('3'), second)
  })

  it('that the server closes while nobody uses it is not used again', async () => {
    await using server = await listen()
    const first = await exchange(server, answerOf('1'))
    first.end()
    await once(first, 'close')
    await settle()
    expect(await exchange(server, answerOf('2'))).not.toBe(first)
  })

  it('that the server closes behind each answer, without a word, is not used again by those who wait', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(answerOf('{}')))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const answers = Array.from({ length: 500 }, () => ask(`http://127.0.0.1:${port}`))
    expect(new Set((await Promise.all(answers)).map(({ text }) => text))).toEqual(new Set(['{}']))
    await new Promise((resolve) => server.close(resolve))
  })

  it('that the server gave up while its host was busy is not used again', async () => {
    await using server = await listen()
    const first = await exchange(server, answerOf('1'))
    first.end()
    await once(first, 'finish')
    const until = performance.now() + 1100
    while (performance.now() < until);
    expect(await exchange(server, answerOf('2'))).not.toBe(first)
  })

  it('that rests for longer than the server wants is closed', async () => {
    await using server = await listen()
    const socket = await exchange(server, answerOf('1', 'keep-alive: timeout=3\r\n'))
    await once(socket.resume(), 'close')
  }, 15_000)

  it('over which something comes that nobody asked for is closed', async () => {
    await using server = await listen()
    const first = await exchange(server, answerOf('1'))
    first.write(answerOf('2'))
    await once(first.resume(), 'close')
    expect(await exchange(server, answerOf('3'))).not.toBe(first)
  })

  it('ends with what it was opened for, when nobody wants that any more', async () => {
    await using server = await listen()
    const { abort } = start({ origin: server.origin })
    const socket = await server.next()
    await receive(socket, 1)
    abort()
    await once(socket, 'close')
  })

  it('that is not there yet ends so, too, and nothing is sent over it', async () => {
    await using server = await listen()
    start({ origin: server.origin, body: 'first' }).abort()
    const { answer } = start({ origin: server.origin, body: 'second' })
    const heard = [server.next(), server.next()].map(async (next) => {
      const socket = await next
      return { socket, text: String(await receive(socket, 1)) }
    })
    const { socket, text } = await Promise.race(heard)
    expect(text).toContain('second')
    socket.write(answerOf('{}'))
    expect((await answer).text).toBe('{}')
  })

  it('carries what was asked, in one piece and as it is, whatever it is made of', async () => {
    await using server = await listen()
    const headers = ['x-one', 'a', 'X-Two', 'é']
    const asked = [
      { method: 'GET', body: undefined, path: '/a?b=c', headers },
      { method: 'POST', body: undefined, headers },
      { method: 'POST', body: 'é€😀', headers },
      { method: 'POST', body: 'bytes', headers: ['Host', 'other.example'] },
      { method: 'DELETE', body: undefined },
    ] as const
    const { host } = new URL(server.origin)
    const named = `host: ${host}\r\nconnection: keep-alive\r\nx-one: a\r\nX-Two: é\r\n`
    const expected = [
      `GET /a?b=c HTTP/1.1\r\n${named}\r\n`,
      `POST / HTTP/1.1\r\n${named}content-length: 0\r\n\r\n`,
      `POST / HTTP/1.1\r\n${named}content-length: 9\r\n\r\né€😀`,
      'POST / HTTP/1.1\r\nhost: other.example\r\nconnection: keep-alive\r\ncontent-length: 5\r\n\r\nbytes',
      `DELETE / HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n\r\n`,
    ]
    let socket: Socket | undefined
    for (const [at, request] of asked.entries()) {
      const { answer } = start({ origin: server.origin, ...request })
      socket ??= await server.next()
      const came = await receive(socket, 1)
      // The head is Latin-1, the body UTF-8.
      const end = came.indexOf('\r\n\r\n')
      expect(came.toString('latin1', 0, end) + came.toString('utf8', end)).toBe(expected[at])
      socket.write(answerOf(''))
      await answer
      await settle()
    }
  })

  /** The next connection over which something is sent. */
  async function findUsed(server: Listening): Promise<{ freed: Socket; text: string }> {
    for (;;) {
      const freed = await server.next()
      const [sent] = (await Promise.race([once(freed, 'data'), once(freed, 'close')])) as [unknown]
      if (Buffer.isBuffer(sent)) return { freed, text: sent.toString() }
    }
  }

  it('is opened 128 times at most for what can wait, and at once for what cannot', async () => {
    await using server = await listen()
    const many = Array.from({ length: 130 }, () => start({ origin: server.origin }))
    const sockets = await Promise.all(many.slice(0, 128).map(() => server.next()))
    const urgent = start({ origin: server.origin, isUrgent: true })
    const another = await server.next()
    await receive(another, 1)
    another.write(answerOf('urgent', 'connection: close\r\n'))
    expect((await urgent.answer).text).toBe('urgent')

    // One that waits and is taken back is never sent; the next one goes where there is room.
    const last = start({ origin: server.origin, body: 'last' })
    many[128]!.abort()
    many[129]!.abort()
    sockets[0]!.end(answerOf('first', 'connection: close\r\n'))
    const { freed, text } = await findUsed(server)
    expect(text).toContain('last')
    freed.write(answerOf('{}'))
    expect((await last.answer).text).toBe('{}')
    for (const { abort } of many) abort()
  })

  it('is there for what can wait, however many others are open', async () => {
    await using server = await listen()
    const many = Array.from({ length: 130 }, () => start({ origin: server.origin, isUrgent: true }))
    await Promise.all(many.map(() => server.next()))
    const { answer } = start({ origin: server.origin })
    const socket = await server.next()
    await receive(socket, 1)
    socket.write(answerOf('{}'))
    expect((await answer).text).toBe('{}')
    for (const { abort } of many) abort()
  })

  it('goes to an address that is given, whatever the name says', async () => {
    await using server = await listen()
    const { port } = new URL(server.origin)
    const { answer } = start({ origin: `http://nowhere.invalid:${port}`, address: '127.0.0.1' })
    const socket = await server.next()
    expect(String(await receive(socket, 1))).toContain(`host: nowhere.invalid:${port}`)
    socket.write(answerOf('{}'))
    expect((await answer).text).toBe('{}')
  })

  it.runIf(HAS_IPV6)('goes to an address of IPv6', async () => {
    await using server = await listen('::1')
    const { answer } = start({ origin: server.origin })
    const socket = await server.next()
    expect(String(await receive(socket, 1))).toContain(`host: ${new URL(server.origin).host}\r\n`)
    socket.write(answerOf('{}'))
    expect((await answer).text).toBe('{}')
  })

  // How a full queue is treated differs between systems.
  it.runIf(process.platform === 'linux')('is none where nobody takes it for ten seconds', async () => {
    await using queue = await fillQueue()
    await using server = await listen()
    // What is needed for it is loaded with the first request.
    await disturb(server, '{}')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const asked = ask(queue.origin)
    const failed = expect(asked).rejects.toMatchObject({ code: 'UND_ERR_CONNECT_TIMEOUT' })
    await vi.advanceTimersByTimeAsync(10_000)
    await failed
  })

  it('is none to one who does not speak HTTP, and that is told at once', async () => {
    await using server = await listen()
    const asked = ask(server.origin)
    const socket = await server.next()
    socket.write('SSH-2.0-OpenSSH_9.2\r\n')
    await expect(asked).rejects.toMatchObject({ code: expect.stringMatching(/^HPE_/) as string })
  })

  it('is none where nobody listens', async () => {
    const { origin } = await (async () => {
      await using server = await listen()
      return server
    })()
    await expect(ask(origin)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it.each([
    ['path with a blank', { path: '/a b' }],
    ['path of two lines', { path: '/a\r\nx: y' }],
    ['header of two lines', { headers: ['x', 'a\r\ny: b'] }],
    ['header with a blank in its name', { headers: ['x y', 'a'] }],
    ['header that is not Latin-1', { headers: ['x', '€'] }],
    ['length that is another one', { headers: ['Content-Length', '1'] }],
    ['coding of its own', { headers: ['transfer-encoding', 'chunked'] }],
    ['host given twice', { headers: ['Host', 'a', 'host', 'b'] }],
  ])('is not asked for with a %s', async (_, request) => {
    await using server = await listen()
    const { answer } = start({ origin: server.origin, ...request })
    const code = /^UND_ERR_(?:INVALID_ARG|REQ_CONTENT_LENGTH_MISMATCH)$/
    await expect(answer).rejects.toMatchObject({ code: expect.stringMatching(code) as string })
  })

  it('keeps its process alive while it is used, and not while it rests', async () => {
    await using server = await listen()
    using machine = openMachine()
    const library = pathToFileURL(join(DIST, 'index.js')).href
    // Asks a second time when it has been answered once, and then does nothing more.
    const program = `
      const { createNodeWorld } = await import(${JSON.stringify(library)})
      const { http } = createNodeWorld()
      const ask = (times) => times === 0 || http.request(
        { method: 'POST', origin: ${JSON.stringify(server.origin)}, path: '/', headers: [], body: 'x', isUrgent: false },
        { onHead: () => 'whole', onText: console.log, onEnd: () => setTimeout(ask, 10, times - 1), onFailed: console.error })
      ask(2)`
    const run = machine.run([], { start: [process.execPath, '--input-type=module', '-e', program] })
    const socket = await server.next()
    for (const answer of ['hello', 'again']) {
      await receive(socket, 1)
      // Longer than a process takes to end that nothing keeps alive.
      await new Promise((resolve) => setTimeout(resolve, 100))
      socket.write(answerOf(answer))
    }
    expect(await run).toEqual({ code: 0, stdout: 'hello\nagain\n', stderr: '' })
  })
})
