/**
 * admit: may this entry run at all?
 *
 * in     one normalized entry, the policy in force, the modes of this run, the user's decision about it
 * out    an admission: a server that may run, an entry that may not run yet keeps its name, or one that steps aside
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
import type { TrustFacts } from '../../model/trust.ts'
import type { Env } from '../../world/world.ts'
import { findAddressRefusal, findRefusal } from './policy.ts'
import { findDistrust, type Decisions } from './trust.ts'

/** What holds for every entry of one load. */
export interface House {
  readonly settings: Settings
  readonly policy: Policy
  readonly managed?: Spot & { readonly source: SourceId }
  readonly isStrict: boolean
  /** Names of servers the host implements itself. */
  readonly native: ReadonlySet<string>
  /** Where this very process serves MCP: `http://127.0.0.1:7777` … */
  readonly ownOrigins: ReadonlySet<string>
  readonly env: Env
}

/** What the user has to say about one entry of a repository. */
export interface TrustOfEntry {
  /** Undefined when the entry is not a server that could be approved. */
  readonly facts?: TrustFacts
  readonly decisions: Decisions
  /** The line where the user said no in Claude Code. */
  readonly declinedElsewhere?: Spot
}

export function admit(entry: NormalizedEntry, house: House, trust: TrustOfEntry): Admission {
  const excluded = findExclusion(entry, house)
  if (excluded !== undefined) return { kind: 'aside', entry, fate: excluded }
  // Before trust: there is nothing to approve, and the advice must not hide behind a question.
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
  const server = {
    ...entry.definition,
    found: entry.found,
    ...(approvedEnvFile === undefined ? {} : { approvedEnvFile }),
  }
  return { kind: 'admitted', entry, server: server as AdmittedServer }
}

/** Why nothing that a connector lists can run: then it must not be fetched, which would send the user's headers. */
export function findConnectorRefusal(
  { url }: Pick<Connector, 'url'>,
  house: Omit<House, 'native' | 'ownOrigins'>,
): ConnectorRefusal | undefined {
  const place = { scope: 'connector', source: 'plugboard', file: url } as const
  const excluded = findPlaceExclusion(place, house)
  if (excluded !== undefined) return { ...excluded, isDenied: false }
  const refused = findAddressRefusal(url, house.policy, house.env)
  return refused === undefined ? undefined : { by: refused.by, reason: refused.reason, isDenied: true }
}

type Excluded = Extract<Fate, { kind: 'excluded' }>

function findExclusion(entry: NormalizedEntry, house: House): Excluded | undefined {
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

/** Whatever is declared at this place. */
function findPlaceExclusion(
  { scope, source, file }: Pick<Origin, 'scope' | 'source' | 'file'>,
  house: Pick<House, 'managed' | 'settings' | 'policy' | 'isStrict'>,
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
function isOurselves(entry: NormalizedEntry, { ownOrigins, env }: House): boolean {
  if (entry.kind !== 'definition') return false
  const { definition } = entry
  if (definition.transport.type === 'stdio') return isOurCommand(definition.transport)
  const origin = ownOrigins.size === 0 ? undefined : originOf(definition, env)
  return origin !== undefined && ownOrigins.has(origin)
}

/** The command by its name, or as the file that it is; which was `bin.cjs` once. */
const OUR_COMMAND =
  /(?:^|[/\\])plugboard(?:@[\w.-]+|\.cmd|\.exe)?$|[/\\]plugboard[/\\](?:.*[/\\])?bin\.c?js$/i

/** What `plugboard connect` writes for other agents. */
function isOurCommand({ command, args }: StdioTransport): boolean {
  const words = [command, ...args].map(showTemplate)
  const at = words.findIndex((word) => OUR_COMMAND.test(word))
  return at !== -1 && words[at + 1] === 'serve' && words.includes('--stdio')
}

/** Our user's own word about this very server outranks what was clicked in Claude Code. */
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
