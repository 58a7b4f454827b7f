import { describe, expect, it } from 'vitest'
import { ByteLines } from '../../src/base/byte-lines.ts'
import { letGo } from '../../src/base/let-go.ts'
import { toText } from '../../src/world/node/to-text.ts'

const LONG = 16 * 1024

/** Says with how many bytes it was left, as any buffer would from Node 22 on. */
function createBuffer(length: number): { readonly buffer: ArrayBuffer; readonly left: number[] } {
  const left: number[] = []
  const buffer = Object.assign(new ArrayBuffer(length), { transfer: (rest: number) => left.push(rest) })
  return { buffer, left }
}

describe('memory that is let go', () => {
  it('is given back whole', () => {
    const { buffer, left } = createBuffer(LONG)
    letGo(new Uint8Array(buffer))
    expect(left).toEqual([0])
  })

  it.each([
    ['of bytes that are short', LONG - 1, 0, LONG - 1],
    ['that has something before the bytes', LONG + 1, 1, LONG],
    ['that has something behind them', LONG + 1, 0, LONG],
  ])('stays where it is: memory %s', (_, size, from, length) => {
    const { buffer, left } = createBuffer(size)
    letGo(new Uint8Array(buffer, from, length))
    expect(left).toEqual([])
  })

  it('may be of a kind that cannot be given back', () => {
    const bytes = new Uint8Array(Object.assign(new ArrayBuffer(LONG), { transfer: undefined }))
    letGo(bytes)
    expect(bytes.length).toBe(LONG)
  })

  it('is that of the pieces of a line, once the line is there, and of nothing that is still to be read', () => {
    const lines: string[] = []
    const reader = new ByteLines({
      maxLength: 10 * LONG,
      toText,
      onLine: (line) => lines.push(line),
      onTooLong: () => undefined,
    })
    const [first, second] = [createBuffer(LONG), createBuffer(LONG)]
    new Uint8Array(first.buffer).fill(0x61)
    new Uint8Array(second.buffer).fill(0x62)
    reader.push(new Uint8Array(first.buffer))
    expect(first.left).toEqual([])
    reader.push(new TextEncoder().encode('\n'))
    expect([first.left, lines.map(({ length }) => length)]).toEqual([[0], [LONG]])
    // A line ends in it, and the next begins.
    new Uint8Array(second.buffer)[10] = 0x0a
    reader.push(new Uint8Array(second.buffer))
    reader.flush()
    expect([second.left, lines.map(({ length }) => length)]).toEqual([[], [LONG, 10, LONG - 11]])
  })
})
