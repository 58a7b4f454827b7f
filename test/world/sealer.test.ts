/**
 * sealer: opens with the same key and the same circumstances, and with nothing else.
 */
import { expect, test } from 'vitest'
import { nodeSealer as sealer } from '../../src/world/node/sealer.ts'

const KEY = sealer.createKey()
const SEALED = sealer.seal('tøken', KEY, 'https://server.test')

test('what was sealed opens', () => {
  expect(sealer.open(SEALED, KEY, 'https://server.test')).toBe('tøken')
  expect(Buffer.from(SEALED, 'base64').toString()).not.toContain('tøken')
})

test('the same text is never sealed the same way', () => {
  expect(sealer.seal('tøken', KEY, 'https://server.test')).not.toBe(SEALED)
})

test.each([
  ['another key', SEALED, sealer.createKey(), 'https://server.test'],
  ['no key at all', SEALED, '', 'https://server.test'],
  ['another server', SEALED, KEY, 'https://evil.test'],
  ['a changed text', `${SEALED.slice(0, -4)}AAA=`, KEY, 'https://server.test'],
  ['nothing', '', KEY, 'https://server.test'],
])('with %s it does not', (_, sealed, key, bound) => {
  expect(sealer.open(sealed, key, bound)).toBeUndefined()
})
