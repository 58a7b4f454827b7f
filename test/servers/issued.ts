/**
 * issued: every token, code, verifier and client secret that an authorization server of this test file gave or was shown.
 *
 * Whatever a command prints anywhere in the suite is searched for them (`processes/plugboard.ts`).
 */
const issued = new Set<string>()

/** Shorter ones turn up by chance. */
const LEAST_LENGTH = 12

/** Of a form or an answer, the parts that are secret. */
export function noteIssued(params: Readonly<Record<string, unknown>>): void {
  for (const name of SECRET) {
    const value = params[name]
    if (typeof value === 'string' && value.length >= LEAST_LENGTH) issued.add(value)
  }
}

const SECRET = [
  'access_token',
  'refresh_token',
  'token',
  'code',
  'code_verifier',
  'client_secret',
  'device_code',
  'assertion',
] as const

/** Those that stand in a text, as they are or as an address has them. */
export function findIssued(text: string): readonly string[] {
  return [...issued].filter((one) => text.includes(one) || text.includes(encodeURIComponent(one)))
}
