/**
 * signing-issuer: an issuer of tokens on loopback that signs whatever it is told to, for tokens that no decent one would
 * make. Tokens as they should be come from `authorization-server.ts`.
 */
import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT, type JWTPayload } from 'jose'
import { sendJson, serve } from './http/loopback.ts'

export interface SigningIssuer extends AsyncDisposable {
  readonly issuer: string
  /** How often its keys were asked for. */
  keysAsked(): number
  /** From now on there is another key, and the one before is gone. */
  rotate(): void
  /** From now on it does not answer. */
  fail(): void
  /** Signed as it should be, unless `how` says otherwise. `null` leaves a claim out. */
  sign(claims?: Readonly<Record<string, unknown>>, how?: Forgery): Promise<string>
}

export type Forgery =
  | 'none'
  /** With the public key of the issuer as if it were a secret. */
  | 'hs256'
  | 'unknown-key'
  /** By the name of a key that the issuer has, with another. */
  | 'other-key'

export async function startSigningIssuer(): Promise<SigningIssuer> {
  let keysAsked = 0
  let isFailing = false
  let key = createKey(1)
  const server = await serve((request) => {
    if (isFailing) return void request.response.writeHead(500).end()
    if (request.path === '/.well-known/openid-configuration')
      return sendJson(request, { issuer: server.origin, jwks_uri: `${server.origin}/keys` })
    if (request.path !== '/keys') return void request.response.writeHead(404).end()
    keysAsked += 1
    sendJson(request, {
      keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: key.kid, use: 'sig', alg: 'ES256' }],
    })
  })
  const issuer = server.origin
  return {
    issuer,
    keysAsked: () => keysAsked,
    rotate: () => void (key = createKey(key.number + 1)),
    fail: () => void (isFailing = true),
    sign: (claims = {}, how) => sign({ key, issuer, claims }, how),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

interface Key {
  readonly number: number
  readonly kid: string
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

function createKey(number: number): Key {
  return { number, kid: `key-${number}`, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) }
}

async function sign(
  from: { readonly key: Key; readonly issuer: string; readonly claims: Readonly<Record<string, unknown>> },
  how: Forgery | undefined,
): Promise<string> {
  const { key, issuer, claims } = from
  const now = Math.floor(Date.now() / 1000)
  const all = { iss: issuer, sub: 'ada', client_id: 'editor', iat: now, exp: now + 600, ...claims }
  const payload = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as JWTPayload
  switch (how) {
    case 'none':
      return `${encode({ alg: 'none' })}.${encode(payload)}.`
    case 'hs256': {
      const text = `${encode({ alg: 'HS256', kid: key.kid })}.${encode(payload)}`
      const pem = key.publicKey.export({ format: 'pem', type: 'spki' })
      return `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`
    }
    default: {
      const kid = how === 'unknown-key' ? 'nobody-knows' : key.kid
      const signing = how === undefined ? key.privateKey : createKey(0).privateKey
      return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt' }).sign(signing)
    }
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
