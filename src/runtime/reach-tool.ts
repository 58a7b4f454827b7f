/**
 * reach-tool: finds the tool and the server that a name means, and connects the server.
 *
 * in     a name as the model sees it, or the raw pair
 * out    the tool as its server defines it today, its server connected; or why it cannot be called
 * never  answers from the cache: the server may have changed a tool that was allowed or pinned
 */
import { findNearest } from '../base/edit-distance.ts'
import type { CallOutcome } from '../model/outcome.ts'
import type { Offering } from '../model/offering.ts'
import type { Problem } from '../model/problem.ts'
import { SessionError, type RequestOptions } from '../model/session.ts'
import type { NameStyle } from '../model/settings.ts'
import { gaveUp, mayPass } from '../pipeline/call/problems.ts'
import { tabulate, type ToolTable } from '../pipeline/name/look-up.ts'
import { nameOf, startOf } from '../pipeline/name/name.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import type { Clock } from '../world/world.ts'
import { untilLive } from './ask.ts'
import type { Supervisor } from './supervisor.ts'
import { toTool, type BoardTool } from './tools.ts'

/** The name that the model sees, or the name that the server uses. */
export type ToolName = string | { readonly server: string; readonly tool: string }

export interface Servers {
  readonly clock: Clock
  all(): Iterable<Supervisor>
  find(name: string): Supervisor | undefined
  /** How names are made now. A reload can change it. */
  style(): NameStyle
  /** Every server that a file declares, whether it may run or not. */
  declared(): readonly string[]
  /** Why no server of this name can be connected. */
  whyNot(name: string): Problem
}

export interface FoundTool {
  readonly kind: 'found'
  readonly by: Supervisor
  /** The offering that holds the tool: while the server keeps it, the tool is the same. */
  readonly offering: Offering
  readonly tool: BoardTool
}

export type ReachOptions = Pick<RequestOptions, 'signal' | 'timeoutMs' | 'client'>

/** Answers at once where the server is connected. */
export function reachTool(
  servers: Servers,
  name: ToolName,
  options: ReachOptions,
): FoundTool | CallOutcome | Promise<FoundTool | CallOutcome> {
  const by = ownerOf(servers, name)
  if (by === undefined) return missing(servers, name)
  const find = (): FoundTool | CallOutcome => findTool(servers, by.offeringFor(options.client), { by, name })
  if (by.liveSession !== undefined) return find()
  return reach(by, options, servers.clock).then((hindrance) => hindrance ?? find())
}

function findTool(
  servers: Servers,
  offering: Offering | undefined,
  { by, name }: { readonly by: Supervisor; readonly name: ToolName },
): FoundTool | CallOutcome {
  const tool = offering === undefined ? undefined : toolOf(by, offering, { name, style: servers.style() })
  return tool === undefined ? missing(servers, name) : { kind: 'found', by, offering: offering!, tool }
}

/** Two servers can share a name only through a forged hash. Then neither is used. */
function ownerOf(servers: Servers, name: ToolName): Supervisor | undefined {
  if (typeof name !== 'string') return servers.find(name.server)
  let owner: Supervisor | undefined
  for (const one of servers.all()) {
    const { offering } = one
    if (offering === undefined || toolOf(one, offering, { name, style: servers.style() }) === undefined)
      continue
    if (owner !== undefined) return undefined
    owner = one
  }
  return owner
}

interface Tabulated {
  readonly style: NameStyle
  readonly table: ToolTable<BoardTool>
}

const tables = new WeakMap<Offering, Tabulated>()

function toolOf(
  one: Supervisor,
  offering: Offering,
  { name, style }: { readonly name: ToolName; readonly style: NameStyle },
): BoardTool | undefined {
  const table = tableOf(one, offering, style)
  return typeof name === 'string' ? table.byName(name) : table.byPair(name.server, name.tool)
}

function tableOf(one: Supervisor, offering: Offering, style: NameStyle): ToolTable<BoardTool> {
  const known = tables.get(offering)
  if (known?.style === style) return known.table
  const table = tabulate(offering.tools.map((tool) => toTool(one, tool, { isDeferred: false, style })))
  tables.set(offering, { style, table })
  return table
}

