/**
 * plugboard: the library. Adding a line here is an API decision.
 */
import type { Catalog } from './model/catalog.ts'
import type { Problem } from './model/problem.ts'
import { toCrashText } from './problem/crash-text.ts'
import { createProblem, ProblemError } from './problem/problem.ts'
import { openBoard, type Board, type BoardOptions } from './runtime/board.ts'
import { emptyCatalog, loadCatalog, type LoadedCatalog, type LoadOptions } from './runtime/load-catalog.ts'
import { makeShowable } from './runtime/showable.ts'
import type { BoardTool } from './runtime/tools.ts'
import { preload } from './world/node/preload.ts'
import { createNodeWorld } from './world/node/world.ts'
import type { World } from './world/world.ts'

preload()

export interface DiscoverServersOptions extends Omit<LoadOptions, 'readings'> {
  /** Where the agent works; decides the project. Default: the process's own. */
  readonly cwd?: string | undefined
  /** The outside, for hosts that bring their own. Then `cwd` is the world's. */
  readonly world?: World | undefined
}

/** Every server declared on this machine, each with its fate. Connects to none, and never rejects over a file. */
export async function discoverServers(options: DiscoverServersOptions = {}): Promise<Catalog> {
  const { cwd, world = createNodeWorld({ cwd }), ...load } = options
  return makeShowable((await loadSafely(world, load)).catalog)
}

export interface OpenPlugboardOptions extends DiscoverServersOptions, Omit<BoardOptions, 'load' | 'permit'> {}

/**
 * Every server the user has configured, connected; tools at once, as far as they are known. Never rejects because of
 * what some file says or some server does: what went wrong is in `snapshot()`.
 */
export async function openPlugboard(options: OpenPlugboardOptions = {}): Promise<Board> {
  const { cwd, world = createNodeWorld({ cwd }), ...rest } = options
  return openBoard(world, {
    ...rest,
    load: ({ world: seen, ...how }) => loadSafely(seen, { connectors: 'fetch', ...rest, ...how }),
  })
}

export interface LoadedTools {
  readonly tools: readonly BoardTool[]
  readonly errors: readonly { readonly server: string; readonly problem: Problem }[]
  readonly board: Board
}

/** All tools in one step, and the servers that have none to give, with the reason: they failed, or cannot be understood. */
export async function loadTools(options: OpenPlugboardOptions = {}): Promise<LoadedTools> {
  const board = await openPlugboard(options)
  const { servers, catalog } = board.snapshot()
  const failed = servers.flatMap(({ name, connection }) =>
    'problem' in connection ? [{ server: name, problem: connection.problem }] : [],
  )
  const invalid = catalog.entries.flatMap(({ entry, fate }) =>
    fate.kind === 'invalid' ? fate.problems.map((problem) => ({ server: entry.found.name, problem })) : [],
  )
  const errors = [...failed, ...invalid]
  return { tools: board.tools(), errors, board }
}

async function loadSafely(world: World, options: LoadOptions): Promise<LoadedCatalog> {
  try {
    return await loadCatalog(world, options)
  } catch (error) {
    const problem = error instanceof ProblemError ? error.problem : discoveryFailed(error)
    const empty = emptyCatalog(world)
    return { ...empty, catalog: { ...empty.catalog, problems: [problem] } }
  }
}

function discoveryFailed(error: unknown): Catalog['problems'][number] {
  const message = error instanceof Error ? error.message : String(error)
  return createProblem({
    code: 'discover/failed',
    message: `discovery failed, which is a bug in Plugboard: ${toCrashText(message)}`,
  })
}

export { createNodeWorld, ProblemError }
export { SessionError } from './model/session.ts'
export { takeStdout, type Stdout } from './world/node/stdout.ts'
export { ToolAbortError } from './model/outcome.ts'
export { Secret } from './base/secret.ts'
export { expandTemplate, variablesOf } from './base/uri-template.ts'
export { BUILTIN_TOOLS, callBuiltin, findBuiltin } from './runtime/builtin-tools.ts'
export { originalText } from './model/entry.ts'
export { PROFILES } from './model/profile.ts'
export { showTemplate } from './model/template.ts'
export { toolsFor } from './runtime/tools-for.ts'
export type { LoadOptions } from './runtime/load-catalog.ts'
export type { Board, BoardOptions, BoardSnapshot } from './runtime/board.ts'
export type { BoardChange, BoardEvents, BoardReload } from './runtime/board-events.ts'
export type { BoardNotification } from './runtime/board-notification.ts'
export type { CallArguments, CallOptions } from './runtime/call-tool.ts'
export type { ToolName } from './runtime/reach-tool.ts'
export type { TemplateValue, TemplateVariable } from './base/uri-template.ts'
export type { BuiltinName } from './model/builtin.ts'
export type { BuiltinHost, BuiltinTool } from './runtime/builtin-tools.ts'
export type { Completion, CompletionArgument, CompletionContext, CompletionRef } from './runtime/complete.ts'
export type { KnownServer } from './runtime/standing.ts'
export type { ResourceChange } from './runtime/subscriptions.ts'
export type { Fork, ForkOptions } from './runtime/fork.ts'
export type { Words } from './runtime/board-problems.ts'
export type { LoginOptions, LoginStep, LoginWay, SignedIn } from './runtime/login-host.ts'
export type { ReloadSummary } from './runtime/reload.ts'
export type { Wait } from './runtime/gate.ts'
export type { Absence, Readiness, ServerReadiness } from './runtime/readiness.ts'
export type { ServerSnapshot } from './runtime/supervisor.ts'
export type { BoardTool } from './runtime/tools.ts'
export type { ProviderTools, QuarantinedTool } from './runtime/tools-for.ts'
export type { JsonSchema, Profile } from './model/profile.ts'
export type { Connection, ConnectionState, Stage, StageTime } from './model/connection.ts'
export type { CredentialRequest, CredentialSource } from './model/launch.ts'
export type { Listed, ListedTool, Offering, Quarantined } from './model/offering.ts'
export type { CallOutcome, Media, NotSent, ResultDetails, ToolResult } from './model/outcome.ts'
export type {
  Answer,
  Ask,
  Decision,
  Evidence,
  Grant,
  Mode,
  PermissionRule,
  Pin,
  Question,
  ToolToCall,
  Verdict,
} from './model/permission.ts'
export type { OpenPermissions, PermissionOptions, PermissionView } from './runtime/permissions.ts'
export type { Signal } from './base/abort.ts'
export type { Params, Result, RpcError } from './model/message.ts'
export type {
  Answerer,
  ClientHandlers,
  ElicitAnswerers,
  Era,
  HandlerContext,
  Hello,
  RequestOptions,
  SessionFailure,
} from './model/session.ts'
export type { WireFailure } from './model/wire.ts'
export type { InProcessServer } from './pipeline/connect/transports/in-process.ts'
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
