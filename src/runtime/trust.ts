/**
 * trust: the decisions of users about the servers of the project they are in.
 *
 * Decisions return through the disk: each one is written to the store, and counts from the next load on.
 */
import { findNearest } from '../base/edit-distance.ts'
import type { CatalogEntry, Change } from '../model/catalog.ts'
import type { Spot } from '../model/origin.ts'
import type { Problem } from '../model/problem.ts'
import type { ProjectTrust, TrustDecision, TrustFacts } from '../model/trust.ts'
import { compareFacts, isAbout } from '../pipeline/admit/trust.ts'
import { createProblem, ProblemError, whereOrigin } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { trustFile, updateTrust } from './trust-store.ts'

/** A server of the project, and everything that its user should see before saying yes. */
export interface TrustQuestion {
  readonly name: string
  readonly entry: CatalogEntry
  readonly facts: TrustFacts
  /** What changed since the user's last decision. */
  readonly changed: readonly Change[]
  /** Lines where the user enabled it in Claude Code. */
  readonly enabledElsewhere: readonly Spot[]
}

/** The servers of this project that the user can decide on. With `name`, only those of that name. */
export function trustQuestions(loaded: LoadedCatalog, name?: string): readonly TrustQuestion[] {
  return loaded.catalog.entries.flatMap((entry) => {
    const { found } = entry.entry
    const findFacts = loaded.facts.get(entry.entry)
    if (findFacts === undefined || (name !== undefined && found.name !== name)) return []
    const changed = entry.fate.kind === 'untrusted' ? (entry.fate.changed ?? []) : []
    const isShared = found.origin.source === 'mcp-json'
    const choices = isShared ? loaded.enabledElsewhere : []
    const enabledElsewhere = choices
      .filter(({ server }) => server === found.name || server === '*')
      .map(({ by }) => by)
    return [{ name: found.name, entry, facts: findFacts(), changed, enabledElsewhere }]
  })
}

/** Servers that are neither approved nor declined. */
export function waitingQuestions(loaded: LoadedCatalog): readonly TrustQuestion[] {
  return trustQuestions(loaded).filter(({ entry }) => entry.fate.kind === 'untrusted')
}

/** Servers of this project whose entry must be mended before any decision, with what is wrong. */
export function brokenServers(
  loaded: LoadedCatalog,
): readonly { readonly entry: CatalogEntry; readonly problem: Problem }[] {
  return loaded.catalog.entries
    .filter(({ entry, fate }) => fate.kind === 'untrusted' && entry.kind !== 'definition')
    .map((entry) => ({ entry, problem: invalidServer(entry) }))
}

/**
 * Finds the entry that was shown in a current catalog. `changed` then holds what differs from what was shown. Undefined
 * when the entry is gone, or broken.
 */
export function findAgain(loaded: LoadedCatalog, shown: TrustQuestion): TrustQuestion | undefined {
  const { file } = shown.entry.entry.found.origin
  const now = trustQuestions(loaded, shown.name)
    .filter(({ entry }) => entry.entry.found.origin.file === file)
    .map((question) => ({ ...question, changed: compareFacts(shown.facts, question.facts) }))
  return now.find(({ changed }) => changed.length === 0) ?? now[0]
}

/** Like `trustQuestions`; throws `trust/unknown-server` or `trust/invalid-server` when there is nothing to decide. */
export function requireQuestions(loaded: LoadedCatalog, name: string): readonly TrustQuestion[] {
  const questions = trustQuestions(loaded, name)
  if (questions.length > 0) return questions
  const entry = loaded.catalog.entries.find(
    ({ entry: one }) => one.found.name === name && one.found.origin.scope === 'project',
  )
  throw new ProblemError(entry === undefined ? unknownServer(loaded, name) : invalidServer(entry))
}

/**
 * Records a decision about exactly what was shown. `loaded` holds the files as they are now. When one of the servers is
 * not as it was shown, throws `trust/changed` and records nothing.
 */
export async function decideAsShown(
  world: World,
  loaded: LoadedCatalog,
  {
    decision,
    shown,
  }: { readonly decision: TrustDecision['decision']; readonly shown: readonly TrustQuestion[] },
): Promise<void> {
  for (const question of shown) {
    const now = findAgain(loaded, question)
    if (now === undefined || now.changed.length > 0) throw new ProblemError(changedMeanwhile(question, now))
  }
  await decide(world, loaded, decision, shown)
}

