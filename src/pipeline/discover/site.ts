/**
 * site: what a source sees of the machine, and the record of where it looked.
 *
 * in     paths a source names, best first
 * out    entries with origins; every place, found or empty; one problem for each file that cannot be read
 * never  reads a file twice, or runs anything
 */
import {
  spotOf,
  createDocument,
  findAt,
  locate,
  type ConfigDocument,
  type ConfigNode,
  type Member,
} from '../../model/document.ts'
import type { DialectId, FoundEntry, Switch } from '../../model/entry.ts'
import type { Origin, Scope, SourceId, Spot } from '../../model/origin.ts'
import type { Problem } from '../../model/problem.ts'
import type { Place } from '../../model/catalog.ts'
import type { Project } from '../../model/project.ts'
import type { Settings } from '../../model/settings.ts'
import type { FileRead, World } from '../../world/world.ts'
import { formatOf, parseText } from './formats/parse-text.ts'
import {
  duplicateKey,
  replacedMap,
  unparseable,
  unreadableFile,
  wrongKey,
  wrongShape,
  noKey,
} from './problems.ts'
import { below, type OurDirs } from './project.ts'

export interface Site {
  readonly world: World
  readonly project: Project
  readonly dirs: OurDirs
  readonly settings: Settings
  /** A path below the user's home; `/` separates on every platform. */
  inHome(path: string): string
  /** A path in every directory from the working directory up to the project root, nearest first. */
  inProject(path: string): readonly string[]
  /** The document at a place, if there is one that parses. The place is recorded either way. */
  read(place: { readonly scope: Scope; readonly file: string }): Promise<ConfigDocument | undefined>
  /** Records a place that must not be read, such as a script; answers whether something is there. */
  visit(place: { readonly scope: Scope; readonly file: string }): boolean
  /** The servers declared at a place. Calls rank in the order they are made. */
  servers(request: ServersRequest): Promise<readonly FoundEntry[]>
  report(problem: Problem): void
  /** A choice another agent's user made about a server of `.mcp.json`. */
  note(choice: ForeignChoice): void
}

export interface ForeignChoice {
  /** `*` for all. */
  readonly server: string
  readonly decision: 'enabled' | 'disabled'
  readonly by: Spot
}

export interface ServersRequest {
  readonly scope: Scope
  readonly file: string
  readonly dialect: DialectId
  /** Keys that lead to the map of servers. Default: `mcpServers`. */
  readonly under?: readonly string[]
  /** Already read: a text that is in no file, or a part of one that was read for something else. */
  readonly document?: ConfigDocument
  /** A line elsewhere that turns this server off, or on. */
  readonly switchFor?: SwitchFor
  /** Default: `user`. */
  readonly reach?: FoundEntry['reach']
  readonly variables?: Readonly<Record<string, string>>
  readonly baseDir?: string
  /** Why the agent itself ignores what stands here. */
  readonly unsupported?: (origin: Origin, name: string) => Problem
  /** Which members of the map are servers. Default: all. */
  readonly isServer?: (member: Member) => boolean
  readonly fetchedAt?: number
}

export type SwitchFor = (name: string) => Switch | undefined

/** A file that was looked for; its document, when it is there and parses. */
export interface FileSeen {
  readonly exists: boolean
  readonly document?: ConfigDocument
  /** What kept it from being read. */
  readonly problem?: Problem
}

/** What all sources of one load share. */
export interface SiteLog {
  readonly files: Map<string, FileSeen>
  /** By source, scope and file. */
  readonly places: Map<string, Place>
  readonly problems: Problem[]
  readonly choices: ForeignChoice[]
}

export interface SiteContext {
  readonly world: World
  readonly project: Project
  readonly dirs: OurDirs
  readonly settings: Settings
  readonly log: SiteLog
}

