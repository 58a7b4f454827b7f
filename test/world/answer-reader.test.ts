import { request } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AnswerReader } from '../../src/world/node/answer-reader.ts'

interface Read {
  status?: number
  headers?: Readonly<Record<string, unknown>>
  keepMs?: number
  body: string
  end?: 'whole' | 'whole, and more' | 'no-http' | 'broken-off'
}

/** What is read of one answer that is due, in pieces that end at the cuts; nothing comes after it. */
function read(bytes: Buffer, cuts: readonly number[] = []): Read {
  const answer: Read = { body: '' }
  const body: Buffer[] = []
  const reader = new AnswerReader({
    onHead: ({ status, headers, keepMs }) =>
      Object.assign(answer, { status, headers: { ...headers }, keepMs }),
    onBody: (piece) => void body.push(Buffer.from(piece)),
    onEnd: () => (answer.end = 'whole'),
    onFault: ({ kind }) => (answer.end = answer.end === 'whole' ? 'whole, and more' : kind),
  })
  reader.expect()
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  // As it comes: into memory that is used again.
  const shared = Buffer.alloc(bytes.length)
  for (const [at, end] of [...ends, bytes.length].entries()) {
    const piece = bytes.subarray(ends[at - 1] ?? 0, end)
    if (piece.length === 0) continue
    shared.fill('#')
    piece.copy(shared)
    reader.push(shared.subarray(0, piece.length))
  }
  reader.finish()
  answer.body = Buffer.concat(body).toString()
  return answer
}

const readText = (text: string): Read => read(Buffer.from(text))

