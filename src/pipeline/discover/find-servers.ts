/**
 * find-servers: finds the servers that a document declares, and those under a wrong key.
 *
 * in     a document, and the keys that lead to the map of servers in it
 * out    an entry for each server; also, with advice, for a server under a wrong key or in a map that is replaced
 * never  looks into an entry: that is for normalize
 */
import { findAt, locate, type ConfigDocument, type ConfigNode, type Member } from '../../model/document.ts'
import type { DialectId, FoundEntry } from '../../model/entry.ts'
import type { Origin, Scope, SourceId } from '../../model/origin.ts'
import type { Problem } from '../../model/problem.ts'
import { duplicateKey, noKey, replacedMap, wrongKey, wrongShape } from './problems.ts'
import type { SwitchFor } from './switches.ts'

export interface ServersRequest {
  readonly scope: Scope
  readonly file: string
  readonly dialect: DialectId
  /** Keys that lead to the map of servers. Default: `mcpServers`. */
  readonly under?: readonly string[]
  /**
   * A document that is already parsed: a text without a file, or a part of a file that was read for another purpose.
   */
  readonly document?: ConfigDocument
  /** The line outside of the entry that turns this server off, or on. */
  readonly switchFor?: SwitchFor
  /** Default: `user`. */
  readonly reach?: FoundEntry['reach']
  readonly variables?: Readonly<Record<string, string>>
  readonly baseDir?: string
  /** Why the agent itself ignores the entries here. */
  readonly unsupported?: (origin: Origin, name: string) => Problem
  /** Which members of the map are servers. Default: all. */
  readonly isServer?: (member: Member) => boolean
  readonly fetchedAt?: number
}

/** One place, and its position among the others. */
export interface Search {
  readonly request: ServersRequest
  readonly document: ConfigDocument
  readonly source: SourceId
  readonly rank: number
  readonly root: string
}

export function findServers(search: Search, report: (problem: Problem) => void): readonly FoundEntry[] {
  const { request, document, source } = search
  const under = request.under ?? ['mcpServers']
  const map = findAt(document.root, under)
  const misplaced = [...findMisplaced(search, under), ...findReplaced(search, under)]
  if (map === undefined) return misplaced.length > 0 ? misplaced : findBare(search, under)
  if (map.kind !== 'object') {
    report(wrongShape(document, map, `\`${under.join('.')}\``, { source, scope: request.scope }))
    return misplaced
  }
  const entries = map.members
    .filter(request.isServer ?? (() => true))
    .map((member) => toEntry(search, member))
  reportDuplicateKeys(entries, report)
  return [...entries, ...misplaced]
}

/** The keys under which the agents keep their servers. Each agent reads its own key and ignores the others. */
const KNOWN_KEYS = ['mcpServers', 'servers', 'mcp_servers', 'mcp', 'context_servers']

function findMisplaced(search: Search, under: readonly string[]): readonly FoundEntry[] {
  const { document, request } = search
  // If the agent ignores the whole place, no key would be better.
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

/** Servers at the top of the file without the map around them: users often paste them so. */
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

/** A map of servers that is written twice: every parser keeps the last and silently drops the first. */
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

function reportDuplicateKeys(entries: readonly FoundEntry[], report: (problem: Problem) => void): void {
  const seen = new Set<string>()
  for (const { name, origin } of entries) {
    if (seen.has(name)) report(duplicateKey(origin, name))
    seen.add(name)
  }
}
