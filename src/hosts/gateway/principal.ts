/**
 * principal: the identity behind a request, as far as the request head shows it.
 */
import type { NamedToken, NamedTokens } from '../../runtime/named-tokens.ts'

export interface Principal {
  /** For people: in the audit log. Never a secret. */
  readonly who: string
  /** The same for the same holder with the same rights. State that starts under one key is unknown under another. */
  readonly key: string
  /** The servers that it may see and use. Undefined: all. */
  readonly servers?: ServerGrant | undefined
  /** The same for every token of one person of an issuer, whatever its rights are. */
  readonly person?: string | undefined
  /** The project whose configuration it sees. Undefined: the user scope of the owner of this gateway. */
  readonly project?: string | undefined
  /**
   * Whether its access is still valid: a token may be revoked while a request is on its way. Undefined: it is valid.
   */
  readonly isGood?: (() => boolean) | undefined
}

export interface ServerGrant {
  /** The same for the same servers. */
  readonly key: string
  allows(server: string): boolean
}

/** A client with the token of the gateway's own user. */
export const OWNER: Principal = { who: 'token', key: 'token' }

/** A client with a named token. It has its own state, and its decisions apply to no other client. */
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

/** The process that started this one and uses its pipes. */
export const PARENT: Principal = { who: 'stdio', key: 'stdio' }

/**
 * Whether it is the owner of the gateway. Only the owner may make lasting decisions and gets notifications for all
 * users.
 */
export function isOwner(principal: Principal | undefined): boolean {
  return principal === OWNER || principal === PARENT
}

/** Names of servers, where `*` matches any text. */
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
