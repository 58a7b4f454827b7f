/**
 * trust: what a user is asked to approve about a server of a repository, and whether an approval still holds.
 *
 * in     a definition, the executable its command leads to, the decision on file
 * out    the facts that an approval is bound to; approved, or the fate of the entry
 * never  puts values of variables in: the facts are the unexpanded definition
 */
import { sha256 } from '../../base/sha256.ts'
import type { Change, Fate } from '../../model/catalog.ts'
import type { OAuth, ServerDefinition, TemplateMap } from '../../model/definition.ts'
import type { Scope } from '../../model/origin.ts'
import type { TrustDecision, TrustFacts } from '../../model/trust.ts'
import { showTemplate, type Template } from '../../model/template.ts'

export type Distrust = Extract<Fate, { kind: 'untrusted' | 'declined' }>

/** What the user decided about servers of this name. */
export interface Decisions {
  readonly all: readonly TrustDecision[]
  /** Those that no entry of today matches: the user decided about something that has changed since. */
  readonly stale: readonly TrustDecision[]
}

/** Undefined when the user approved exactly this. */
export function findDistrust(facts: TrustFacts, { all, stale }: Decisions): Distrust | undefined {
  const decision = all.find((one) => compareFacts(one.facts, facts).length === 0)
  if (decision?.decision === 'approved') return undefined
  if (decision?.decision === 'declined') {
    return { kind: 'declined', reason: `you declined it on ${decision.at.slice(0, 10)}` }
  }
  const last = stale.at(-1)
  if (last === undefined) return { kind: 'untrusted', reason: 'a project server waits for your approval' }
  const changed = compareFacts(last.facts, facts)
  return { kind: 'untrusted', reason: `it changed since you ${last.decision} it`, changed }
}

export function compareFacts(was: TrustFacts, is: TrustFacts): readonly Change[] {
  const fields = new Set([...Object.keys(was), ...Object.keys(is)])
  return [...fields]
    .filter((field) => was[field] !== is[field])
    .map((field) => ({
      field,
      ...(was[field] === undefined ? {} : { was: was[field] }),
      ...(is[field] === undefined ? {} : { is: is[field] }),
    }))
}

/** What a definition rests on outside of itself. */
export interface Ground {
  /** Where the command leads today; undefined when it leads nowhere. */
  readonly executable: string | undefined
  /** Where relative paths begin. */
  readonly baseDir: string
}

export function toTrustFacts(definition: ServerDefinition, ground: Ground): TrustFacts {
  const facts: Record<string, string> = { type: definition.transport.type }
  const put = (field: string, value: Template | string | undefined): void => {
    if (value !== undefined) facts[field] = typeof value === 'string' ? value : showTemplate(value)
  }
  const putMap = (field: string, map: TemplateMap): void => {
    for (const [key, value] of map) facts[`${field}.${key}`] = toFact(showTemplate(value), definition.values)
  }
  const { transport, name: _, description: __, auth, ...rest } = definition
  switch (transport.type) {
    case 'stdio':
      put('command', transport.command)
      put('executable', ground.executable ?? 'not found')
      put('base', ground.baseDir)
      put('args', JSON.stringify(transport.args.map(showTemplate)))
      put('cwd', transport.cwd)
      put('envFile', transport.envFile)
      putMap('env', transport.env)
      break
    case 'http':
    case 'sse':
    case 'ws':
      put('url', transport.url)
      put('headersHelper', transport.headersHelper)
      putMap('header', transport.headers)
      if (transport.type !== 'ws' && transport.oauth !== undefined)
        facts['oauth'] = secret(stringify(transport.oauth))
      break
    case 'sse-ide':
    case 'ws-ide':
      put('url', transport.url)
      put('ideName', transport.ideName)
      put(
        'ideRunningInWindows',
        transport.ideRunningInWindows === undefined ? undefined : String(transport.ideRunningInWindows),
      )
      if (transport.authToken !== undefined) facts['authToken'] = secret(showTemplate(transport.authToken))
      break
    case 'sdk':
      put('name', transport.sdkName)
      break
    case 'claudeai-proxy':
      put('url', transport.url)
      put('id', transport.id)
  }
  if (auth !== undefined) facts['auth'] = secret(stringify(auth))
  for (const [field, value] of Object.entries(rest))
    facts[field] = typeof value === 'string' ? value : JSON.stringify(value)
  return facts
}

/**
 * What grants and pins are bound to: what runs or is reached, and with which values. How long it may take and which of
 * its tools are wanted make no other server of it. The folder does for a server of a repository, whose `node server.js`
 * is another program in every clone; one that its user configured is the same everywhere.
 */
export function fingerprintOfTrust(facts: TrustFacts, scope: Scope): string {
  const kept = Object.entries(facts).filter(
    ([field]) => !TREATMENT.has(field) && (field !== 'base' || scope === 'project'),
  )
  return sha256(JSON.stringify(kept.sort(([a], [b]) => (a < b ? -1 : 1))))
}

const TREATMENT: ReadonlySet<string> = new Set([
  'timeoutMs',
  'maxDurationMs',
  'startupTimeoutMs',
  'required',
  'includeTools',
  'excludeTools',
  'supportsParallelCalls',
  'isolation',
])

function stringify(value: OAuth | object): string {
  return JSON.stringify(value)
}

/** Tells a change, not the value. */
function secret(value: string): string {
  return `sha256:${sha256(value).slice(0, 16)}`
}

/** A value that is a command is what its user must see; any other may be a secret. */
function toFact(value: string, values: ServerDefinition['values']): string {
  return values === 'resolvable' && value.startsWith('!') ? value : secret(value)
}
