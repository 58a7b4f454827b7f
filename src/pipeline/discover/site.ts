/**
 * site: gives a source access to the machine, and records where it looked.
 *
 * in     paths that a source names, best first
 * out    entries with origins; every place, found or empty; one problem for each file that cannot be read
 * never  reads a file twice, or runs anything
 */
import type { Place } from '../../model/catalog.ts'
import { createDocument, type ConfigDocument, type ConfigNode } from '../../model/document.ts'
import type { FoundEntry } from '../../model/entry.ts'
import type { Scope, SourceId, Spot } from '../../model/origin.ts'
import type { Level } from '../../model/policy.ts'
import type { Problem } from '../../model/problem.ts'
import type { Project } from '../../model/project.ts'
import type { Readings } from '../../model/readings.ts'
import type { FoundAgentSettings, Settings } from '../../model/settings.ts'
import type { FileRead, World } from '../../world/world.ts'
import { findServers, type ServersRequest } from './find-servers.ts'
import { formatOf, parseText } from './formats/parse-text.ts'
import { outOfDate, unparseable, unreadableFile, wrongShape } from './problems.ts'
import { below, type OurDirs } from './project.ts'
import { checkRepositoryText, checkRepositoryTree, maxBytesOf } from './repository-limits.ts'

/** The folders and paths of this machine. */
export interface Ground {
  readonly world: World
  readonly project: Project
  readonly dirs: OurDirs
  /** A path below the user's home; `/` separates on every platform. */
  inHome(path: string): string
  /** A path in every directory from the working directory up to the project root, nearest first. */
  inProject(path: string): readonly string[]
}

export interface Site extends Ground {
  readonly settings: Settings
  /** The parsed document at a place, or undefined. The site records the place either way. */
  read(place: { readonly scope: Scope; readonly file: string }): Promise<ConfigDocument | undefined>
  /** Like `read`, for a file whose deny rules also apply here. */
  policy(place: { readonly level: Level; readonly file: string }): Promise<ConfigDocument | undefined>
  /** Records a place that must not be read, such as a script. Returns whether a file exists there. */
  visit(place: { readonly scope: Scope; readonly file: string }): boolean
  /** The servers declared at a place. Earlier calls rank higher. */
  servers(request: ServersRequest): Promise<readonly FoundEntry[]>
  report(problem: Problem): void
  /** Records a choice that the user of another agent made about a server of `.mcp.json`. */
  note(choice: ForeignChoice): void
}

export interface ForeignChoice {
  /** `*` for all servers. */
  readonly server: string
  readonly decision: 'enabled' | 'disabled'
  readonly by: Spot
}

/** A file that a source looked for. It has a document if the file exists and parses, or did so before. */
export interface FileSeen {
  readonly exists: boolean
  readonly document?: ConfigDocument
  /** What prevents reading it, now or at all. */
  readonly problem?: Problem
}

/** Shared by all sources of one load. */
export interface SiteLog {
  /** From earlier loads: a file that cannot be read at the moment counts as it did then. */
  readonly readings?: Readings | undefined
  readonly files: Map<string, FileSeen>
  /** By source, scope and file. */
  readonly places: Map<string, Place>
  readonly problems: Problem[]
  readonly choices: ForeignChoice[]
  /** Other agents' settings, which may deny servers and tools. */
  readonly policies: FoundAgentSettings[]
}

export interface SiteContext {
  readonly world: World
  readonly project: Project
  readonly dirs: OurDirs
  readonly settings: Settings
  readonly log: SiteLog
}

export function createGround({ world, project, dirs }: Pick<Ground, 'world' | 'project' | 'dirs'>): Ground {
  return {
    world,
    project,
    dirs,
    inHome: (path) => below(world, world.home, path),
    inProject: (path) => project.dirsNearestFirst.map((dir) => below(world, dir, path)),
  }
}

