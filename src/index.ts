/**
 * plugboard: the library. Adding a line here is an API decision.
 */
import type { Catalog } from './model/catalog.ts'
import { createProblem, ProblemError } from './problem/problem.ts'
import { loadCatalog, type LoadOptions } from './runtime/load-catalog.ts'
import { createNodeWorld } from './world/node/world.ts'
import type { World } from './world/world.ts'

export interface DiscoverServersOptions extends LoadOptions {
  /** Where the agent works; decides the project. Default: the process's own. */
  readonly cwd?: string | undefined
  /** The outside, for hosts that bring their own. Then `cwd` is the world's. */
  readonly world?: World | undefined
}

/** Every server declared on this machine, each with its fate. Connects to none, and never rejects over a file. */
export async function discoverServers(options: DiscoverServersOptions = {}): Promise<Catalog> {
  const { cwd, world = createNodeWorld({ cwd }), ...load } = options
  try {
    return (await loadCatalog(world, load)).catalog
  } catch (error) {
    const problem = error instanceof ProblemError ? error.problem : discoveryFailed(error)
    return { entries: [], servers: [], problems: [problem], places: [], native: [] }
  }
}

function discoveryFailed(error: unknown): Catalog['problems'][number] {
  const message = error instanceof Error ? error.message : String(error)
  return createProblem({
    code: 'discover/failed',
    message: `discovery failed, which is a bug in Plugboard: ${message}`,
  })
}

export { createNodeWorld, ProblemError }
export { Secret } from './base/secret.ts'
export { originalText } from './model/entry.ts'
export { showTemplate } from './model/template.ts'
export type { LoadOptions } from './runtime/load-catalog.ts'
export type {
  AdmittedServer,
  Catalog,
  CatalogEntry,
  Change,
  Decider,
  Fate,
  FateKind,
  Place,
} from './model/catalog.ts'
export type { ServerDefinition, Transport, TransportType } from './model/definition.ts'
export type { FoundEntry, NormalizedEntry } from './model/entry.ts'
export type { Origin, Scope, SourceId, Spot } from './model/origin.ts'
export type { Excerpt, Problem, Where } from './model/problem.ts'
export type { Part, Reference, Template } from './model/template.ts'
export type { World } from './world/world.ts'
