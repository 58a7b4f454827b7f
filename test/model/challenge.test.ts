/**
 * challenge: what servers write into `WWW-Authenticate`, and what is understood of it.
 */
import { expect, test } from 'vitest'
import { toChallenge } from '../../src/model/challenge.ts'

test.each([
  ['nothing', undefined, { scopes: [] }],
  ['a bare scheme', 'Bearer', { scopes: [] }],
  [
    'all of it',
    'Bearer realm="mcp", error="invalid_token", scope="read write", resource_metadata="https://a.test/.well-known/x"',
    {
      error: 'invalid_token',
      scopes: ['read', 'write'],
      resourceMetadataUrl: 'https://a.test/.well-known/x',
    },
  ],
  [
    'no quotes',
    'bearer error=insufficient_scope,scope=admin',
    { error: 'insufficient_scope', scopes: ['admin'] },
  ],
  ['an escaped quote', 'Bearer error="a\\"b"', { error: 'a"b', scopes: [] }],
  ['another scheme first', 'Basic realm="x", Bearer scope="read"', { scopes: ['read'] }],
  [
    'another scheme after',
    'DPoP error="use_dpop_nonce", algs="ES256", Basic realm="x"',
    { error: 'use_dpop_nonce', scopes: [] },
  ],
  ['another scheme only', 'Basic realm="scope"', { scopes: [] }],
  ['a word that looks like ours', 'Bearerish scope="read"', { scopes: [] }],
])('%s', (_, header, expected) => {
  expect(toChallenge({ status: 401, header })).toEqual({ status: 401, ...expected })
})

test('a hostile header takes no time', () => {
  const began = performance.now()
  toChallenge({ status: 401, header: `Bearer ${'a="'.repeat(100_000)}` })
  toChallenge({ status: 401, header: `Bearer ${' ,'.repeat(100_000)}` })
  expect(performance.now() - began).toBeLessThan(200)
})

test('other statuses are about something else', () => {
  expect(toChallenge({ status: 404, header: 'Bearer scope="read"' })).toBeUndefined()
})
