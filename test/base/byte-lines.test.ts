import { describe, expect, it } from 'vitest'
import { ByteLines } from '../../src/base/byte-lines.ts'

interface Seen {
  readonly lines: ByteLines
  readonly told: (readonly [kind: 'line' | 'too long', text: string])[]
}

function open(maxLength = 1000): Seen {
  const told: Seen['told'] = []
  const lines = new ByteLines({
    maxLength,
    onLine: (line) => told.push(['line', line]),
    onTooLong: (start) => told.push(['too long', start]),
  })
  return { lines, told }
}

/** In pieces of so many bytes. */
function push({ lines }: Seen, text: string, size = Infinity): void {
  const bytes = new TextEncoder().encode(text)
  for (let from = 0; from < bytes.length; from += size) lines.push(bytes.subarray(from, from + size))
}

const linesOf = ({ told }: Seen): readonly string[] => told.map(([, text]) => text)

describe('bytes that come in pieces', () => {
  it('become the same lines, wherever they are cut, also inside a character', () => {
    const text = 'one\n{"two":"é€😀"}\n\nthree\r\n\r\nfour €\n'
    for (let size = 1; size <= 50; size++) {
      const seen = open()
      push(seen, text, size)
      expect([size, ...linesOf(seen)]).toEqual([size, 'one', '{"two":"é€😀"}', 'three', 'four €'])
    }
  })

  it.each([
    ['ASCII', 'abcdefg'],
    ['characters of several bytes', 'aé€😀'],
  ])('become one line of many pieces: %s', (_, text) => {
    const long = text.repeat(100_000)
    const seen = open(Infinity)
    push(seen, `before\n${long}\nafter\n`, 65_536)
    expect(linesOf(seen)).toEqual(['before', long, 'after'])
  })

  it('may come byte by byte, however many there are', () => {
    const long = 'aé€😀'.repeat(20_000)
    const seen = open(Infinity)
    push(seen, `${long}\n`, 1)
    expect(linesOf(seen)).toEqual([long])
  })

  it('give a byte order mark as it came, and what is no UTF-8 as what it is', () => {
    const seen = open()
    push(seen, '\uFEFF{}\n')
    seen.lines.push(Uint8Array.of(0x61, 0xff, 0x0a))
    expect(linesOf(seen)).toEqual(['\uFEFF{}', 'a\uFFFD'])
  })

  it('are kept without an end until they have one, or until the last of them', () => {
    const seen = open()
    push(seen, 'done\nhalf')
    expect(linesOf(seen)).toEqual(['done'])
    seen.lines.flush()
    seen.lines.flush()
    expect(linesOf(seen)).toEqual(['done', 'half'])
  })

  it('end in half a character, and that is told, too', () => {
    const seen = open()
    seen.lines.push(new TextEncoder().encode('half €').subarray(0, -1))
    seen.lines.flush()
    expect(linesOf(seen)).toEqual(['half \uFFFD'])
  })

  it('are told once of a line that is too long; the rest of it is dropped, and what follows is not', () => {
    const seen = open(10)
    for (const text of ['short\n', '123456', '789012', 'more of it', 'end\nnext', ' one\n']) push(seen, text)
    expect(seen.told).toEqual([
      ['line', 'short'],
      ['too long', '123456789012'],
      ['line', 'next one'],
    ])
  })

  it('do not become a line of their own when they are the rest of one that was too long', () => {
    const seen = open(10)
    push(seen, '12345678901')
    push(seen, 'rest')
    seen.lines.flush()
    expect(seen.told).toEqual([['too long', '12345678901']])
  })

  it('may be exactly as many as a line may have', () => {
    const seen = open(10)
    push(seen, '1234567890')
    push(seen, '\n')
    expect(seen.told).toEqual([['line', '1234567890']])
  })
})