export function createSite(context: SiteContext, source: SourceId): Site {
  const { world, project, dirs, settings, log } = context
  const own = new Set<string>()
  let rank = 0

  const site: Site = {
    world,
    project,
    dirs,
    settings,
    inHome: (path) => below(world, world.home, path),
    inProject: (path) => project.dirsNearestFirst.map((dir) => below(world, dir, path)),
    report: (problem) => void log.problems.push(problem),
    note: (choice) => void log.choices.push(choice),

    async read({ scope, file }) {
      const { exists, document } = await readFile(context, { file, source, scope })
      record(log, { source, scope, file, exists, entries: 0 })
      return document
    },

    visit({ scope, file }) {
      const exists = world.files.kind(file) !== 'missing'
      record(log, { source, scope, file, exists, entries: 0 })
      return exists
    },

    async servers(request) {
      const { scope, file } = request
      // The home directory can be the project: what is the user's there stays the user's.
      if (scope === 'project' && own.has(file)) return []
      if (scope === 'user') own.add(file)
      const seen =
        request.document === undefined ? await readFile(context, { file, source, scope }) : undefined
      const document = request.document ?? seen?.document
      const entries =
        document === undefined
          ? []
          : findServers(log, { request, document, source, rank: rank++, root: project.root })
      const exists = seen?.exists ?? true
      const fetchedAt = request.fetchedAt === undefined ? {} : { fetchedAt: request.fetchedAt }
      record(log, { source, scope, file, exists, entries: entries.length, ...fetchedAt })
      return entries
    },
  }
  return site
}

/** Reads once per load; a broken file is one problem however many scopes look into it. */
export async function readFile(
  context: Pick<SiteContext, 'world' | 'log'>,
  place: PlaceOf,
): Promise<FileSeen> {
  const { log, world } = context
  const { file } = place
  const before = log.files.get(file)
  if (before !== undefined) return before
  const seen = await openFile(place, world.files.read(file))
  if (seen.problem !== undefined) log.problems.push(seen.problem)
  log.files.set(file, seen)
  return seen
}

interface PlaceOf {
  readonly file: string
  readonly source: SourceId
  readonly scope: Scope
}

async function openFile(place: PlaceOf, read: FileRead): Promise<FileSeen> {
  const { file, source, scope } = place
  if (read.kind === 'missing') return { exists: false }
  if (read.kind === 'unreadable')
    return { exists: true, problem: unreadableFile(file, read.why, { source, scope }) }
  return { exists: true, ...(await parseDocument(place, read.text)) }
}

/** The text of a file, or of what was fetched or given, as a document. */
export async function parseDocument(
  { file, source, scope }: PlaceOf,
  text: string,
): Promise<Pick<FileSeen, 'document' | 'problem'>> {
  const format = formatOf(file)
  const parsed = await parseText(text, format)
  if (parsed.kind === 'fault') {
    const owner = { source, scope, format: format.toUpperCase() }
    return { problem: unparseable({ file, text }, parsed, owner) }
  }
  const document = createDocument(file, text, parsed.root)
  if (parsed.root.kind === 'object') return { document }
  return { problem: wrongShape(document, parsed.root, 'this file', { source, scope }) }
}

interface Search {
  readonly request: ServersRequest
  readonly document: ConfigDocument
  readonly source: SourceId
  readonly rank: number
  readonly root: string
}

function findServers(log: SiteLog, search: Search): readonly FoundEntry[] {
  const { request, document, source } = search
  const under = request.under ?? ['mcpServers']
  const map = findAt(document.root, under)
  const misplaced = [...findMisplaced(search, under), ...findReplaced(search, under)]
  if (map === undefined) return misplaced.length > 0 ? misplaced : findBare(search, under)
  if (map.kind !== 'object') {
    log.problems.push(wrongShape(document, map, `\`${under.join('.')}\``, { source, scope: request.scope }))
    return misplaced
  }
  const entries = map.members
    .filter(request.isServer ?? (() => true))
    .map((member) => toEntry(search, member))
  reportDuplicateKeys(log, entries)
  return [...entries, ...misplaced]
}

/** The keys under which the agents keep their servers; each reads its own and ignores the others. */
const KNOWN_KEYS = ['mcpServers', 'servers', 'mcp_servers', 'mcp', 'context_servers']

function findMisplaced(search: Search, under: readonly string[]): readonly FoundEntry[] {
  const { document, request } = search
  // Where nothing is read at all, there is no better key.
  const hasKey = under.length === 1 && request.unsupported === undefined
  if (document.root.kind !== 'object' || !hasKey) return []
  return document.root.members
    .filter(({ key, value }) => key !== under[0] && isKnownKey(key) && looksLikeServers(value))
    .flatMap((found) =>
      (found.value.kind === 'object' ? found.value.members : []).map((member) => {
        const entry = toEntry(search, member)
        return { ...entry, unsupported: wrongKey(entry.origin, member.key, found.key, under[0]!) }
      }),
    )
}

