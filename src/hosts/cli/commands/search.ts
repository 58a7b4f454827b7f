/**
 * search: finds the servers of an MCP registry that match all the words.
 */
import { ProblemError } from '../../../problem/problem.ts'
import { searchRegistry } from '../../../runtime/manage/registry.ts'
import type { RegistryServer } from '../../../runtime/manage/registry-server.ts'
import { toTable, type Column } from '../../shared/table.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { printJson, printLines, viewOf } from '../print.ts'
import { badNumber } from '../problems.ts'
import { findRegistry } from '../find-registry.ts'

const DEFAULT_LIMIT = 20

/** Throws `registry/…`. */
export async function run(context: CommandContext): Promise<number> {
  const { world, terminal, args, json } = context
  const registry = findRegistry(context, await context.load())
  const words = args.flatMap((arg) => arg.split(/\s+/)).filter((word) => word !== '')
  const limit = readLimit(context)
  const servers = await searchRegistry(world, registry, { words, limit })
  if (json) printJson(terminal, { registry, servers: servers.map(toJson) })
  else printLines(terminal, toText(context, servers, limit))
  return DONE
}

function readLimit({ flags }: CommandContext): number {
  const given = flags['limit']
  if (typeof given !== 'string') return DEFAULT_LIMIT
  const limit = Number(given)
  if (!Number.isInteger(limit) || limit < 1) throw new ProblemError(badNumber('limit', 'servers', given))
  return limit
}

function toJson(server: RegistryServer): object {
  const { name, title, description, version, status, repository, website } = server
  return { name, title, description, version, status, repository, website, using: waysOf(server) }
}

const COLUMNS: readonly Column[] = [
  { title: 'NAME', shrinks: 2 },
  { title: 'VERSION', drops: 1 },
  { title: 'AS', drops: 2 },
  { title: 'DESCRIPTION', shrinks: 1, isDetail: true },
]

function toText(
  context: CommandContext,
  servers: readonly RegistryServer[],
  limit: number,
): readonly string[] {
  if (servers.length === 0) return ['the registry has no such server']
  const rows = servers.map((server) => {
    const note = server.status === 'deprecated' ? 'deprecated: ' : ''
    return [server.name, server.version, waysOf(server).join(', '), note + oneLine(server.description)]
  })
  return [
    ...toTable(COLUMNS, rows, viewOf(context)),
    ...(servers.length === limit ? ['', `there may be more (--limit ${limit * 2})`] : []),
  ]
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function waysOf({ packages, remotes }: RegistryServer): readonly string[] {
  return [...new Set([...packages.map(({ type }) => type), ...(remotes.length > 0 ? ['remote'] : [])])]
}
