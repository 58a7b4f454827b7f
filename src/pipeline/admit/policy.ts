/**
 * policy: finds out whether a rule refuses this server.
 *
 * in     a definition, the rules of every level, the environment (rules see what would really run)
 * out    the first reason to refuse it, or none
 */
import { matchesWildcard } from '../../base/wildcard.ts'
import type { Fate } from '../../model/catalog.ts'
import type { ServerDefinition } from '../../model/definition.ts'
import { SOURCE_TITLES } from '../../model/origin.ts'
import {
  showMatch,
  type AllowList,
  type Policy,
  type ServerMatch,
  type ServerRule,
} from '../../model/policy.ts'
import type { Problem } from '../../model/problem.ts'
import { argvOf, canonicalUrl, tryUrl, unwrapProxy } from '../../model/signature.ts'
import { expandForComparison } from '../../model/template.ts'
import type { Env } from '../../world/world.ts'

export type Refusal = Extract<Fate, { kind: 'denied' | 'not-allowed' }>

export function findRefusal(definition: ServerDefinition, policy: Policy, env: Env): Refusal | undefined {
  if (policy.broken !== undefined) return toBroken(policy.broken)
  if (policy.deny.length === 0 && policy.allowLists.length === 0) return undefined
  const facts = toFacts(definition, env)
  const denied = policy.deny.find((rule) => matches(rule.match, facts, 'deny'))
  if (denied !== undefined) return toDenied(denied)
  const missing = policy.allowLists.find(
    (list) => !list.rules.some((rule) => matches(rule.match, facts, 'allow')),
  )
  return missing === undefined ? undefined : toNotAllowed(missing)
}

/**
 * Like `findRefusal`, for an address that lists servers. A deny rule refuses it if it names the address, or every
 * server. An allow list applies only to the listed servers; an empty one admits none of them.
 */
export function findAddressRefusal(address: string, policy: Policy, env: Env): Refusal | undefined {
  if (policy.broken !== undefined) return toBroken(policy.broken)
  const url = canonicalUrl(expandForComparison([address], env))
  // The empty name matches `*` alone.
  const facts = { name: '', url, unwrappedUrl: unwrapProxy(url) }
  const denied = policy.deny.find((rule) => matches(rule.match, facts, 'deny'))
  if (denied !== undefined) return toDenied(denied)
  const empty = policy.allowLists.find(({ rules }) => rules.length === 0)
  return empty === undefined ? undefined : toNotAllowed(empty)
}

function toBroken({ where }: Problem): Refusal {
  const { file, line, column } = where ?? {}
  const by = {
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  }
  return { kind: 'not-allowed', by, reason: 'a policy file cannot be understood, so nothing is admitted' }
}

function toDenied({ match, by, level, source }: ServerRule): Refusal {
  const owner = source === undefined ? '' : `${SOURCE_TITLES[source]}'s `
  return {
    kind: 'denied',
    by: { ...by, rule: showMatch(match) },
    reason: `a rule in ${owner}${level} settings names it`,
  }
}

function toNotAllowed({ by, level }: AllowList): Refusal {
  return { kind: 'not-allowed', by, reason: `not in the allow list of ${level} settings` }
}

/** The properties that rules examine. */
interface Facts {
  readonly name: string
  readonly argv?: readonly string[]
  readonly url?: string
  readonly unwrappedUrl?: string
}

function toFacts({ name, transport }: ServerDefinition, env: Env): Facts {
  if (transport.type === 'sdk') return { name }
  if (transport.type === 'stdio') return { name, argv: argvOf(transport, env) }
  const url = canonicalUrl(expandForComparison(transport.url, env))
  return { name, url, unwrappedUrl: unwrapProxy(url) }
}

function matches(match: ServerMatch, facts: Facts, list: 'deny' | 'allow'): boolean {
  switch (match.kind) {
    case 'name':
      return matchesWildcard(match.pattern, facts.name)
    case 'command':
      return facts.argv !== undefined && JSON.stringify(facts.argv) === JSON.stringify(match.argv)
    case 'command-pattern':
      return facts.argv !== undefined && matchesWildcard(match.pattern, facts.argv.join(' '))
    case 'url': {
      // The address behind a proxy counts only for deny rules: an allow rule must name the address that is really
      // contacted.
      const urls = list === 'deny' ? [facts.url, facts.unwrappedUrl] : [facts.url]
      return urls.some((url) => url !== undefined && matchesUrl(match.pattern, url))
    }
  }
}

/**
 * `*` in the host part stops at the first `/`: `https://*.example.com/*` must not admit
 * `https://elsewhere.test/.example.com/`. Only at the end of the pattern does it match the path as well.
 */
function matchesUrl(pattern: string, url: string): boolean {
  const given = splitUrl(url)
  // Without a scheme, the author means the host: `evil.example`, or `*.example/mcp`.
  const wanted = splitUrl(pattern.includes('://') ? pattern : `*://${pattern}`)
  if (wanted === undefined || given === undefined) return matchesWildcard(pattern, url)
  const isHost = toOrigins(wanted.origin).some((one) =>
    toOrigins(given.origin).some((other) => matchesWildcard(one, other)),
  )
  const isHostAlone = wanted.rest === '' && (wanted.origin.endsWith('*') || !pattern.includes('://'))
  const path = isHostAlone ? '*' : wanted.rest
  return (
    isHost &&
    [given.rest, given.rest || '/'].some(
      (rest) => matchesWildcard(path, rest) || (path === '/' && rest === ''),
    )
  )
}

/**
 * The forms in which the origin of a pattern or an address is compared. A WebSocket address means the same host, and an
 * IPv4 address may be written as an IPv6 one.
 */
function toOrigins(origin: string): readonly string[] {
  const [, scheme = '', host = '', port = ''] =
    /^(.*?):\/\/(?:.*@)?(\[[^\]]*\]|[^:]*)(.*)$/s.exec(origin.toLowerCase()) ?? []
  const web = scheme.replace(/^ws/, 'http')
  const known = toHost(host)
  return [known, unmapped(known)].map((one) => withoutDefaultPort(`${web}://${one}${port}`))
}

/**
 * The host as addresses have it: `0x7f.1` is `127.0.0.1`, `bücher.example` is `xn--bcher-kva.example`. A text that is
 * no host stays.
 */
function toHost(host: string): string {
  return (tryUrl(`http://${host}`)?.hostname ?? host).replace(/\.$/, '')
}

/** `[::ffff:7f00:1]` is `127.0.0.1`. */
function unmapped(host: string): string {
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(host) ?? []
  if (high === undefined || low === undefined) return host
  const groups = [high, low].map((group) => Number.parseInt(group, 16))
  return groups.flatMap((group) => [group >> 8, group & 0xff]).join('.')
}

/** Addresses have no default port here, so patterns must have none either. */
function withoutDefaultPort(origin: string): string {
  return origin.replace(/^(https:\/\/.*):443$/, '$1').replace(/^(http:\/\/.*):80$/, '$1')
}

function splitUrl(url: string): { readonly origin: string; readonly rest: string } | undefined {
  const [, origin, rest] = /^([^/?#]*:\/\/[^/?#]*)(.*)$/s.exec(url) ?? []
  return origin === undefined || rest === undefined ? undefined : { origin, rest }
}
