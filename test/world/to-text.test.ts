import { expect, it } from 'vitest'
import { toText } from '../../src/world/node/to-text.ts'

const LONG = 'x'.repeat(1_100_000)

it.each<readonly [string, string]>([
  ['nothing', ''],
  ['ASCII', 'hello\n'],
  ['more than that', 'é€😀'],
  ['a byte order mark', '\ufeff{}'],
  ['a long one', LONG],
  ['a long one that is not all ASCII', `${LONG}é€😀`],
  ['a long one with a byte order mark', `\ufeff${LONG}`],
])('bytes become the text they were made of: %s', (_, text) => {
  const bytes = new TextEncoder().encode(text)
  const inside = Buffer.concat([Buffer.from('a'), bytes, Buffer.from('b')]).subarray(1, -1)
  expect([toText(bytes), toText(inside), toText(Buffer.from(bytes))]).toEqual([text, text, text])
})

it('what is no UTF-8 is replaced, in long texts as in short ones', () => {
  const wrong = Uint8Array.of(0x61, 0xff, 0xc3, 0x28, 0xf0, 0x9f, 0x62)
  const long = new Uint8Array(LONG.length).fill(0x78)
  long.set(wrong)
  const text = new TextDecoder().decode(wrong)
  expect([toText(wrong), toText(long).slice(0, text.length)]).toEqual([text, text])
})