/** Servers at the top of the file, with nothing around them: people paste them so. */
function findBare(search: Search, under: readonly string[]): readonly FoundEntry[] {
  const { document, request } = search
  const hasKey = under.length === 1 && request.unsupported === undefined
  if (document.root.kind !== 'object' || !hasKey) return []
  return document.root.members
    .filter(({ value }) => isServerLike(value))
    .map((member) => {
      const entry = toEntry(search, member)
      return { ...entry, unsupported: noKey(entry.origin, member.key, under[0]!) }
    })
}

/** A map of servers that is written twice: every parser takes the last and drops the first without a word. */
function findReplaced(search: Search, under: readonly string[]): readonly FoundEntry[] {
  const parent = findAt(search.document.root, under.slice(0, -1))
  const maps = parent?.kind === 'object' ? parent.members.filter(({ key }) => key === under.at(-1)) : []
  return maps.slice(0, -1).flatMap(({ value }) =>
    (value.kind === 'object' ? value.members : []).map((member) => {
      const entry = toEntry(search, member)
      return { ...entry, unsupported: replacedMap(entry.origin, member.key, under.join('.')) }
    }),
  )
}

function isKnownKey(key: string): boolean {
  return KNOWN_KEYS.some((known) => known.toLowerCase() === key.toLowerCase())
}

function looksLikeServers(node: ConfigNode): boolean {
  return node.kind === 'object' && node.members.some((member) => isServerLike(member.value))
}

function isServerLike(node: ConfigNode): boolean {
  return node.kind === 'object' && node.members.some(({ key }) => key === 'command' || key === 'url')
}

function toEntry(search: Search, member: Member): FoundEntry {
  const { request, document, source, rank } = search
  const spot = locate(document.lineStarts, member.keyStart)
  const origin: Origin = { file: document.file, ...spot, source, scope: request.scope }
  const toggled = request.switchFor?.(member.key)
  const unsupported = request.unsupported?.(origin, member.key)
  return {
    name: member.key,
    origin,
    rank,
    reach: request.reach ?? 'user',
    dialect: request.dialect,
    document,
    node: member.value,
    variables: request.variables ?? {},
    baseDir: request.baseDir ?? search.root,
    ...(toggled === undefined ? {} : { switch: toggled }),
    ...(unsupported === undefined ? {} : { unsupported }),
  }
}

function reportDuplicateKeys(log: SiteLog, entries: readonly FoundEntry[]): void {
  const seen = new Set<string>()
  for (const { name, origin } of entries) {
    if (seen.has(name)) log.problems.push(duplicateKey(origin, name))
    seen.add(name)
  }
}

/** A place that is asked twice (for servers, then for switches) is one line, with its entries. */
export function record(log: Pick<SiteLog, 'places'>, place: Place): void {
  const key = `${place.source} ${place.scope} ${place.file}`
  const before = log.places.get(key)
  log.places.set(key, before === undefined ? place : { ...place, entries: place.entries + before.entries })
}

/** Lines of a list of names that turn servers off or on: `disabledServers`, `mcp.excluded` … */
export function switchesFrom(
  document: ConfigDocument | undefined,
  list: ConfigNode | undefined,
  change: { readonly to: 'on' | 'off'; readonly reason: string },
): (name: string) => Switch | undefined {
  if (document === undefined || list?.kind !== 'array') return () => undefined
  const byName = new Map<unknown, Switch>()
  for (const item of list.items) {
    if (item.kind !== 'scalar') continue
    byName.set(item.value, { ...change, by: spotOf(document, item) })
  }
  return (name) => byName.get(name)
}

/** The first of several that has something to say about a server, by its name or whatever they go by. */
export function firstSwitch<T>(
  ...all: readonly ((server: T) => Switch | undefined)[]
): (server: T) => Switch | undefined {
  return (server) => {
    for (const switchFor of all) {
      const found = switchFor(server)
      if (found !== undefined) return found
    }
    return undefined
  }
}
