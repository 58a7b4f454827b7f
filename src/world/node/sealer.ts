/** sealer: AES-256-GCM. A sealed text has three parts: 12 random bytes, a tag of 16 bytes, the encrypted text. */
import type { Sealer } from '../world.ts'

const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** Loaded only here: most runs seal nothing. */
function crypto(): ReturnType<typeof process.getBuiltinModule<'node:crypto'>> {
  return process.getBuiltinModule('node:crypto')
}

export const nodeSealer: Sealer = {
  createKey: () => crypto().randomBytes(KEY_BYTES).toString('base64'),

  seal(text, key, bound) {
    const iv = crypto().randomBytes(IV_BYTES)
    const cipher = crypto().createCipheriv('aes-256-gcm', Buffer.from(key, 'base64'), iv)
    cipher.setAAD(Buffer.from(bound))
    const body = [cipher.update(text, 'utf8'), cipher.final()]
    return Buffer.concat([iv, cipher.getAuthTag(), ...body]).toString('base64')
  },

  open(sealed, key, bound) {
    const bytes = Buffer.from(sealed, 'base64')
    const secret = Buffer.from(key, 'base64')
    if (bytes.length < IV_BYTES + TAG_BYTES || secret.length !== KEY_BYTES) return undefined
    try {
      const decipher = crypto().createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, IV_BYTES))
      decipher.setAAD(Buffer.from(bound))
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      const body = bytes.subarray(IV_BYTES + TAG_BYTES)
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
    } catch {
      return undefined // a key or text that does not fit gives undefined
    }
  },
}
