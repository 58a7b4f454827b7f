/**
 * known-trust: what is known about the entries of a repository before anyone judges them.
 *
 * in     the normalized entries, the decisions on file, the choices made in Claude Code
 * out    the facts a user would approve, and for each entry what was decided about it
 */
import type { ServerDefinition } from '../model/definition.ts'
import type { NormalizedEntry } from '../model/entry.ts'
import type { ProjectTrust, TrustFacts } from '../model/trust.ts'
import type { TrustOfEntry } from '../pipeline/admit/admit.ts'
import { findExecutable } from '../pipeline/admit/executable.ts'
import { compareFacts, toTrustFacts } from '../pipeline/admit/trust.ts'
import type { Discovery } from '../pipeline/discover/discover.ts'
import type { World } from '../world/world.ts'

export interface KnownTrust {
  /** For every server of the repository that can be approved. */
  readonly facts: ReadonlyMap<NormalizedEntry, TrustFacts>
  /** Something that is in the repository today was approved by its user. */
  readonly isProjectApproved: boolean
  of(entry: NormalizedEntry): TrustOfEntry
}

export function findTrust(
  world: World,
  entries: readonly NormalizedEntry[],
  known: { readonly decided: ProjectTrust; readonly choices: Discovery['choices'] },
): KnownTrust {
  const { decided, choices } = known
  const facts = factsOf(world, entries)
  const factsByName = byName(facts)
  const isDecided = (name: string, own: TrustFacts): boolean =>
    (decided.get(name) ?? []).some((one) => one.decision === 'approved' && areEqual(one.facts, own))
  return {
    facts,
    isProjectApproved: [...facts].some(([{ found }, own]) => isDecided(found.name, own)),
    of(entry) {
      const { name, origin } = entry.found
      if (origin.scope !== 'project') return NOTHING_DECIDED
      const all = decided.get(name) ?? []
      const today = factsByName.get(name) ?? []
      const stale = all.filter((one) => !today.some((own) => areEqual(one.facts, own)))
      const own = facts.get(entry)
      // Claude Code asks about `.mcp.json` alone.
      const isAsked = (one: Discovery['choices'][number]): boolean =>
        origin.source === 'mcp-json' && one.decision === 'disabled' && one.server === name
      const declined = choices.find(isAsked)
      return {
        decisions: { all, stale },
        ...(own === undefined ? {} : { facts: own }),
        ...(declined === undefined ? {} : { declinedElsewhere: declined.by }),
      }
    },
  }
}

/** Only what a repository declares needs a decision. */
const NOTHING_DECIDED: TrustOfEntry = { decisions: { all: [], stale: [] } }

function areEqual(one: TrustFacts, two: TrustFacts): boolean {
  return compareFacts(one, two).length === 0
}

function factsOf(world: World, entries: readonly NormalizedEntry[]): KnownTrust['facts'] {
  const facts = new Map<NormalizedEntry, TrustFacts>()
  for (const entry of entries) {
    if (entry.found.origin.scope !== 'project' || entry.kind !== 'definition') continue
    facts.set(entry, factsOfServer(world, entry.definition, entry.found.baseDir))
  }
  return facts
}

/** Of any server, as it would be launched today. */
export function factsOfServer(world: World, definition: ServerDefinition, baseDir: string): TrustFacts {
  const { transport } = definition
  const executable = transport.type === 'stdio' ? findExecutable(world, transport, baseDir) : undefined
  return toTrustFacts(definition, { executable, baseDir })
}

function byName(facts: KnownTrust['facts']): ReadonlyMap<string, readonly TrustFacts[]> {
  const named = new Map<string, TrustFacts[]>()
  for (const [{ found }, own] of facts) named.set(found.name, [...(named.get(found.name) ?? []), own])
  return named
}
