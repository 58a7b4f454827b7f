/**
 * challenge: what servers write into `WWW-Authenticate`, and what it means.
 */
import { expect, test } from 'vitest'
import { parseChallenge } from '../../src/model/challenge.ts'

const NOTHING = { status: 401, scopes: [] }

test.each([
  ['nothing', undefined, NOTHING],
  ['a bare scheme', 'Bearer', NOTHING],
  ['another scheme', 'Basic realm="x", scope="a"', NOTHING],
  [
    'all that there is',
    'Bearer realm="x", error="invalid_token", scope="a  b", resource_metadata="https://mcp.test/.well-known/x"',
    {
      status: 401,
      error: 'invalid_token',
      scopes: ['a', 'b'],
      resourceMetadataUrl: 'https://mcp.test/.well-known/x',
    },
  ],
  [
    'words without quotes',
    'bearer error=invalid_token,scope=a',
    { status: 401, error: 'invalid_token', scopes: ['a'] },
  ],
  ['a comma in quotes', 'Bearer realm="a, scope=b", scope="c"', { status: 401, scopes: ['c'] }],
  ['an escaped quote', String.raw`Bearer realm="a\"b", scope="c"`, { status: 401, scopes: ['c'] }],
  ['two schemes', 'Basic realm="x", Bearer scope="a"', { status: 401, scopes: ['a'] }],
  ['what belongs to another scheme', 'Bearer, Digest scope="a"', NOTHING],
  [
    'a key is wanted',
    'DPoP resource_metadata="https://m.test/"',
    { ...NOTHING, wantsDpop: true, resourceMetadataUrl: 'https://m.test/' },
  ],
  ['a key is possible', 'DPoP algs="ES256", Bearer scope="a"', { status: 401, scopes: ['a'] }],
  ['something said twice', 'Bearer scope="a", scope="b"', { status: 401, scopes: ['a'] }],
  ['nonsense', '=,"', NOTHING],
])('%s', (_, authenticate, expected) => {
  expect(parseChallenge(401, { authenticate })).toEqual(expected)
})

test('a nonce comes in a header of its own', () => {
  expect(parseChallenge(401, { authenticate: 'DPoP error="use_dpop_nonce"', dpopNonce: 'n' })).toEqual({
    status: 401,
    error: 'use_dpop_nonce',
    scopes: [],
    wantsDpop: true,
    dpopNonce: 'n',
  })
})
