/**
 * secrets: finds the values of a launch that must not appear in a log.
 *
 * Hiding too much is better than too little, as long as words like `true` and the names of packages stay readable.
 */
import { tryUrl } from '../../model/signature.ts'
import { RANDOM_SEGMENT, TOKEN_SHAPE } from '../../problem/mask.ts'
import type { Env } from '../../world/world.ts'

/** A shorter text would match harmless text. */
const SHORTEST = 4

export function isSecretName(name: string): boolean {
  return /key|token|secret|passw|auth|credential|cookie|private/i.test(name)
}

/** The whole value, and the secret inside it: the token behind `Bearer`, the password in a URL. */
export function secretsIn(value: string): readonly string[] {
  const bare = /^(?:Bearer|Basic|Token|ApiKey)\s+(\S.*)$/is.exec(value)?.[1]
  const inner = bare === undefined ? secretsInUrl(value) : [bare]
  return [value, ...inner].filter(isWorthHiding)
}

function isWorthHiding(text: string): boolean {
  return (
    text.length >= SHORTEST && !/^(?:true|false|null|none|auto|basic|bearer|oauth2?|default)$/i.test(text)
  )
}

/** A text that looks generated, or an address that contains one. */
export function looksRandom(value: string): boolean {
  if (isUrl(value)) return hasCredentials(value)
  return value.length >= 12 && /[A-Za-z]/.test(value) && /\d/.test(value) && !isPath(value)
}

function isUrl(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(value)
}

function isPath(value: string): boolean {
  return /^(?:~|\.{1,2})?[/\\]|^[A-Za-z]:[/\\]/.test(value)
}

function hasCredentials(value: string): boolean {
  return /^[^/]*:\/\/[^/]*@/.test(value) || secretsInUrl(value).length > 0
}

/** The secrets that an address may hold: a password, a key in the query, a key as a part of the path. */
export function secretsInUrl(value: string): readonly string[] {
  const url = isUrl(value) ? tryUrl(value) : undefined
  if (url === undefined) return []
  const queried = [...url.searchParams].filter(([name, text]) => isSecretName(name) || looksRandom(text))
  return [
    url.password,
    ...queried.map(([, text]) => text),
    ...Array.from(url.pathname.matchAll(RANDOM_SEGMENT), ([segment]) => segment),
  ].filter(isWorthHiding)
}

/** The secrets in a value of this name. */
export function secretsInVariable(name: string, value: string): readonly string[] {
  return isSecretName(name) || looksRandom(value) ? secretsIn(value) : tokensIn(value)
}

/**
 * Secrets in variables that the child inherits from the user. Only the names decide: some values look random and change
 * in every terminal, and a cached list is bound to the secrets.
 */
export function secretsOfUser(name: string, value: string): readonly string[] {
  const isSecret = isUrl(value) ? hasCredentials(value) : isSecretName(name) && !isPath(value)
  return isSecret ? secretsIn(value) : tokensIn(value)
}

/** The secrets in the whole environment. Messages of commands may repeat any of them. */
export function secretsOfEnvironment(env: Env): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : secretsOfUser(name, value),
  )
}

/**
 * The secrets in an argument: `--key=…`, `Authorization: Bearer …`, the word after `--token`, or a random-looking text.
 */
export function secretsInArgument(
  text: string,
  before: string | undefined,
  from: 'literal' | 'outside',
): readonly string[] {
  if (isUrl(text)) return secretsInUrl(text)
  const flag = before?.startsWith('-') === true && !text.startsWith('-') ? before : undefined
  if (flag !== undefined && isSecretName(flag)) return secretsIn(text)
  const assigned = /^-{0,2}([\w.-]+)(?:=|:(?![/\\]))\s*(.+)$/s.exec(text)
  const [name, value] = assigned === null ? [undefined, text] : [assigned[1]!, assigned[2]!]
  if (name !== undefined && isSecretName(name)) return secretsIn(value)
  if (isUrl(value)) return secretsInUrl(value)
  const isRandom = looksRandom(value) && (from === 'outside' || !isWordy(value))
  return isRandom ? secretsIn(value) : tokensIn(value)
}

/** Consists of words and numbers, like names and versions of packages: `@acme/sqlite3-server@1.2.0`. */
function isWordy(value: string): boolean {
  return value
    .split(/[^A-Za-z0-9]+/)
    .every((word) => /^(?:[A-Za-z]*|\d{1,8}|(?=.{1,9}$)[A-Za-z]*\d{1,3}[A-Za-z]{0,3})$/.test(word))
}

/** Tokens of well-known shapes, anywhere in the text. */
function tokensIn(value: string): readonly string[] {
  return value.match(TOKEN_SHAPE) ?? []
}
