/**
 * changes: one line for each change of the servers since the last report.
 *
 * in     the servers as last reported, and as they are now
 * out    lines for what a user should know; the status line already shows that a server of the start is ready
 */
import { toStableJson } from '../../base/stable-json.ts'
import type { Catalog } from '../../model/catalog.ts'
import type { Connection, ConnectionState } from '../../model/connection.ts'
import type { Problem } from '../../model/problem.ts'
import type { BoardSnapshot } from '../../runtime/board.ts'
import { toDefinitionJson } from '../../runtime/definition-json.ts'
import type { ServerSnapshot } from '../../runtime/supervisor.ts'
import { countOf } from '../shared/amounts.ts'
import type { ShownServer } from './state.ts'

export interface KnownServer {
  readonly name: string
  readonly connection: Connection
  /** Each as the server sent it. Undefined: not known yet. */
  readonly tools: ReadonlyMap<string, unknown> | undefined
  /** Whether it has been ready since the shell first listed it. */
  readonly wasReady: boolean
  /** Whether it existed when the shell began. */
  readonly isFromStart: boolean
  /** Whether the shell has reported that it is down, and not yet that it is back. */
  readonly isDown: boolean
  /** The definition in its file. */
  readonly definition: string
  /** Since it was last ready, its file has changed. */
  readonly isChanged: boolean
}

export type Known = ReadonlyMap<string, KnownServer>

export interface Looked {
  readonly known: Known
  readonly lines: readonly string[]
}

/** `before` undefined: this is the start. */
export function lookAgain(
  before: Known | undefined,
  { servers, catalog }: Pick<BoardSnapshot, 'servers' | 'catalog'>,
): Looked {
  const known = new Map<string, KnownServer>()
  const lines: string[] = []
  for (const server of servers) {
    const was = before?.get(server.name)
    const now = toKnown(server, was, {
      isStart: before === undefined,
      definition: definitionOf(catalog, server),
    })
    known.set(server.name, now)
    lines.push(...tellChange(was, now))
  }
  for (const name of before?.keys() ?? []) if (!known.has(name)) lines.push(tellGone(name, catalog))
  return { known, lines }
}

/** Templates without values. The place of the entry does not count. */
function definitionOf({ servers }: Catalog, { name }: ServerSnapshot): string {
  const server = servers.find((one) => one.name === name)
  return server === undefined ? '' : toStableJson(toDefinitionJson(server, 'templates'))
}

/** Explains why a server is gone although a file still declares it. */
function tellGone(name: string, { entries }: Catalog): string {
  const fate = entries.find(({ entry }) => entry.found.name === name)?.fate.kind
  return fate === undefined ? `${name}: removed` : `${name}: removed (${fate})`
}

export function toShown({ name, connection, offering }: ServerSnapshot): ShownServer {
  return { name, state: connection.state, tools: offering?.tools.length ?? 0 }
}

const DOWN: ReadonlySet<ConnectionState> = new Set(['needs-auth', 'waiting', 'failed'])

function toKnown(
  { name, connection, offering, cachedAt }: ServerSnapshot,
  was: KnownServer | undefined,
  { isStart, definition }: { readonly isStart: boolean; readonly definition: string },
): KnownServer {
  const isReady = connection.state === 'ready'
  // Data from the cache is no news, and neither is the data that replaces it.
  const isLive = isReady && cachedAt === undefined
  return {
    name,
    connection,
    tools: isLive ? new Map(offering?.tools.map((tool) => [tool.name, tool])) : was?.tools,
    wasReady: isReady || was?.wasReady === true,
    isFromStart: was?.isFromStart ?? isStart,
    isDown: DOWN.has(connection.state) || (was?.isDown === true && !isReady),
    definition,
    isChanged: isOtherThan(was, definition) || (was?.isChanged === true && was.connection.state !== 'ready'),
  }
}

/** A server that leaves the catalog for a moment, while its file is half saved, is not reported. */
function isOtherThan(was: KnownServer | undefined, definition: string): boolean {
  return was !== undefined && was.definition !== '' && definition !== '' && was.definition !== definition
}

function tellChange(was: KnownServer | undefined, now: KnownServer): readonly string[] {
  const { name, connection, tools } = now
  const before = was?.connection.state
  // For a return without an observed connection attempt.
  const hasComeBack = now.isChanged && was?.isChanged === false && connection.state === 'ready'
  if (connection.state === before && !hasComeBack) return compareTools(was!, now)
  switch (connection.state) {
    case 'ready':
      if (now.isChanged) return [`${name}: changed, ${countOf(tools?.size ?? 0, 'tool')}`]
      if (was?.wasReady === true) return [`${name}: reconnected${sayDifference(was, now)}`]
      if (now.isFromStart && was?.isDown !== true) return []
      return [`${name}: ${now.isFromStart ? 'connected' : 'added'}, ${countOf(tools?.size ?? 0, 'tool')}`]
    case 'needs-auth':
      return [`${name}: needs you to sign in (/mcp auth ${name})`]
    case 'failed':
      return [`${named(now, connection.problem)} (/mcp test ${name} tells more)`]
    case 'waiting':
      // Attempts that fail one after the other are reported once.
      return before === 'connecting' && was?.wasReady !== true && connection.attempt > 2
        ? []
        : [`${named(now, connection.problem)}; it is tried again`]
    case 'idle':
    case 'closed':
    case 'connecting':
      return []
  }
}

/** Most problems name the server themselves. */
function named({ name }: KnownServer, { message }: Problem): string {
  return message.includes(name) ? message : `${name}: ${message}`
}

function compareTools(was: KnownServer, now: KnownServer): readonly string[] {
  const difference = sayDifference(was, now)
  return difference === '' ? [] : [`${now.name}: tools changed${difference}`]
}

/** `: +2 added, -1 removed, ~1 changed`. */
function sayDifference({ tools: was }: KnownServer, { tools: is }: KnownServer): string {
  if (was === undefined || is === undefined || was === is) return ''
  const added = [...is.keys()].filter((name) => !was.has(name)).length
  const removed = [...was.keys()].filter((name) => !is.has(name)).length
  const changed = [...is].filter(([name, tool]) => was.has(name) && isOther(was.get(name), tool)).length
  const parts = [
    ...(added > 0 ? [`${added} added`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
    ...(changed > 0 ? [`${changed} changed`] : []),
  ]
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`
}

/** A list that is read again has new objects, most of which have the same content. */
function isOther(was: unknown, is: unknown): boolean {
  return was !== is && toStableJson(was) !== toStableJson(is)
}