export async function decide(
  world: World,
  loaded: LoadedCatalog,
  decision: TrustDecision['decision'],
  questions: readonly TrustQuestion[],
): Promise<void> {
  const at = new Date(world.clock.now()).toISOString()
  await updateTrust(world, trustFile(world, loaded.dirs), ({ projects }) => {
    const servers = new Map(projects.get(loaded.project.realRoot))
    for (const name of new Set(questions.map((question) => question.name))) {
      const decided = questions
        .filter((one) => one.name === name)
        .map(({ facts }): TrustDecision => ({ decision, at, facts }))
      servers.set(name, [...stillValid(loaded, servers.get(name) ?? [], { name, decided }), ...decided])
    }
    projects.set(loaded.project.realRoot, servers)
  })
}

/** Decisions about other entries of this name that did not change. Decisions about changed entries are replaced. */
function stillValid(
  loaded: LoadedCatalog,
  before: readonly TrustDecision[],
  now: { readonly name: string; readonly decided: readonly TrustDecision[] },
): readonly TrustDecision[] {
  const today = trustQuestions(loaded, now.name).map(({ facts }) => facts)
  const isAmong = (all: readonly TrustFacts[], one: TrustDecision): boolean =>
    all.some((facts) => isAbout(one, facts))
  const decided = now.decided.map(({ facts }) => facts)
  return before.filter((one) => isAmong(today, one) && !isAmong(decided, one))
}

/** Forgets decisions about this project: of the named servers, or all. Returns how many. */
export async function resetTrust(
  world: World,
  loaded: LoadedCatalog,
  what: { readonly kind: 'servers'; readonly names: readonly string[] } | { readonly kind: 'project' },
): Promise<number> {
  let forgotten = 0
  const root = loaded.project.realRoot
  const names = what.kind === 'servers' ? what.names : []
  await updateTrust(world, trustFile(world, loaded.dirs), ({ projects, folders }) => {
    const before = countDecisions(projects)
    if (what.kind === 'project') {
      projects.delete(root)
      if (folders.delete(root)) forgotten += 1
    } else {
      const servers = new Map(projects.get(root))
      for (const name of names) servers.delete(name)
      projects.set(root, servers)
    }
    forgotten += before - countDecisions(projects)
  })
  return forgotten
}

function countDecisions(projects: ReadonlyMap<string, ProjectTrust>): number {
  return [...projects.values()].flatMap((servers) => [...servers.values()]).flat().length
}

/** The user answered about something else than what is there now. */
export function changedMeanwhile({ name, entry }: TrustQuestion, now: TrustQuestion | undefined): Problem {
  const what = now === undefined ? 'is not declared there any more' : 'changed while you were asked'
  return createProblem({
    code: 'trust/changed',
    message: `\`${name}\` ${what}, so nothing was recorded`,
    where: whereOrigin((now ?? { entry }).entry.entry.found.origin, name),
  })
}

function unknownServer(loaded: LoadedCatalog, name: string): Problem {
  const known = trustQuestions(loaded).map((question) => question.name)
  const elsewhere = loaded.catalog.entries.find(({ entry }) => entry.found.name === name)
  const nearest = findNearest(name, known)
  if (elsewhere !== undefined) {
    return createProblem({
      code: 'trust/unknown-server',
      message: `\`${name}\` needs no approval`,
      where: whereOrigin(elsewhere.entry.found.origin, name),
      notes: ['only servers that a repository declares do'],
    })
  }
  return createProblem({
    code: 'trust/unknown-server',
    message: `this project declares no server named \`${name}\``,
    notes: [known.length === 0 ? 'it declares none' : `it declares: ${known.join(', ')}`],
    hints: nearest === undefined ? [] : [`did you mean \`${nearest}\`?`],
  })
}

function invalidServer({ entry }: CatalogEntry): Problem {
  const { name, origin } = entry.found
  const problems =
    entry.kind === 'invalid' ? entry.problems : entry.kind === 'unsupported' ? [entry.problem] : []
  return createProblem({
    code: 'trust/invalid-server',
    message: `\`${name}\` must be mended before you can decide about it`,
    where: problems[0]?.where ?? whereOrigin(origin, name),
    notes: problems.map(({ message }) => message),
  })
}
