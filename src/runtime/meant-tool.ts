/**
 * meant-tool: finds the tool for a name that a user typed.
 *
 * in     a name as a model sees it in any style, a raw name, or `server.tool`
 * out    the tool; also a tool that is not known yet, when its server is known
 */
import { findNearest } from '../base/edit-distance.ts'
import { BUILTIN_NAMES } from '../model/builtin.ts'
import type { Problem } from '../model/problem.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import { findKnownTools, rawStartsOf, toToolToCall, typedNamesOf } from './known-tools.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import type { ToolToCall } from '../model/permission.ts'

export interface FoundTool {
  readonly tool: ToolToCall
  /** False when only the server is known: then nothing is known of the tool but its name. */
  readonly isKnown: boolean
}

/** Throws `permit/unknown-tool`. */
export function requireTool(world: World, loaded: LoadedCatalog, name: string): FoundTool {
  const known = findKnownTools(world, loaded).flatMap(({ server, tools }) =>
    tools.map((definition) => toToolToCall(server.name, definition, loaded.toolNames)),
  )
  const tool = known.find((one) => one.name === name) ?? known.find((one) => typedNamesOf(one).includes(name))
  if (tool !== undefined) return { tool, isKnown: true }
  const unseen = findUnseen(loaded, name)
  if (unseen !== undefined) return { tool: unseen, isKnown: false }
  throw new ProblemError(unknownTool(name, [...known.map((one) => one.name), ...BUILTIN_NAMES]))
}

/** Takes the server with the longest matching name: `a__b` rather than `a`. */
function findUnseen({ catalog, toolNames }: LoadedCatalog, name: string): ToolToCall | undefined {
  const starts = catalog.servers.flatMap(({ name: server }) =>
    rawStartsOf(server).map((start) => ({ server, start })),
  )
  const [meant] = starts
    .filter(({ start }) => name.startsWith(start) && name.length > start.length)
    .sort((a, b) => b.start.length - a.start.length)
  if (meant === undefined) return undefined
  const definition = { name: name.slice(meant.start.length), inputSchema: {} }
  return toToolToCall(meant.server, definition, toolNames)
}

function unknownTool(name: string, known: readonly string[]): Problem {
  const nearest = findNearest(name, known)
  return createProblem({
    code: 'permit/unknown-tool',
    message: `no server that may run has a tool named \`${name}\``,
    notes: ['tools are known from the last time their server was connected'],
    hints: [
      ...(nearest === undefined ? [] : [`did you mean \`${nearest}\`?`]),
      'to see every tool, run `plugboard tools`',
    ],
  })
}
