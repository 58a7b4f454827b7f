/**
 * target: the file of an agent, or of ours, into which Plugboard writes servers, and how.
 */
import { isObjectValue, valueAt, type ObjectValue } from '../../edit/change.ts'
import { WRITERS, type WritableSource } from '../../edit/dialects/all-writers.ts'
import { opencode2 } from '../../edit/dialects/opencode.ts'
import type { Writer } from '../../edit/dialects/writer.ts'
import { findAt, findMember, type ConfigNode } from '../../model/document.ts'
import { SOURCE_TITLES, type SourceId } from '../../model/origin.ts'
import { ALL_SOURCES } from '../../pipeline/discover/all-sources.ts'
import { parseText } from '../../pipeline/discover/formats/parse-text.ts'
import { toComparable } from '../../pipeline/discover/project.ts'
import { createGround } from '../../pipeline/discover/site.ts'
import type { WriteTarget } from '../../pipeline/discover/source.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import { bounds } from '../edit-file.ts'
import type { LoadedCatalog } from '../load-catalog.ts'
import { scopeFileOf, type WritableScope } from './scope-file.ts'
import { noSuchScope } from './transfer-problems.ts'

export interface Target {
  readonly source: WritableSource
  /**
   * The source of its entries when they are read again. Entries of a project file of Claude Code belong to `mcp-json`.
   */
  readonly readAs: SourceId
  readonly title: string
  readonly scope: WritableScope
  readonly file: string
  /** As `FileToEdit.within`. */
  readonly within: string | undefined
  /** The mode of a new file. */
  readonly mode: number
  readonly writer: Writer
  /** The folder where its relative commands and paths begin. */
  readonly baseDir: string
  /** The path of keys to the map of servers, in a file with this content. */
  readonly pathIn: (value: ObjectValue) => readonly string[]
  /** The list of names that are off, for an agent whose entries cannot turn a server off. */
  readonly offList?: OffList
  /** The content of the file, for an agent with settings that hold for all servers of a file. */
  readonly around?: ConfigNode
}

export interface OffList {
  /** The file of the servers, or another file. */
  readonly file: string
  readonly pathIn: (value: ObjectValue) => readonly string[]
  /** `here`: the server is on in other projects. */
  readonly reach: 'everywhere' | 'here'
}

/** Our own file of the scope. */
export function ourTarget(world: World, loaded: LoadedCatalog, scope: WritableScope): Target {
  const { file, within, mode } = scopeFileOf(world, loaded, scope)
  return {
    source: 'plugboard',
    readAs: 'plugboard',
    title: SOURCE_TITLES.plugboard,
    scope,
    file,
    within,
    mode,
    writer: WRITERS.plugboard,
    baseDir: loaded.project.root,
    pathIn: () => ['mcpServers'],
  }
}

/** The file of an agent, by default in its usual scope. Throws `manage/no-such-scope`. */
export async function requireTarget(
  world: World,
  loaded: LoadedCatalog,
  { agent, scope }: { readonly agent: WritableSource; readonly scope?: WritableScope | undefined },
): Promise<Target> {
  const { project, dirs } = loaded
  const ground = createGround({ world, project, dirs })
  const homes = ALL_SOURCES.find(({ id }) => id === agent)?.homes?.(ground) ?? []
  const places = homes.filter(({ files }) => files.length > 0)
  const place = scope === undefined ? places[0] : places.find((one) => one.scope === scope)
  if (place === undefined)
    throw new ProblemError(
      noSuchScope(
        agent,
        scope ?? 'user',
        places.map((one) => one.scope),
      ),
    )
  const file = place.files.find((one) => world.files.kind(one) !== 'missing') ?? place.files.at(-1)!
  const around = agent === 'opencode' ? await tryRoot(world, file) : undefined
  return {
    source: agent,
    readAs: agent === 'claude-code' && place.scope === 'project' ? 'mcp-json' : agent,
    title: SOURCE_TITLES[agent],
    scope: place.scope,
    file,
    within: bounds(world, loaded, { scope: place.scope, file }),
    mode: place.scope === 'project' ? 0o644 : 0o600,
    writer: isVersion2(around) ? opencode2 : WRITERS[agent],
    ...(around === undefined ? {} : { around }),
    baseDir: place.isBase === true ? world.paths.dirname(file) : project.root,
    ...pathsOf(world, { agent, place, file, root: project.root }),
  }
}

