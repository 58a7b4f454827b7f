/**
 * serving: requests that come slowly, are too large, or are none, on real sockets.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { nodeServing } from '../../src/world/node/serving.ts'
import type { Admission, ListenOptions, Listener, RequestHandler } from '../../src/world/world.ts'
import { createCertificates } from '../servers/http/certificates.ts'

/** On a busy machine. */
const SOON = { timeout: 20_000 }

const OPTIONS: ListenOptions = {
  host: '127.0.0.1',
  port: 0,
  maxBodyBytes: 1000,
  maxHeaderBytes: 4096,
  requestTimeoutMs: 400,
  unread: { waitBytes: 64_000_000, clientBytes: 128_000_000, totalBytes: 256_000_000 },
}

const ECHO: RequestHandler = {
  admit: () => ({
    kind: 'admitted',
    client: 'x',
    take: (body, reply, bytes) => reply.send({ status: 200, headers: {}, body: `${bytes} ${body}` }),
  }),
}

interface Opened extends AsyncDisposable {
  readonly listener: Listener
  /** Everything that comes back until the other side hangs up. */
  say(...parts: readonly string[]): Promise<string>
  open(): Socket
}

async function open(handler: RequestHandler = ECHO, options: Partial<ListenOptions> = {}): Promise<Opened> {
  const listener = await nodeServing.listen({ ...OPTIONS, ...options }, handler)
  const openSocket = (): Socket => connect(listener.port, '127.0.0.1').setEncoding('latin1')
  return {
    listener,
    open: openSocket,
    async say(...parts) {
      const socket = openSocket()
      for (const part of parts) socket.write(part)
      return untilEnd(socket)
    },
    [Symbol.asyncDispose]: () => listener.close(),
  }
}

async function untilEnd(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk: string) => (text += chunk))
  // Being hung up on in the middle of a sentence is an answer, too.
  socket.on('error', () => undefined)
  await once(socket, 'close')
  return text
}

const POST = 'POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n'

const statusOf = (answer: string): string => answer.split(' ')[1] ?? answer

describe('an answer that nobody reads', () => {
  it('is given up, and one that is read slowly is not', async () => {
    const body = 'x'.repeat(30_000_000)
    const large: RequestHandler = {
      admit: () => ({
        kind: 'admitted',
        client: 'x',
        take: (_, reply) => reply.send({ status: 200, headers: {}, body }),
      }),
    }
    await using one = await open(large)
    const ask = (): Socket => {
      const socket = one.open()
      socket.write(`${POST}Content-Length: 0\r\n\r\n`)
      return socket
    }
    const deaf = ask().pause()
    // Nobody is told on this side: that the rest is missing shows only when the beginning is read.
    await new Promise((resolve) => setTimeout(resolve, 10 * OPTIONS.requestTimeoutMs))
    expect((await untilEnd(deaf.resume())).length).toBeLessThan(body.length)
    const slow = ask()
    slow.on('data', () => {
      slow.pause()
      setTimeout(() => slow.resume(), 1)
    })
    expect((await untilEnd(slow)).length).toBeGreaterThan(body.length)
  })
})

