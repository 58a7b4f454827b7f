/**
 * transfer: servers of one file → entries of another, in the dialect of the agent that reads it.
 *
 * in     entries of the catalog, and the target
 * out    for each: the entry to write, with all that gets lost; or that the target has it; or why it is left out
 * never  overwrites an existing server; copies what cannot be understood; reports no loss when reading the entry back
 *        shows one
 */
import type { ObjectValue } from '../../edit/change.ts'
import { findDifferences } from '../../edit/differences.ts'
import type { Unsaid } from '../../edit/dialects/writer.ts'
import { kindOfServer, writeEntry, type ServerToWrite } from '../../edit/write-entry.ts'
import type { CatalogEntry } from '../../model/catalog.ts'
import type { ServerDefinition, TemplateMap } from '../../model/definition.ts'
import { originalText } from '../../model/entry.ts'
import type { Scope } from '../../model/origin.ts'
import type { Problem } from '../../model/problem.ts'
import type { Template } from '../../model/template.ts'
import type { Env, World } from '../../world/world.ts'
import { maskDefinition } from '../../problem/mask-definition.ts'
import { toDefinitionJson } from '../definition-json.ts'
import type { LoadedCatalog } from '../load-catalog.ts'
import { invalidEntry } from './add-problems.ts'
import { isName } from './check-entry.ts'
import { findLiteralSecrets } from './literal-secrets.ts'
import { readBack } from './read-back.ts'
import { rebase, type Move } from './rebase.ts'
import type { Target } from './target.ts'
import { nameIsTaken, noSuchKind, notUnderstood, sameName, showUnsaid } from './transfer-problems.ts'

export interface Transfer {
  readonly target: Target
  readonly planned: readonly Planned[]
  /** Servers that the target has already, with the same content. */
  readonly there: readonly CatalogEntry[]
  readonly left: readonly Left[]
}

/** A server that can be written. */
export interface Planned {
  readonly from: CatalogEntry
  /** Its name in the target. */
  readonly name: string
  readonly entry: ObjectValue
  /** The same without secrets, for the screen. */
  readonly shownEntry: ObjectValue
  /** The definition as the target's agent will read it. */
  readonly definition: ServerDefinition
  /** What is lost or changed, one sentence each. */
  readonly losses: readonly string[]
  /** The server is off here, but it will be on there. */
  readonly isTurnedOn: boolean
  /** Its name goes onto the list of names that are off. */
  readonly isOffByList: boolean
  /** Fields with a literal secret that would become visible in a repository. The host asks the user about them. */
  readonly exposed: readonly string[]
  /** Inputs that VS Code has to ask for. */
  readonly inputs: readonly string[]
}

export interface Left {
  readonly from: CatalogEntry
  readonly problem: Problem
}

export async function planTransfer(
  world: World,
  loaded: LoadedCatalog,
  { entries, target }: { readonly entries: readonly CatalogEntry[]; readonly target: Target },
): Promise<Transfer> {
  const planned: Planned[] = []
  const there: CatalogEntry[] = []
  const left: Left[] = []
  for (const from of entries) {
    const outcome = await planOne(world, loaded, { from, target })
    if (outcome === 'there') there.push(from)
    else if ('problem' in outcome) left.push(outcome)
    else {
      const twin = planned.find(({ name }) => name === outcome.name)
      if (twin === undefined) planned.push(outcome)
      else left.push({ from, problem: sameName(from, twin.name, twin.from) })
    }
  }
  return { target, planned, there, left }
}