interface PlaceOf {
  readonly agent: WritableSource
  readonly place: WriteTarget
  readonly file: string
  /** The root of the project. */
  readonly root: string
}

function pathsOf(world: World, of: PlaceOf): Pick<Target, 'pathIn' | 'offList'> {
  const pathIn = (value: ObjectValue): readonly string[] => findPath(world, of, value)
  const offList = findOffList(world, of)
  return offList === undefined ? { pathIn } : { pathIn, offList }
}

function findOffList(world: World, of: PlaceOf): OffList | undefined {
  const { agent, place, file, root } = of
  const { paths } = world
  const at = (...path: readonly string[]): OffList => ({ file, pathIn: () => path, reach: 'everywhere' })
  switch (agent) {
    case 'gemini':
      return at('mcp', 'excluded')
    case 'agent-code':
      return at('security', 'mcp_server_denylist')
    case 'copilot': {
      const beside = place.scope === 'user' ? 'settings.json' : paths.join('copilot', 'settings.json')
      return { ...at('disabledMcpServers'), file: paths.join(paths.dirname(file), beside) }
    }
    case 'claude-code':
      // Claude Code turns servers off for one project at a time, in its own file, but never the servers of a project
      // file.
      if (place.scope === 'project') return undefined
      return {
        file,
        pathIn: (value) => ['projects', findProject(world, value, root), 'disabledMcpServers'],
        reach: place.scope === 'local' ? 'everywhere' : 'here',
      }
    default:
      return undefined
  }
}

/** Some files allow more than one form. The form of this file is kept. */
function findPath(world: World, { agent, place }: PlaceOf, value: ObjectValue): readonly string[] {
  const { under, scope } = place
  if (agent === 'opencode') {
    const version2 = valueAt(value, ['mcp', 'servers'])
    return isObjectValue(version2) && !Object.hasOwn(version2, 'type') ? ['mcp', 'servers'] : under
  }
  if (agent === 'copilot') return isBareMap(value) ? [] : under
  if (agent === 'claude-code' && scope === 'local')
    return ['projects', findProject(world, value, under[1]!), 'mcpServers']
  return under
}

/** The path of a project as the file of Claude Code already writes it, else as given. */
function findProject(world: World, value: ObjectValue, root: string): string {
  const projects = valueAt(value, ['projects'])
  const wanted = toComparable(world, root)
  const known = isObjectValue(projects) ? Object.keys(projects) : []
  return known.find((key) => toComparable(world, key) === wanted) ?? root
}

/** A file that cannot be read is refused later, when it is written. */
async function tryRoot(world: World, file: string): Promise<ConfigNode | undefined> {
  const read = world.files.read(file)
  if (read.kind !== 'text') return undefined
  const parsed = await parseText(read.text, 'json')
  return parsed.kind === 'fault' ? undefined : parsed.root
}

/** Only the file shows which version of opencode it is for. */
function isVersion2(root: ConfigNode | undefined): boolean {
  const servers = findAt(root, ['mcp', 'servers'])
  return servers?.kind === 'object' && findMember(servers, 'type') === undefined
}

/** Whether a file of Copilot is itself the map of servers. */
function isBareMap(value: ObjectValue): boolean {
  if (Object.hasOwn(value, 'mcpServers')) return false
  return Object.values(value).some(
    (one) => isObjectValue(one) && (Object.hasOwn(one, 'command') || Object.hasOwn(one, 'url')),
  )
}