describe('a client that leaves much unread', () => {
  const BODY = 'x'.repeat(20_000_000)
  const unread = { waitBytes: 30_000_000, clientBytes: 50_000_000, totalBytes: 90_000_000 }

  interface Taken extends Opened {
    readonly taken: string[]
    /** How many were ended. */
    readonly ended: () => number
    ask(client: string): Socket
  }

  /** Its clients are called as their requests say. */
  async function openCounting(): Promise<Taken> {
    const taken: string[] = []
    let ended = 0
    const one = await open(
      {
        admit: ({ headers }) => ({
          kind: 'admitted',
          client: String(headers['x-client']),
          take(_, reply) {
            taken.push(String(headers['x-client']))
            reply.send({ status: 200, headers: {}, body: BODY })
          },
        }),
      },
      { unread, requestTimeoutMs: 30_000, onSlowClient: () => (ended += 1) },
    )
    const sockets: Socket[] = []
    return {
      ...one,
      taken,
      ended: () => ended,
      ask(client) {
        const socket = one.open().pause()
        socket.on('error', () => undefined)
        socket.write(`${POST}X-Client: ${client}\r\nContent-Length: 0\r\n\r\n`)
        sockets.push(socket)
        return socket
      },
      async [Symbol.asyncDispose]() {
        for (const socket of sockets) socket.destroy()
        await one[Symbol.asyncDispose]()
      },
    }
  }

  it('is asked to read before it may ask for more, and others are not', async () => {
    await using one = await openCounting()
    const first = one.ask('a')
    one.ask('a')
    await expect.poll(() => one.taken, SOON).toEqual(['a', 'a'])
    one.ask('a')
    one.ask('b')
    await expect.poll(() => one.taken, SOON).toEqual(['a', 'a', 'b'])
    expect((await untilEnd(first.resume())).length).toBeGreaterThan(BODY.length)
    await expect.poll(() => one.taken, SOON).toEqual(['a', 'a', 'b', 'a'])
    expect(one.ended()).toBe(0)
  })

  it('loses what it took least of, and so do those who took nothing when all have too much', async () => {
    await using one = await openCounting()
    const deaf = ['a', 'b', 'c', 'd'].map((client) => one.ask(client))
    await expect.poll(() => one.taken.length, SOON).toBe(4)
    expect(one.ended()).toBe(0)
    const last = one.ask('e')
    await expect.poll(() => one.ended(), SOON).toBe(1)
    expect((await untilEnd(last.resume())).length).toBeGreaterThan(BODY.length)
    const lengths = await Promise.all(deaf.map(async (socket) => (await untilEnd(socket.resume())).length))
    expect(lengths.filter((length) => length < BODY.length)).toHaveLength(1)
  })
})

describe('a request that comes slowly', () => {
  it('is given up when its headers do not end', async () => {
    await using one = await open()
    const socket = one.open()
    // A byte now and then is no sign of life.
    const drip = setInterval(() => socket.write('x'), 50)
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
    try {
      expect(statusOf(await untilEnd(socket))).toBe('408')
    } finally {
      clearInterval(drip)
    }
  })

  it('is given up when its body does not end', async () => {
    await using one = await open()
    const socket = one.open()
    const drip = setInterval(() => socket.write('x'), 50)
    socket.write(`${POST}Content-Length: 900\r\n\r\n`)
    try {
      expect(['408', '']).toContain(statusOf(await untilEnd(socket)))
    } finally {
      clearInterval(drip)
    }
  })

  it('may be answered slowly: neither a long call nor a stream is cut', async () => {
    await using one = await open({
      admit: () => ({
        kind: 'admitted',
        client: 'x',
        take(_, reply) {
          reply.stream(200, {})
          reply.write('begun ')
          setTimeout(() => {
            reply.write('done')
            reply.end()
          }, 1500)
        },
      }),
    })
    const response = await fetch(`http://127.0.0.1:${one.listener.port}/`, { method: 'POST', body: 'x' })
    expect(await response.text()).toBe('begun done')
  })
})

describe('a body that is too large', () => {
  it('is refused by its length, by what comes in chunks, and whatever it would unpack to', async () => {
    await using one = await open()
    const chunk = `3e8\r\n${'x'.repeat(1000)}\r\n`
    const small = await one.say(`${POST}Content-Length: 1000\r\n\r\n`, 'x'.repeat(1000))
    expect(small).toContain(`1000 ${'x'.repeat(1000)}`)
    expect(statusOf(await one.say(`${POST}Content-Length: 1001\r\n\r\n`))).toBe('413')
    expect(statusOf(await one.say(`${POST}Transfer-Encoding: chunked\r\n\r\n`, chunk, chunk))).toBe('413')
    // What is counted is what is sent; nothing is ever unpacked.
    const packed = gzipSync('x'.repeat(100_000)).toString('latin1')
    const answer = await one.say(`${POST}Content-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`)
    expect(answer.length).toBeLessThan(2000)
  })

  it('does not come together with another length', async () => {
    await using one = await open()
    const smuggled = `${POST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`
    expect(statusOf(await one.say(smuggled))).toBe('400')
  })
})

