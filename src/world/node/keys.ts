/** keys: private keys and random bytes, from Node's own crypto, which signs synchronously. */
import type { Keys } from '../world.ts'

export const nodeKeys: Keys = {
  create() {
    const { generateKeyPairSync } = crypto()
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    return JSON.stringify(privateKey.export({ format: 'jwk' }))
  },
  sign(jwk, text) {
    const { createPrivateKey, sign } = crypto()
    const key = createPrivateKey({ key: JSON.parse(jwk) as Record<string, string>, format: 'jwk' })
    // In the format of JWS (RFC 7518 §3.4), not of X.509.
    return sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  },
  random: (bytes) => crypto().randomBytes(bytes).toString('base64url'),
}

/** Loaded with the first call: most commands sign nothing. */
function crypto(): ReturnType<typeof process.getBuiltinModule<'node:crypto'>> {
  return process.getBuiltinModule('node:crypto')
}
