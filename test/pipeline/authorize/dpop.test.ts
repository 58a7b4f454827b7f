/**
 * dpop: proofs that others can check (RFC 9449 §4).
 */
import { createHash, createPublicKey, verify, type JsonWebKeyInput } from 'node:crypto'
import { expect, test } from 'vitest'
import { Secret } from '../../../src/base/secret.ts'
import { createProver } from '../../../src/pipeline/authorize/dpop.ts'
import { nodeKeys } from '../../../src/world/node/keys.ts'

interface Proof {
  readonly header: {
    readonly alg: string
    readonly typ: string
    readonly jwk: Readonly<Record<string, string>>
  }
  readonly claims: Readonly<Record<string, unknown>>
}

/** Throws when its signature is not that of the key in it. */
function open(proof: string): Proof {
  const [header, claims, signature] = proof.split('.') as [string, string, string]
  const decode = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())
  const opened = { header: decode(header), claims: decode(claims) } as Proof
  const key = createPublicKey({ key: opened.header.jwk, format: 'jwk' } as JsonWebKeyInput)
  const isGood = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isGood) throw new Error('it is not signed with the key in it')
  return opened
}

const NOW = 1_700_000_000_999

function create(): ReturnType<typeof createProver> {
  return createProver(new Secret(nodeKeys.create()), { keys: nodeKeys, now: () => NOW })
}

test('a proof names the request without its query, the time, and the token by its hash', () => {
  const { header, claims } = open(
    create().proofOf({ method: 'POST', url: 'https://a.test:8443/mcp?x=1#y', accessToken: 'abc' }),
  )
  expect(header).toMatchObject({ alg: 'ES256', typ: 'dpop+jwt' })
  expect(Object.keys(header.jwk).sort()).toEqual(['crv', 'kty', 'x', 'y'])
  expect(claims).toEqual({
    jti: expect.stringMatching(/^[\w-]{22}$/) as string,
    htm: 'POST',
    htu: 'https://a.test:8443/mcp',
    iat: 1_700_000_000,
    ath: createHash('sha256').update('abc').digest('base64url'),
  })
})

test('no proof is like another', () => {
  const prover = create()
  const request = { method: 'GET', url: 'https://a.test/' }
  expect(open(prover.proofOf(request)).claims['jti']).not.toBe(open(prover.proofOf(request)).claims['jti'])
})

test('a nonce is for the server that gave it, and the newest counts', () => {
  const prover = create()
  prover.setNonce('https://a.test/token', 'one')
  prover.setNonce('https://a.test/', 'two')
  const nonceAt = (url: string): unknown => open(prover.proofOf({ method: 'GET', url })).claims['nonce']
  expect([nonceAt('https://a.test/mcp'), nonceAt('https://b.test/mcp')]).toEqual(['two', undefined])
})
