/**
 * keys: private keys and chance, from Node's own crypto, which signs at once.
 */
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
    // As JWS has it (RFC 7518 §3.4), not as X.509 does.
    return sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  },
  random: (bytes) => crypto().randomBytes(bytes).toString('base64url'),
}

/** Loaded by the first who needs it: most commands sign nothing. */
function crypto(): ReturnType<typeof process.getBuiltinModule<'node:crypto'>> {
  return process.getBuiltinModule('node:crypto')
}
