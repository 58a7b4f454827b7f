/**
 * admit: decides whether an entry may run.
 *
 * in     one normalized entry, the policy in force, the modes of this run, the user's decision about it
 * out    an admission: a server that may run, an entry that may not run yet and keeps its name, or an entry that steps
 *        aside
 * never  compares entries with each other: that is for choose
 */
import type { Admission, AdmittedServer, ConnectorRefusal, Fate } from '../../model/catalog.ts'
import type { StdioTransport } from '../../model/definition.ts'
import type { NormalizedEntry } from '../../model/entry.ts'
import type { Origin, SourceId, Spot } from '../../model/origin.ts'
import type { Policy } from '../../model/policy.ts'
import type { Connector, Settings } from '../../model/settings.ts'
import { originOf } from '../../model/signature.ts'
import { showTemplate } from '../../model/template.ts'
import type { FolderTrust, TrustFacts } from '../../model/trust.ts'
import type { Env } from '../../world/world.ts'
import { findConfinement, type Ground } from './confine.ts'
import { findAddressRefusal, findRefusal } from './policy.ts'
import { findDistrust, type Decisions } from './trust.ts'

/** The facts that are the same for every entry of one load. */
export interface AdmitContext {
  readonly settings: Settings
  readonly policy: Policy
  readonly managed?: Spot & { readonly source: SourceId }
  readonly isStrict: boolean
  /** Names of servers that the host implements itself. */
  readonly native: ReadonlySet<string>
  /** Where this process serves MCP: `http://127.0.0.1:7777` … */
  readonly ownOrigins: ReadonlySet<string>
  readonly env: Env
  readonly folder: FolderTrust
  readonly world: Ground['world']
}

/** The user's decision about one entry of a repository. */
export interface TrustOfEntry {
  /** Undefined when the user cannot approve the entry as a server. */
  readonly facts?: TrustFacts
  readonly decisions: Decisions
  /** The line in which the user declined the server in Claude Code. */
  readonly declinedElsewhere?: Spot
}

export function admit(entry: NormalizedEntry, house: AdmitContext, trust: TrustOfEntry): Admission {
  const excluded = findExclusion(entry, house)
  if (excluded !== undefined) return { kind: 'aside', entry, fate: excluded }
  // Checked before trust: there is nothing to approve, and a question about trust would hide the advice.
  if (entry.kind === 'unsupported') return { kind: 'aside', entry, fate: toUnsupported(entry) }
  const distrusted = entry.found.origin.scope === 'project' ? distrust(trust) : undefined
  if (distrusted !== undefined) return { kind: 'aside', entry, fate: distrusted }
  if (entry.kind === 'invalid') return { kind: 'barred', entry, fate: toInvalid(entry) }
  if (entry.off !== undefined) {
    return { kind: 'barred', entry, fate: { kind: 'disabled', by: entry.off.by, reason: entry.off.reason } }
  }
  const refusal = findRefusal(entry.definition, house.policy, house.env)
  if (refusal !== undefined) return { kind: 'barred', entry, fate: refusal }
  const approvedEnvFile = trust.facts?.['envFile.content']
  const confinement = findConfinement(entry, house)
  const server = {
    ...entry.definition,
    found: entry.found,
    ...(approvedEnvFile === undefined ? {} : { approvedEnvFile }),
    ...(confinement === undefined ? {} : { confinement }),
  }
  return { kind: 'admitted', entry, server: server as AdmittedServer }
}

/**
 * Why no server of a connector could run. Plugboard must then not fetch its list, because that would send the user's
 * headers.
 */
export function findConnectorRefusal(
  { url }: Pick<Connector, 'url'>,
  house: Pick<AdmitContext, 'settings' | 'policy' | 'managed' | 'isStrict' | 'env'>,
): ConnectorRefusal | undefined {
  const place = { scope: 'connector', source: 'plugboard', file: url } as const
  const excluded = findPlaceExclusion(place, house)
  if (excluded !== undefined) return { ...excluded, isDenied: false }
  const refused = findAddressRefusal(url, house.policy, house.env)
  return refused === undefined ? undefined : { by: refused.by, reason: refused.reason, isDenied: true }
}