async function planOne(
  world: World,
  loaded: LoadedCatalog,
  { from, target }: { readonly from: CatalogEntry; readonly target: Target },
): Promise<Planned | Left | 'there'> {
  const { entry } = from
  if (entry.kind !== 'definition') return { from, problem: notUnderstood(from) }
  const { definition, notes } = adapt(world, from, target)
  const wanted: ServerToWrite = { definition, power: entry.off === undefined ? 'on' : 'off' }
  const written = writeEntry(wanted, target.writer)
  if (written.kind === 'impossible') return { from, problem: noSuchKind(from, written.serverKind, target) }

  const { name } = definition
  const back = await readBack(world, { name, entry: written.entry }, toPlace(target))
  if (back.kind === 'invalid') return { from, problem: invalidEntry(back.problems) }
  if (back.kind === 'unsupported') return { from, problem: invalidEntry([back.problem]) }
  const read: ServerToWrite = { definition: back.definition, power: back.off === undefined ? 'on' : 'off' }
  const held = findHeld(loaded, target, name)
  if (held !== undefined) return compareHeld(world, { from, held, target }, read)

  const misread = findMisread(wanted, read, { unsaid: written.unsaid, target })
  const off = wanted.power === 'off' ? planOff(target, [...written.unsaid, ...misread]) : undefined
  return {
    from,
    name,
    entry: written.entry,
    shownEntry: toShown(wanted, target),
    definition: back.definition,
    losses: [
      ...notes,
      ...(off?.unsaid ?? [...written.unsaid, ...misread]).map((one) => showUnsaid(one, target.title)),
    ],
    isTurnedOn: off?.unsaid.some(isAboutPower) ?? false,
    isOffByList: off?.by === 'list',
    exposed: target.scope === 'project' ? findLiteralSecrets(definition, world.env) : [],
    inputs: target.source === 'vscode' ? inputsIn(definition) : [],
  }
}

/** How a server stays off: by its entry, or by a list. When neither works everywhere, the losses say so. */
function planOff(
  { offList }: Target,
  unsaid: readonly Unsaid[],
): { readonly by: 'entry' | 'list'; readonly unsaid: readonly Unsaid[] } {
  if (offList === undefined || !unsaid.some(isAboutPower)) return { by: 'entry', unsaid }
  const others = unsaid.filter((one) => !isAboutPower(one))
  const why = 'turns servers off for one project at a time: elsewhere it is on'
  return {
    by: 'list',
    unsaid: offList.reach === 'here' ? [...others, { field: 'enabled', why }] : others,
  }
}

function isAboutPower({ field }: Unsaid): boolean {
  return field === 'enabled'
}

/** The definition that means the same in the other file. */
function adapt(
  world: World,
  { entry }: CatalogEntry,
  target: Target,
): { readonly definition: ServerDefinition; readonly notes: readonly string[] } {
  const { found } = entry
  const own = (entry as Extract<typeof entry, { kind: 'definition' }>).definition
  const name = target.source === 'plugboard' ? toOurName(found.name) : found.name
  const { definition, moved } = rebase(
    { ...own, name },
    { from: found.baseDir, to: target.baseDir, kind: moveOf(found.origin.scope, target.scope) },
    world,
  )
  const settled = target.writer.values === 'literal' ? settleValues(definition, world.env) : definition
  return {
    definition: settled,
    notes: [
      ...(name === found.name ? [] : [`it is called \`${name}\` there`]),
      ...moved.map((field) => `\`${field}\` is changed, so that paths lead where they led`),
      ...Object.entries(found.variables)
        .filter(([word]) => originalText(found).includes(`\${${word}}`))
        .map(([word, value]) => `\`\${${word}}\` is written out: it is \`${value}\` here`),
      ...entry.warnings.filter(({ code }) => code === 'normalize/not-used').map(({ message }) => message),
    ],
  }
}

function moveOf(from: Scope, to: Scope): Move['kind'] {
  if (from !== 'project') return 'between'
  return to === 'user' ? 'out' : 'within'
}

/** The nearest name that our files allow. */
function toOurName(name: string): string {
  if (isName(name)) return name
  return (
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/[^A-Za-z0-9_.-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 100) || 'server'
  )
}

/**
 * Some files treat a value that is the name of a variable as that variable. Files without this lookup need an explicit
 * reference.
 */
function settleValues(definition: ServerDefinition, env: Env): ServerDefinition {
  const { transport, values } = definition
  if (values === 'literal') return definition
  const settle = (map: TemplateMap): TemplateMap =>
    new Map([...map].map(([key, value]) => [key, settleValue(value, env)]))
  if (transport.type === 'stdio')
    return { ...definition, transport: { ...transport, env: settle(transport.env) } }
  if (!('headers' in transport)) return definition
  return { ...definition, transport: { ...transport, headers: settle(transport.headers) } }
}