describe('an answer', () => {
  it.each<[what: string, text: string, read: Partial<Read>]>([
    ['ends after its length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', { status: 200, body: '{}' }],
    ['may have no body', 'HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n', { status: 202, body: '' }],
    [
      'may come behind line ends too many',
      '\r\n\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na',
      { body: 'a' },
    ],
    [
      'may have line ends too many behind it',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na\r\n',
      { body: 'a' },
    ],
    [
      'may have a length with zeroes',
      `HTTP/1.1 200 OK\r\ncontent-length: ${'0'.repeat(20)}1\r\n\r\na`,
      { body: 'a' },
    ],
    [
      'may have chunks whose lengths have zeroes',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'0'.repeat(20)}1\r\na\r\n0\r\n\r\n`,
      { body: 'a' },
    ],
    ['may have no reason', 'HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n', { status: 200 }],
    [
      'has none with 204, whatever it says',
      'HTTP/1.1 204 No\r\ncontent-length: 9\r\n\r\n',
      { status: 204, body: '' },
    ],
    [
      'has none with 304, whatever it says',
      'HTTP/1.1 304 No\r\ntransfer-encoding: chunked\r\n\r\n',
      { body: '' },
    ],
    [
      'comes in chunks, of which extensions and trailers are passed over',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3;x="y"\r\nabc\r\nA\r\n0123456789\r\n000\r\nx-sum: 1\r\n\r\n',
      { body: 'abc0123456789' },
    ],
    ['goes on until the connection ends', 'HTTP/1.0 200 OK\r\n\r\nabc', { body: 'abc', keepMs: 0 }],
    [
      'goes on so for other codings, too',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked, gzip\r\n\r\nabc',
      { body: 'abc' },
    ],
    [
      'comes behind what was said before it',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nlink: x\r\n\r\nHTTP/1.1 201 OK\r\ncontent-length: 1\r\n\r\na',
      { status: 201, headers: { 'content-length': '1' }, body: 'a' },
    ],
    [
      'has headers that are repeated, empty, or named as nothing else is',
      'HTTP/1.1 200 OK\r\nA: 1\r\na:2\r\nb:\r\nC:\t x y \r\n__proto__: p\r\ncontent-length: 0\r\n\r\n',
      { headers: { a: ['1', '2'], b: '', c: 'x y', ['__proto__']: 'p', 'content-length': '0' } },
    ],
  ])('%s', (_, text, expected) => {
    expect(readText(text)).toMatchObject({ end: 'whole', ...expected })
  })

  it.each<[head: string, keepMs: number]>([
    ['HTTP/1.1 200 OK', 30_000],
    ['HTTP/1.1 200 OK\r\nconnection: keep-alive\r\nkeep-alive: timeout=5', 3_000],
    ['HTTP/1.1 200 OK\r\nkeep-alive: max=3, timeout=3600', 600_000],
    ['HTTP/1.1 200 OK\r\nkeep-alive: timeout=1', 0],
    ['HTTP/1.1 200 OK\r\nConnection: Close', 0],
    ['HTTP/1.0 200 OK', 0],
    ['HTTP/1.0 200 OK\r\nConnection: Keep-Alive', 30_000],
  ])('%j leaves a connection that can be used again for %d ms', (head, keepMs) => {
    expect(readText(`${head}\r\ncontent-length: 0\r\n\r\n`)).toMatchObject({ end: 'whole', keepMs })
  })

  it('is none where it can be read in two ways, or is not HTTP', () => {
    const sized = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n'
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
    const none = [
      'SSH-2.0-OpenSSH_9.2\r\n',
      'HTTP/2 200\r\n\r\n',
      'HTTP/1.1 200 OK\n\n',
      'HTTP/1.1 200 OK\r\nx: 1\n',
      'HTTP/1.1 20 OK\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\n\r\n',
      `${sized}content-length: 1\r\n\r\na`,
      `${sized}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 1, 1\r\n\r\na',
      'HTTP/1.1 200 OK\r\ncontent-length: \u00A01\r\n\r\na',
      'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
      'HTTP/1.1 200 OK\r\n x: 1\r\n\r\n',
      'HTTP/1.1 200 OK\r\nx: 1\r\n 2\r\n\r\n',
      'HTTP/1.1 200 OK\r\nname : x\r\n\r\n',
      'HTTP/1.1 200 OK\r\n\u212Aeep-alive: timeout=9\r\n\r\n',
      'HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n',
      'HTTP/1.1 200 OK\r\nx: a\rb\r\n\r\n',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(17_000)}`,
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(17_000)}\r\n\r\n`,
      `${chunked}xyz\r\n`,
      `${chunked}1\nab`,
      `${chunked}1\r\nab\r\n`,
      `${chunked}-1\r\n`,
      `${chunked}0\r\n{}\r\n`,
      `${chunked}0\r\n${'x: 1\r\n'.repeat(5000)}`,
      `${chunked}1 2\r\n`,
      `${chunked}1 \r\n`,
      `${chunked}${'0'.repeat(17_000)}`,
    ]
    expect(none.map((text) => [text.slice(0, 60), readText(text).end])).toEqual(
      none.map((text) => [text.slice(0, 60), 'no-http']),
    )
  })

  it('takes no longer for thousands of headers of one name, or blanks in one, than for others', () => {
    const start = performance.now()
    const heads = ['a:\r\n'.repeat(4000), `a: b${' '.repeat(16_000)}b\r\n`]
    for (let times = 0; times < 5; times++)
      for (const head of heads)
        expect(readText(`HTTP/1.1 200 OK\r\n${head}content-length: 0\r\n\r\n`).end).toBe('whole')
    // Of either, once would take half a second.
    expect(performance.now() - start).toBeLessThan(500)
  })

  it('breaks off wherever the connection ends before it does', () => {
    const texts = [
      'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    ]
    const parts = texts.flatMap((text) => [...text].map((_, end) => text.slice(0, end)))
    expect(parts.filter((part) => readText(part).end !== 'broken-off')).toEqual([])
  })

  it('that nobody asked for is refused, also right behind one that is whole', () => {
    const told: string[] = []
    const reader = new AnswerReader({
      onHead: ({ status }) => told.push(`${status}`),
      onBody: (bytes) => told.push(String(bytes)),
      onEnd: () => told.push('end'),
      onFault: ({ kind }) => told.push(kind),
    })
    const text = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na'
    reader.expect()
    reader.push(Buffer.from(text))
    reader.expect()
    reader.push(Buffer.from(text + text))
    reader.push(Buffer.from(text))
    reader.finish()
    expect(told).toEqual(['200', 'a', 'end', '200', 'a', 'end', 'no-http'])
  })
})

