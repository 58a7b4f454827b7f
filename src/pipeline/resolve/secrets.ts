/**
 * secrets: which of the values of a launch must not be seen in a log.
 *
 * Too much is better than too little, as long as words like `true` and the names of packages stay readable.
 */
import { tryUrl } from '../../model/signature.ts'
import { RANDOM_SEGMENT, TOKEN_SHAPE } from '../../problem/mask.ts'
import type { Env } from '../../world/world.ts'

/** Anything shorter would be found in innocent text. */
const SHORTEST = 4

export function isSecretName(name: string): boolean {
  return /key|token|secret|passw|auth|credential|cookie|private/i.test(name)
}

/** A value as a whole, and what in it is the secret proper: the token behind `Bearer`, the password in a URL. */
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

/** Nobody thought this up; or it is an address with something of that kind in it. */
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

/** What people put into an address: a password, a key in the query, a key as a part of the path. */
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

/** What is secret in a value of this name. */
export function secretsInVariable(name: string, value: string): readonly string[] {
  return isSecretName(name) || looksRandom(value) ? secretsIn(value) : tokensIn(value)
}

/**
 * Of variables that the child has from the user. By their names only: some look random and are new in every terminal,
 * and a cached list is bound to the secrets.
 */
export function secretsOfUser(name: string, value: string): readonly string[] {
  const isSecret = isUrl(value) ? hasCredentials(value) : isSecretName(name) && !isPath(value)
  return isSecret ? secretsIn(value) : tokensIn(value)
}

/** What is secret in the environment as a whole: for messages of commands, which may repeat anything. */
export function secretsOfEnvironment(env: Env): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : secretsOfUser(name, value),
  )
}

/** What is secret in an argument: `--key=…`, `Authorization: Bearer …`, the word after `--token`, or by its look. */
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

/** Made of words and numbers, as names and versions of packages are: `@acme/sqlite3-server@1.2.0`. */
function isWordy(value: string): boolean {
  return value
    .split(/[^A-Za-z0-9]+/)
    .every((word) => /^(?:[A-Za-z]*|\d{1,8}|(?=.{1,9}$)[A-Za-z]*\d{1,3}[A-Za-z]{0,3})$/.test(word))
}

/** Well-known shapes, wherever they stand. */
function tokensIn(value: string): readonly string[] {
  return value.match(TOKEN_SHAPE) ?? []
}