export function createSite(context: SiteContext, source: SourceId): Site {
  const { world, project, settings, log } = context
  const own = new Set<string>()
  let rank = 0

  const site: Site = {
    ...createGround(context),
    settings,
    report: (problem) => void log.problems.push(problem),
    note: (choice) => void log.choices.push(choice),

    async read({ scope, file }) {
      const { exists, document } = await readFile(context, { file, source, scope })
      record(log, { source, scope, file, exists, entries: 0, ...staleness(document) })
      return document
    },

    async policy({ level, file }) {
      const document = await site.read({ scope: level, file })
      const { problem } = await readFile(context, { file, source, scope: level })
      if (document !== undefined) log.policies.push({ source, level, file, document })
      else if (problem !== undefined) log.policies.push({ source, level, file, problem })
      return document
    },

    visit({ scope, file }) {
      const exists = world.files.kind(file) !== 'missing'
      record(log, { source, scope, file, exists, entries: 0 })
      return exists
    },

    async servers(request) {
      const { scope, file } = request
      // The home directory can be the project. Files of the user still belong to the user.
      if (scope === 'project' && own.has(file)) return []
      if (scope === 'user') own.add(file)
      const seen =
        request.document === undefined ? await readFile(context, { file, source, scope }) : undefined
      const document = request.document ?? seen?.document
      const entries =
        document === undefined
          ? []
          : findServers({ request, document, source, rank: rank++, root: project.root }, site.report)
      const exists = seen?.exists ?? true
      const fetchedAt = request.fetchedAt === undefined ? {} : { fetchedAt: request.fetchedAt }
      const stale = staleness(document)
      record(log, { source, scope, file, exists, entries: entries.length, ...fetchedAt, ...stale })
      return entries
    },
  }
  return site
}

/** Reads once in each load: a broken file is one problem for all scopes that use it. */
export async function readFile(
  context: Pick<SiteContext, 'world' | 'log'>,
  place: PlaceOf,
): Promise<FileSeen> {
  const { log, world } = context
  const { file } = place
  const before = log.files.get(file)
  if (before !== undefined) return before
  const seen = recall(
    log.readings,
    file,
    await openFile(place, world.files.read(file, maxBytesOf(place.scope))),
  )
  if (seen.problem !== undefined) log.problems.push(seen.problem)
  log.files.set(file, seen)
  return seen
}

/** Uses the last good reading if there is one. A deleted file is forgotten. */
function recall(readings: Readings | undefined, file: string, seen: FileSeen): FileSeen {
  if (readings === undefined) return seen
  if (seen.problem === undefined) {
    if (seen.document === undefined) readings.documents.delete(file)
    else readings.documents.set(file, seen.document)
    return seen
  }
  const before = readings.documents.get(file)
  if (before === undefined) return seen
  return { exists: true, document: { ...before, isStale: true }, problem: outOfDate(seen.problem) }
}

function staleness(document: ConfigDocument | undefined): { readonly isStale?: true } {
  return document?.isStale === true ? { isStale: true } : {}
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

/** Parses the text of a file, of a fetched answer or of an argument. */
export async function parseDocument(
  { file, source, scope }: PlaceOf,
  text: string,
): Promise<Pick<FileSeen, 'document' | 'problem'>> {
  const format = formatOf(file)
  const unparsed = createDocument(file, text, EMPTY)
  const tooLong = checkRepositoryText(unparsed, { source, scope })
  if (tooLong !== undefined) return { problem: tooLong }
  const parsed = await parseText(text, format)
  if (parsed.kind === 'fault') {
    const owner = { source, scope, format: format.toUpperCase() }
    return { problem: unparseable({ file, text }, parsed, owner) }
  }
  const document = { ...unparsed, root: parsed.root }
  const tooMany = checkRepositoryTree(document, { source, scope })
  if (tooMany !== undefined) return { problem: tooMany }
  if (parsed.root.kind === 'object') return { document }
  return { problem: wrongShape(document, parsed.root, 'this file', { source, scope }) }
}

const EMPTY: ConfigNode = { kind: 'object', start: 0, end: 0, members: [] }

/** A place that is visited twice (for servers, then for switches) is one line, with its entries. */
export function record(log: Pick<SiteLog, 'places'>, place: Place): void {
  const key = `${place.source} ${place.scope} ${place.file}`
  const before = log.places.get(key)
  log.places.set(key, before === undefined ? place : { ...place, entries: place.entries + before.entries })
}