function settleValue(value: Template, env: Env): Template {
  const [text] = value
  const isName = value.length === 1 && typeof text === 'string' && Object.hasOwn(env, text)
  return isName ? [{ kind: 'env', name: text }] : value
}

function toPlace(target: Target): Parameters<typeof readBack>[2] {
  const { file, readAs, scope, writer, baseDir, source, around } = target
  // `~` is kept for the home folder, since this agent understands it.
  const variables = source === 'copilot' ? { '~': '~' } : {}
  return {
    file,
    source: readAs,
    scope,
    dialect: writer.dialect,
    baseDir,
    variables,
    ...(around === undefined ? {} : { around }),
  }
}

/** Differences that the writer did not expect: for example a text that this agent takes for a reference. */
function findMisread(
  wanted: ServerToWrite,
  read: ServerToWrite,
  { unsaid, target }: { readonly unsaid: readonly Unsaid[]; readonly target: Target },
): readonly Unsaid[] {
  const listed = unsaid.map(({ field }) => field)
  const kinds = [wanted, read].map(({ definition }) => kindOfServer(definition.transport))
  // Plugboard may try HTTP as SSE, too, which is no loss. The file decides how values are looked up.
  const given = [
    ...(kinds.join() === 'http,auto' ? ['type'] : []),
    ...(target.writer.values === 'literal' ? ['values'] : []),
  ]
  const isListed = (field: string): boolean => {
    const whole = /^(?:env|headers|args)(?=[.[])/.exec(field)?.[0] ?? field
    return [field, whole].some((one) => listed.includes(one) || given.includes(one))
  }
  return findDifferences(wanted, read)
    .filter((field) => !isListed(field))
    .map((field) => ({ field, why: whyMisread(field, wanted.definition) }))
}

function whyMisread(field: string, { timeoutMs, startupTimeoutMs }: ServerDefinition): string {
  const given = { timeout: timeoutMs, startupTimeout: startupTimeoutMs }
  const isFromFile = Object.hasOwn(given, field) && given[field as keyof typeof given] === undefined
  return isFromFile ? 'has a limit for every server of this file' : 'will not take it as it is meant'
}

/** The target's entry of this name. */
export function findHeld(
  { catalog }: LoadedCatalog,
  { readAs, scope }: Target,
  name: string,
): CatalogEntry | undefined {
  return catalog.entries.find(({ entry }) => {
    const { origin, unsupported } = entry.found
    const isThere = entry.found.name === name && origin.source === readAs && origin.scope === scope
    return isThere && unsupported === undefined
  })
}

function compareHeld(
  { platform }: World,
  {
    from,
    held,
    target,
  }: { readonly from: CatalogEntry; readonly held: CatalogEntry; readonly target: Target },
  read: ServerToWrite,
): Left | 'there' {
  const { entry } = held
  const { name, origin } = entry.found
  const isSame =
    from === held ||
    (entry.kind === 'definition' &&
      findDifferences({ definition: entry.definition, power: entry.off === undefined ? 'on' : 'off' }, read)
        .length === 0)
  if (isSame) return 'there'
  const shown =
    entry.kind === 'definition'
      ? JSON.stringify(toDefinitionJson(entry.definition, 'masked'), undefined, 2).split('\n')
      : ['it cannot be understood as it is']
  return { from, problem: nameIsTaken({ name, file: origin.file, shown }, { target, platform }) }
}

/** The entry with marks in place of possible secrets: written from a definition that has the marks. */
function toShown({ definition, power }: ServerToWrite, { writer }: Target): ObjectValue {
  const written = writeEntry({ definition: maskDefinition(definition), power }, writer)
  if (written.kind === 'written') return written.entry
  throw new Error('what a server is does not depend on its secrets')
}

function inputsIn({ transport }: ServerDefinition): readonly string[] {
  const templates =
    transport.type === 'stdio'
      ? [transport.command, ...transport.args, ...transport.env.values()]
      : 'headers' in transport
        ? [transport.url, ...transport.headers.values()]
        : []
  const ids = templates
    .flat()
    .flatMap((part) => (typeof part === 'object' && part.kind === 'input' ? [part.id] : []))
  return [...new Set(ids)]
}