const arbitraryText = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom('é€😀', '0\r\n\r\n', '\r\n', '{}'),
)
const arbitraryHeader = fc
  .tuple(fc.stringMatching(/^x-[a-z]{1,5}$/), fc.stringMatching(/^[!-~]{0,8}$/))
  .map(([name, value]) => `${name}: ${value}\r\n`)

/** As servers write them: with a length, in chunks, or until the end. */
const arbitraryAnswer = fc
  .record({
    status: fc.constantFrom(200, 202, 204, 304, 400, 401, 404, 500),
    headers: fc.array(arbitraryHeader, { maxLength: 3 }),
    pieces: fc.array(arbitraryText, { maxLength: 3 }),
    kind: fc.constantFrom('sized', 'chunked', 'endless'),
  })
  .map(({ status, headers, pieces, kind }) => {
    const isBare = status === 204 || status === 304
    const texts = isBare ? [] : pieces.filter((piece) => piece !== '')
    const chunks = texts.map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
    const start = `HTTP/1.1 ${status} X\r\n${headers.join('')}`
    const whole = texts.join('')
    if (isBare || kind === 'sized')
      return `${start}content-length: ${Buffer.byteLength(whole)}\r\n\r\n${whole}`
    if (kind === 'endless') return `${start}\r\n${whole}`
    return `${start}transfer-encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`
  })
  .map((text) => Buffer.from(text))

function withByte(bytes: Buffer, at: number, byte: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at % bytes.length] = byte
  return copy
}

describe('however it comes', () => {
  it('an answer is the same wherever it is cut', () => {
    const property = fc.property(arbitraryAnswer, fc.array(fc.nat(), { maxLength: 12 }), (bytes, cuts) => {
      expect(read(bytes, cuts)).toEqual(read(bytes))
    })
    fc.assert(property, { numRuns: 500 })
  })

  it('is the same wherever it is cut, also when it is broken', () => {
    const parts = fc.tuple(
      arbitraryAnswer,
      fc.nat(),
      fc.nat({ max: 255 }),
      fc.array(fc.nat(), { maxLength: 12 }),
    )
    const property = fc.property(parts, ([bytes, at, byte, cuts]) => {
      const broken = withByte(bytes, at, byte)
      const [cut, whole] = [read(broken, cuts), read(broken)]
      // How much of it was told before it was found out may differ.
      expect([cut.end, cut.status]).toEqual([whole.end, whole.status])
    })
    fc.assert(property, { numRuns: 500 })
  })
})

/** By Node's own client: the same connection, with the same end. */
async function readByNode(bytes: Buffer): Promise<Pick<Read, 'status' | 'body'> | undefined> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(bytes))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    return await new Promise((resolve) => {
      const fail = (): void => resolve(undefined)
      const asked = request({ host: '127.0.0.1', port, agent: false }, (response) => {
        const body: Buffer[] = []
        response.on('data', (piece: Buffer) => void body.push(piece)).on('error', fail)
        response.on('end', () =>
          resolve({ status: response.statusCode!, body: Buffer.concat(body).toString() }),
        )
        response.on('close', fail)
      })
      asked.on('error', fail).on('upgrade', fail).end()
    })
  } finally {
    server.close()
  }
}

describe('beside the parser of Node', () => {
  it('an answer is the same', async () => {
    const property = fc.asyncProperty(arbitraryAnswer, async (bytes) => {
      const { status, body, end } = read(bytes)
      expect({ end, ...(await readByNode(bytes)) }).toEqual({ end: 'whole', status, body })
    })
    await fc.assert(property, { numRuns: 150 })
  })

  it('nothing is taken for an answer that it refuses, or for another one', async () => {
    const parts = fc.tuple(arbitraryAnswer, fc.nat(), fc.nat({ max: 255 }))
    const property = fc.asyncProperty(parts, async ([bytes, at, byte]) => {
      const broken = withByte(bytes, at, byte)
      const { status, body, end } = read(broken)
      if (end === 'whole') expect(await readByNode(broken)).toEqual({ status, body })
    })
    await fc.assert(property, { numRuns: 1000, seed: 1 })
  })
})