describe('a head', () => {
  it('that is too large is refused', async () => {
    await using one = await open()
    expect(statusOf(await one.say(`${POST}X-Large: ${'x'.repeat(5000)}\r\n\r\n`))).toBe('431')
  })

  it('with two hosts, or none, is refused', async () => {
    await using one = await open()
    expect(statusOf(await one.say(`${POST}hOsT: evil.example\r\n\r\n`))).toBe('400')
    expect(statusOf(await one.say('GET / HTTP/1.1\r\nConnection: close\r\n\r\n'))).toBe('400')
  })

  it('is judged before anything of the body is read, however long that takes', async () => {
    let settle: ((admission: Admission) => void) | undefined
    await using one = await open({ admit: () => new Promise((resolve) => (settle = resolve)) })
    const sent = one.say(`${POST}Content-Length: 4\r\n\r\n`, 'body')
    await expect.poll(() => settle, SOON).toBeDefined()
    settle!({ kind: 'refused', reply: { status: 401, headers: {}, body: 'no' } })
    expect(statusOf(await sent)).toBe('401')
  })

  it('of somebody whom nobody can judge is refused', async () => {
    await using one = await open({ admit: () => Promise.reject(new Error('a bug')) })
    expect(statusOf(await one.say(`${POST}\r\n`))).toBe('500')
  })
})

describe('a listener that stops', () => {
  it('takes nobody new, ends who only waits, and finishes what is under way', async () => {
    let finish: (() => void) | undefined
    await using one = await open({
      admit: ({ method }) => ({
        kind: 'admitted',
        client: 'x',
        take(_, reply) {
          const answer = (): void => reply.send({ status: 200, headers: {}, body: 'done' })
          if (method === 'GET') answer()
          else finish = answer
        },
      }),
    })
    const waiting = one.open()
    waiting.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(waiting, 'data')
    const underWay = one.say(`${POST}\r\n`)
    await expect.poll(() => finish, SOON).toBeDefined()
    one.listener.stop()
    await untilEnd(waiting)
    const refused = one.open()
    const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException]
    expect(error.code).toBe('ECONNREFUSED')
    finish!()
    expect(await underWay).toContain('done')
  })
})

describe('TLS', () => {
  it('is spoken with the certificate that was given, and with another one after it was renewed', async () => {
    using certificates = createCertificates()
    const { good, 'other-host': other, 'self-signed': third } = certificates.kinds
    await using one = await open(ECHO, { tls: good })
    const nameNow = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connectTls(
          { port: one.listener.port, host: '127.0.0.1', rejectUnauthorized: false },
          () => {
            resolve(socket.getPeerCertificate().subject.CN as string)
            socket.destroy()
          },
        )
        socket.on('error', reject)
      })
    expect(await nameNow()).toBe('good')
    one.listener.renew(other)
    expect(await nameNow()).toBe('other-host')
    expect(() => one.listener.renew({ cert: good.cert, key: third.key })).toThrow()
    expect(await nameNow()).toBe('other-host')
    // Who speaks plainly gets nothing, and does no harm.
    expect(await one.say(`${POST}\r\n`)).not.toContain('200')
    expect(await nameNow()).toBe('other-host')
  })

  it('is refused with a key that is not that of the certificate', async () => {
    using certificates = createCertificates()
    const { good, 'self-signed': other } = certificates.kinds
    await expect(open(ECHO, { tls: { cert: good.cert, key: other.key } })).rejects.toMatchObject({
      code: expect.stringMatching(/^ERR_OSSL/) as string,
    })
  })
})
