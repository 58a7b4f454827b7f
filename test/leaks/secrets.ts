/**
 * secrets: every token, code, verifier and client secret of the tests that nobody must be able to read anywhere.
 *
 * in     what authorization servers of the tests gave or were shown, and what tests call secret themselves
 * out    those that stand in a text: as they are, as an address or JSON has them, in base64, or broken over several lines
 */
import { createHash } from 'node:crypto'

const secrets = new Set<string>()
/** Of verifiers that have not been shown to anybody yet, and may never be. */
const challenges = new Set<string>()

/** Shorter ones turn up by chance. */
const LEAST_LENGTH = 12

export function noteSecret(value: unknown): void {
  if (typeof value === 'string' && value.length >= LEAST_LENGTH) learn({ secret: value })
}

/** Of a form, a query or an answer, the parts that are secret. */
export function noteIssued(params: Readonly<Record<string, unknown>>): void {
  for (const name of SECRET) noteSecret(params[name])
  const { code_challenge: challenge } = params
  if (typeof challenge === 'string') learn({ challenge })
}

const SECRET = [
  'access_token',
  'refresh_token',
  'token',
  'subject_token',
  'code',
  'code_verifier',
  'client_secret',
  'client_assertion',
  'registration_access_token',
  'device_code',
  'assertion',
  'id_token',
] as const

export interface Noted {
  readonly secret?: string
  readonly challenge?: string
}

let tell: (noted: Noted) => void = () => undefined

/** Told once of each. */
export function onNoted(listener: (noted: Noted) => void): void {
  tell = listener
}

export function learn(noted: Noted): void {
  const { secret, challenge } = noted
  const before = secrets.size + challenges.size
  if (secret !== undefined) secrets.add(secret)
  if (challenge !== undefined) challenges.add(challenge)
  if (secrets.size + challenges.size > before) tell(noted)
}

export function hasSecrets(): boolean {
  return secrets.size + challenges.size > 0
}

/** Those that stand in a text. */
export function findSecrets(text: string): readonly string[] {
  const texts = [text, join(text)]
  const isIn = (form: string): boolean => texts.some((one) => one.includes(form))
  const found = [...secrets].filter((secret) => formsOf(secret).some(isIn))
  return [...new Set([...found, ...texts.flatMap(findVerifiers)])]
}

/** Without what a terminal puts between the parts of a long word: colours, movements, frames and ends of lines. */
function join(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replaceAll(/[^\w.~+/=%-]+/g, '')
}

function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '')
  return [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), base64])]
}

/** RFC 7636: a verifier is what makes the challenge, whether or not an authorization server ever saw it. */
function findVerifiers(text: string): readonly string[] {
  if (challenges.size === 0) return []
  const words = new Set(text.match(/[\w.~-]{43,128}/g))
  return [...words].filter((word) => challenges.has(createHash('sha256').update(word).digest('base64url')))
}