type Excluded = Extract<Fate, { kind: 'excluded' }>

function findExclusion(entry: NormalizedEntry, house: AdmitContext): Excluded | undefined {
  const { found } = entry
  const excluded = findPlaceExclusion(found.origin, house)
  if (excluded !== undefined || found.origin.scope === 'managed') return excluded
  if (house.native.has(found.name)) {
    return { kind: 'excluded', by: { rule: 'native' }, reason: 'the host implements this server itself' }
  }
  if (isOurselves(entry, house)) {
    return { kind: 'excluded', by: { rule: 'gateway' }, reason: 'it is the gateway of Plugboard itself' }
  }
  return undefined
}

/** A reason that excludes every entry of this place. */
function findPlaceExclusion(
  { scope, source, file }: Pick<Origin, 'scope' | 'source' | 'file'>,
  house: Pick<AdmitContext, 'managed' | 'settings' | 'policy' | 'isStrict'>,
): Excluded | undefined {
  const { managed, settings, policy } = house
  if (managed !== undefined && file !== managed.file) {
    return {
      kind: 'excluded',
      by: { file: managed.file },
      reason: "the organisation's list of servers is exclusive",
    }
  }
  if (scope === 'managed') return undefined
  if (policy.pluginServersOnly !== undefined && scope !== 'plugin') {
    return {
      kind: 'excluded',
      by: policy.pluginServersOnly,
      reason: 'the organisation allows servers of plugins only',
    }
  }
  if (house.isStrict && scope !== 'dynamic') {
    return {
      kind: 'excluded',
      by: { rule: '--strict-mcp-config' },
      reason: 'strict mode uses only what was given with the command',
    }
  }
  const sourceOff = scope === 'dynamic' ? undefined : settings.sourcesOff.get(source)
  if (sourceOff !== undefined)
    return { kind: 'excluded', by: sourceOff, reason: `the source \`${source}\` is turned off` }
  if (scope === 'project' && settings.projectConfigOff !== undefined) {
    return { kind: 'excluded', by: settings.projectConfigOff, reason: 'servers of projects are turned off' }
  }
  return undefined
}

/** The gateway must not be one of its own servers. */
function isOurselves(entry: NormalizedEntry, { ownOrigins, env }: AdmitContext): boolean {
  if (entry.kind !== 'definition') return false
  const { definition } = entry
  if (definition.transport.type === 'stdio') return isOurCommand(definition.transport)
  const origin = ownOrigins.size === 0 ? undefined : originOf(definition, env)
  return origin !== undefined && ownOrigins.has(origin)
}

/** The command that `plugboard connect` writes for other agents. */
function isOurCommand({ command, args }: StdioTransport): boolean {
  const words = [command, ...args].map(showTemplate)
  const at = words.findIndex((word) =>
    /(?:^|[/\\])plugboard(?:@[\w.-]+|\.cmd|\.exe)?$|[/\\]plugboard[/\\].*bin\.cjs$/i.test(word),
  )
  return at !== -1 && words[at + 1] === 'serve' && words.includes('--stdio')
}

/** A decision in Plugboard about this exact server outranks a choice in Claude Code. */
function distrust({ facts, decisions, declinedElsewhere }: TrustOfEntry): Fate | undefined {
  if (decisions.all.length === 0 && declinedElsewhere !== undefined) {
    return { kind: 'declined', by: declinedElsewhere, reason: 'you turned it off in Claude Code' }
  }
  if (facts === undefined)
    return {
      kind: 'untrusted',
      reason: 'a project server waits for your approval, and this one must be mended first',
    }
  return findDistrust(facts, decisions)
}

function toInvalid({ problems }: Extract<NormalizedEntry, { kind: 'invalid' }>): Fate {
  return {
    kind: 'invalid',
    problems,
    reason: `Invalid server config: ${problems.map(({ message }) => message).join('; ')}`,
  }
}

function toUnsupported({ problem }: Extract<NormalizedEntry, { kind: 'unsupported' }>): Fate {
  return { kind: 'unsupported', problem, reason: problem.message }
}