/** Tries once more, as a call does. Undefined when the server is connected. */
async function reach(one: Supervisor, options: ReachOptions, clock: Clock): Promise<CallOutcome | undefined> {
  const first = await tryToReach(one, options, clock)
  const isOver = first?.kind !== 'not-sent' || !mayPass(first.problem)
  return isOver ? first : tryToReach(one, options, clock)
}

async function tryToReach(
  one: Supervisor,
  options: ReachOptions,
  clock: Clock,
): Promise<CallOutcome | undefined> {
  try {
    await untilLive(one, options, clock)
    return undefined
  } catch (error) {
    if (error instanceof ProblemError) {
      return { kind: 'not-sent', code: 'not-connected', problem: error.problem }
    }
    // Only an abort by the caller rejects so early.
    if (!(error instanceof SessionError) || error.failure.kind !== 'aborted') throw error
    return { kind: 'aborted', wasSent: false, problem: gaveUp(one.server.name, false) }
  }
}

function missing(servers: Servers, name: ToolName): CallOutcome {
  if (typeof name === 'string') return missingName(servers, name)
  const one = servers.find(name.server)
  return one === undefined ? notRunning(servers, name.server) : unknown(hasNot(one, name.tool))
}

function missingName(servers: Servers, name: string): CallOutcome {
  const owner = findMeantServer(servers, name)
  if (owner !== undefined && servers.find(owner) === undefined) return notRunning(servers, owner)
  return unknown(nobodyHas(servers, name, owner))
}

/** Takes the server with the longest matching start: `a_b` rather than `a`. */
function findMeantServer(servers: Servers, name: string): string | undefined {
  const style = servers.style()
  const [meant] = servers
    .declared()
    .map((server) => ({ server, start: startOf(server, style) }))
    .filter(({ start }) => name.startsWith(start))
    .sort((a, b) => b.start.length - a.start.length)
  return meant?.server
}

function notRunning(servers: Servers, server: string): CallOutcome {
  return { kind: 'not-sent', code: 'not-connected', problem: servers.whyNot(server) }
}

function unknown(problem: Problem): CallOutcome {
  return { kind: 'not-sent', code: 'unknown-tool', problem }
}

/** `owner`: the server that would have the tool. A tool of another server is no replacement. */
function nobodyHas(servers: Servers, name: string, owner: string | undefined): Problem {
  const all = [...servers.all()].filter(({ server }) => owner === undefined || server.name === owner)
  const style = servers.style()
  const known = all.flatMap(
    ({ server, offering }) => offering?.tools.map((tool) => nameOf(server.name, tool.name, style)) ?? [],
  )
  const silent = all.filter(({ offering }) => offering === undefined).map(({ server }) => server.name)
  return createProblem({
    code: 'call/unknown-tool',
    message: `no tool is named \`${name}\``,
    notes:
      silent.length === 0 ? [] : [`not connected, so that their tools are not known: ${silent.join(', ')}`],
    hints: [...didYouMean(name, known), 'to see every tool, run `plugboard tools`'],
  })
}

function hasNot({ server, offering }: Supervisor, tool: string): Problem {
  const quarantined = offering?.quarantined.find((one) => one.kind === 'tool' && one.name === tool)
  const known = offering?.tools.map(({ name }) => name) ?? []
  return createProblem({
    code: 'call/unknown-tool',
    message:
      quarantined === undefined
        ? `\`${server.name}\` has no tool \`${tool}\``
        : `\`${server.name}.${tool}\` cannot be used: ${quarantined.reason}`,
    hints: [...didYouMean(tool, known), `to see its tools, run \`plugboard tools ${server.name}\``],
  })
}

function didYouMean(word: string, known: readonly string[]): readonly string[] {
  const nearest = findNearest(word, known)
  return nearest === undefined ? [] : [`did you mean \`${nearest}\`?`]
}
