/**
 * policy: does a rule name this server?
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
import { argvOf, canonicalUrl, unwrapProxy } from '../../model/signature.ts'
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
 * As `findRefusal`, for an address that lists servers: a deny rule that names it, or one that names every server. What an
 * allow list admits is known only once the servers are; an empty one admits none.
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

/** What rules look at. */
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
      // Behind a proxy only a deny rule may look: an allow rule must name what is really asked.
      const urls = list === 'deny' ? [facts.url, facts.unwrappedUrl] : [facts.url]
      return urls.some((url) => url !== undefined && matchesUrl(match.pattern, url))
    }
  }
}

/**
 * `*` in the host part stops at the first `/`: `https://*.example.com/*` must not admit
 * `https://elsewhere.test/.example.com/`. Only where the pattern ends with it, it stands for the path as well.
 */
function matchesUrl(pattern: string, url: string): boolean {
  const given = splitUrl(url)
  // Without a scheme, the author means the host: `evil.example`, or `*.example/mcp`.
  const wanted = splitUrl(pattern.includes('://') ? pattern : `*://${pattern}`)
  if (wanted === undefined || given === undefined) return matchesWildcard(pattern, url)
  const isHost = matchesWildcard(withoutDefaultPort(wanted.origin.toLowerCase()), given.origin)
  const isHostAlone = wanted.rest === '' && (wanted.origin.endsWith('*') || !pattern.includes('://'))
  const path = isHostAlone ? '*' : wanted.rest
  return (
    isHost &&
    [given.rest, given.rest || '/'].some(
      (rest) => matchesWildcard(path, rest) || (path === '/' && rest === ''),
    )
  )
}

/** URLs are compared without it, so patterns must be. */
function withoutDefaultPort(origin: string): string {
  return origin.replace(/^(https|wss)(:\/\/.*):443$/, '$1$2').replace(/^(http|ws)(:\/\/.*):80$/, '$1$2')
}

function splitUrl(url: string): { readonly origin: string; readonly rest: string } | undefined {
  const [, origin, rest] = /^([^/?#]*:\/\/[^/?#]*)(.*)$/s.exec(url) ?? []
  return origin === undefined || rest === undefined ? undefined : { origin, rest }
}
