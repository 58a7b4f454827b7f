import { describe, expect, it } from 'vitest'
import { Lines } from '../../src/base/lines.ts'

interface Seen {
  readonly lines: Lines
  readonly told: (readonly [kind: 'line' | 'too long', text: string])[]
}

function open(maxLength = 1000): Seen {
  const told: Seen['told'] = []
  const lines = new Lines({
    maxLength,
    onLine: (line) => told.push(['line', line]),
    onTooLong: (start) => told.push(['too long', start]),
  })
  return { lines, told }
}

const linesOf = ({ told }: Seen): readonly string[] => told.map(([, text]) => text)

describe('text that comes in pieces', () => {
  it('becomes the same lines, wherever it is cut', () => {
    const text = 'one\n{"two":2}\n\nthree\r\n\r\nfour\n'
    for (let size = 1; size <= text.length; size++) {
      const seen = open()
      for (let from = 0; from < text.length; from += size) seen.lines.push(text.slice(from, from + size))
      expect([size, ...linesOf(seen)]).toEqual([size, 'one', '{"two":2}', 'three', 'four'])
    }
  })

  it('keeps what has no end until it has one, or until the last of it', () => {
    const seen = open()
    seen.lines.push('done\nhalf')
    expect(linesOf(seen)).toEqual(['done'])
    seen.lines.flush()
    expect(linesOf(seen)).toEqual(['done', 'half'])
    seen.lines.flush()
    expect(linesOf(seen)).toEqual(['done', 'half'])
  })

  it('tells of a line that is too long once, drops the rest of it, and goes on after it', () => {
    const seen = open(10)
    for (const text of ['short\n', '123456', '789012', 'more of it', 'end\nnext', ' one\n'])
      seen.lines.push(text)
    expect(seen.told).toEqual([
      ['line', 'short'],
      ['too long', '123456789012'],
      ['line', 'next one'],
    ])
  })

  it('does not take the rest of a line that was too long for a line of its own', () => {
    const seen = open(10)
    seen.lines.push('12345678901')
    seen.lines.push('rest')
    seen.lines.flush()
    expect(seen.told).toEqual([['too long', '12345678901']])
  })

  it('takes a line of exactly the longest length', () => {
    const seen = open(10)
    seen.lines.push('1234567890')
    seen.lines.push('\n')
    expect(seen.told).toEqual([['line', '1234567890']])
  })
})
