/**
 * principal: on whose behalf a request is made, as far as the door could tell.
 */
import type { NamedToken, NamedTokens } from '../../runtime/named-tokens.ts'

export interface Principal {
  /** For people: in the audit log. Never a secret. */
  readonly who: string
  /** The same for the same holder with the same rights. What is begun under one is not known under another. */
  readonly key: string
  /** The servers that it may see and use. Undefined: all. */
  readonly servers?: ServerGrant | undefined
  /** The same for every token of one person of an issuer, whatever its rights. */
  readonly person?: string | undefined
  /** Whose configuration it sees. Undefined: what the user of this gateway has everywhere. */
  readonly project?: string | undefined
  /** Whether it may come in still: what opened the door may be taken back while a request is on its way. Undefined: it may. */
  readonly isGood?: (() => boolean) | undefined
}

export interface ServerGrant {
  /** The same for the same servers. */
  readonly key: string
  allows(server: string): boolean
}

/** Whoever holds the token of this gateway's own user. */
export const OWNER: Principal = { who: 'token', key: 'token' }

/** Whoever holds a token that has a name. What it opens is its own, and so is what it may decide: nothing for others. */
export function holderOf(token: NamedToken, tokens: Pick<NamedTokens, 'has'>): Principal {
  const { name, hash, project } = token
  return { who: `token:${name}`, key: keyOfToken(hash), project, isGood: () => tokens.has(token) }
}

export function isDismissed({ isGood }: Principal): boolean {
  return isGood?.() === false
}

export function keyOfToken(hash: string): string {
  return `token:${hash}`
}

/** Whoever started this process, and speaks over its pipes. */
export const PARENT: Principal = { who: 'stdio', key: 'stdio' }

/** Whose gateway it is: what is written down for later, and what is told to everybody, is theirs to decide. */
export function isOwner(principal: Principal | undefined): boolean {
  return principal === OWNER || principal === PARENT
}

/** Names of servers, where `*` is any text. */
export function grantOf(patterns: readonly string[]): ServerGrant {
  const sorted = [...new Set(patterns)].sort()
  const tests = sorted.map(toTest)
  return { key: JSON.stringify(sorted), allows: (server) => tests.some((test) => test(server)) }
}

function toTest(pattern: string): (name: string) => boolean {
  if (!pattern.includes('*')) return (name) => name === pattern
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  const whole = new RegExp(`^${parts.join('.*')}$`, 's')
  return (name) => whole.test(name)
}
