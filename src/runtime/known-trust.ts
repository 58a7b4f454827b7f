/**
 * known-trust: what is known about the entries of a repository before a stage judges them.
 *
 * in     the normalized entries, the decisions on file, the choices made in Claude Code
 * out    the facts that a user would approve, and for each entry the user's decision
 */
import type { ServerDefinition, StdioTransport } from '../model/definition.ts'
import type { FoundEntry, NormalizedEntry } from '../model/entry.ts'
import { expandForComparison } from '../model/template.ts'
import type { ProjectTrust, TrustFacts } from '../model/trust.ts'
import type { TrustOfEntry } from '../pipeline/admit/admit.ts'
import { findProgram } from '../pipeline/admit/executable.ts'
import { isAbout, toTrustFacts, type EnvFileFacts } from '../pipeline/admit/trust.ts'
import type { Discovery } from '../pipeline/discover/discover.ts'
import { hashOfEnvFile, parseEnvFile } from '../pipeline/resolve/env-file.ts'
import type { World } from '../world/world.ts'

export interface KnownTrust {
  /** For every server of the repository that can be approved. Only these functions read its `envFile`. */
  readonly facts: ReadonlyMap<NormalizedEntry, () => TrustFacts>
  /** The user approved something that is in the repository today. */
  readonly isProjectApproved: boolean
  of(entry: NormalizedEntry): TrustOfEntry
}

export function findTrust(
  world: World,
  entries: readonly NormalizedEntry[],
  known: { readonly decided: ProjectTrust; readonly choices: Discovery['choices'] },
): KnownTrust {
  const { decided, choices } = known
  const facts = factsOf(world, entries, decided)
  const factsByName = byName(facts)
  const isDecided = (name: string, own: TrustFacts): boolean =>
    (decided.get(name) ?? []).some((one) => one.decision === 'approved' && isAbout(one, own))
  return {
    facts: wholeFactsOf(world, entries),
    isProjectApproved: [...facts].some(([{ found }, own]) => isDecided(found.name, own)),
    of(entry) {
      const { name, origin } = entry.found
      if (origin.scope !== 'project') return NOTHING_DECIDED
      const all = decided.get(name) ?? []
      const today = factsByName.get(name) ?? []
      const stale = all.filter((one) => !today.some((own) => isAbout(one, own)))
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

type Known = ReadonlyMap<NormalizedEntry, TrustFacts>

/** An `envFile` is read only when the user decided about the rest of the entry as it is now. */
function factsOf(world: World, entries: readonly NormalizedEntry[], decided: ProjectTrust): Known {
  const facts = new Map<NormalizedEntry, TrustFacts>()
  for (const entry of entries) {
    if (!isOfRepository(entry)) continue
    const { definition, found } = entry
    const own = factsOfServer(world, definition, found)
    const isKnown = (decided.get(found.name) ?? []).some((one) =>
      isAbout({ ...one, facts: withoutEnvFile(one.facts) }, withoutEnvFile(own)),
    )
    const mayRead = isKnown && own['envFile'] !== undefined
    facts.set(entry, mayRead ? wholeFactsOfServer(world, definition, found) : own)
  }
  return facts
}

function wholeFactsOf(world: World, entries: readonly NormalizedEntry[]): KnownTrust['facts'] {
  return new Map(
    entries
      .filter(isOfRepository)
      .map((entry) => [entry, () => wholeFactsOfServer(world, entry.definition, entry.found)]),
  )
}

type Definition = Extract<NormalizedEntry, { kind: 'definition' }>

function isOfRepository(entry: NormalizedEntry): entry is Definition {
  return entry.found.origin.scope === 'project' && entry.kind === 'definition'
}

/** Without the facts that the file may change. The program is one of them: the file may set `PATH`. */
function withoutEnvFile(facts: TrustFacts): TrustFacts {
  const { executable: _, 'envFile.content': __, 'envFile.variables': ___, ...rest } = facts
  return rest
}

type EntryBase = Pick<FoundEntry, 'baseDir' | 'dialect'>

/** The facts of any server, as it would start today. Reads no file. */
export function factsOfServer(world: World, definition: ServerDefinition, place: EntryBase): TrustFacts {
  return toFacts(world, definition, place)
}

/** As `factsOfServer`, with the content of the `envFile`: for an entry that its user looks at. */
export function wholeFactsOfServer(world: World, definition: ServerDefinition, place: EntryBase): TrustFacts {
  const { transport } = definition
  const envFile = transport.type === 'stdio' ? readEnvFile(world, transport, place) : undefined
  return toFacts(world, definition, place, envFile)
}

function toFacts(
  world: World,
  definition: ServerDefinition,
  { baseDir, dialect }: EntryBase,
  envFile?: EnvFile,
): TrustFacts {
  const { transport, values } = definition
  const around = { baseDir, ...(envFile === undefined ? {} : { fileVariables: envFile.values }) }
  return toTrustFacts(definition, {
    baseDir,
    dialect,
    env: world.env,
    program: transport.type === 'stdio' ? findProgram(world, { transport, values }, around) : undefined,
    ...(envFile === undefined ? {} : { envFile }),
  })
}

interface EnvFile extends EnvFileFacts {
  readonly values: ReadonlyMap<string, string>
}

function readEnvFile(world: World, { envFile }: StdioTransport, { baseDir }: EntryBase): EnvFile | undefined {
  if (envFile === undefined) return undefined
  const none = { variables: [], values: new Map<string, string>() }
  // Another file, or a question, decides which file it is. It is not read when no user could be shown that.
  if (envFile.some((part) => typeof part !== 'string' && part.kind !== 'env'))
    return { ...none, content: 'not known before it starts' }
  const path = expandForComparison(envFile, world.env).replace(/^~(?=[/\\]|$)/, () => world.home)
  const read = world.files.read(world.paths.resolve(baseDir, path))
  if (read.kind !== 'text') return { ...none, content: read.kind === 'missing' ? 'missing' : 'unreadable' }
  const values = parseEnvFile(read.text).variables
  return { content: hashOfEnvFile(read.text), variables: [...values.keys()].sort(), values }
}

function byName(facts: Known): ReadonlyMap<string, readonly TrustFacts[]> {
  const named = new Map<string, TrustFacts[]>()
  for (const [{ found }, own] of facts) named.set(found.name, [...(named.get(found.name) ?? []), own])
  return named
}
