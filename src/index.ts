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
import { createNodeWorld } from './world/node/world.ts'
import { guardFiles } from './world/guard-files.ts'
import type { Env, World } from './world/world.ts'

export interface DiscoverServersOptions extends Omit<LoadOptions, 'readings'> {
  /** Where the agent works; decides the project. Default: the working directory of the process. */
  readonly cwd?: string | undefined
  /** Files, network and processes, for hosts that bring their own. Then `cwd` is the world's. */
  readonly world?: World | undefined
}

/**
 * Finds every server that this machine declares, each with its fate. Connects to none, and never rejects because of a
 * file.
 */
export async function discoverServers(options: DiscoverServersOptions = {}): Promise<Catalog> {
  const { cwd, world, ...load } = options
  const discover = async (outside: Outside): Promise<Catalog> =>
    makeShowable((await loadSafely(outside, outside.world, load)).catalog)
  try {
    return await discover(openOutside(world, cwd))
  } catch (error) {
    if (world === undefined) throw error
    return discover(withoutHost(cwd, hostFailed('world', error)))
  }
}

export interface OpenPlugboardOptions extends DiscoverServersOptions, Omit<BoardOptions, 'load' | 'permit'> {}

/**
 * Connects every server that the user has configured. Known tools are available at once. Never rejects because of a
 * file, a server, or an error from the host's own world: `snapshot()` holds the problems.
 */
export async function openPlugboard(options: OpenPlugboardOptions = {}): Promise<Board> {
  const { cwd, world, ...rest } = options
  const open = (outside: Outside): Promise<Board> =>
    openBoard(outside.world, {
      ...rest,
      load: ({ world: seen, ...how }) => loadSafely(outside, seen, { connectors: 'fetch', ...rest, ...how }),
    })
  try {
    return await open(openOutside(world, cwd))
  } catch (error) {
    if (world === undefined) throw error
    return open(withoutHost(cwd, hostFailed('world', error)))
  }
}

export interface LoadError {
  /** Absent where a whole file, or discovery, is at fault. */
  readonly server?: string
  /** The file at fault. `.mcp.json` where discovery failed and no file is known. */
  readonly path: string
  readonly problem: Problem
}

export interface LoadedTools {
  readonly tools: readonly BoardTool[]
  readonly errors: readonly LoadError[]
  readonly board: Board
}

/** All tools in one step, and why some are missing: unreadable files, and servers that failed or are not understood. */
export async function loadTools(options: OpenPlugboardOptions = {}): Promise<LoadedTools> {
  const board = await openPlugboard(options)
  const { servers, catalog, problems } = board.snapshot()
  const ofFiles = problems
    .filter(({ severity }) => severity === 'error')
    .map((problem) => ({ path: problem.where?.file ?? NO_FILE, problem }))
  const failed = servers.flatMap(({ name, connection, origin }) =>
    'problem' in connection ? [{ server: name, path: origin.file, problem: connection.problem }] : [],
  )
  const invalid = catalog.entries.flatMap(({ entry: { found }, fate }) =>
    fate.kind === 'invalid'
      ? fate.problems.map((problem) => ({ server: found.name, path: found.origin.file, problem }))
      : [],
  )
  return { tools: board.tools(), errors: [...ofFiles, ...failed, ...invalid], board }
}

/** The path in oh-my-pi and xcsh when discovery fails as a whole. */
const NO_FILE = '.mcp.json'

/** The world to use. */
interface Outside {
  readonly world: World
  /** The first error that the host's own files threw since the last load began. */
  fault: Problem | undefined
  /** The host's world does not work at all: this is an empty world of our own. */
  readonly isEmpty: boolean
}

function openOutside(given: World | undefined, cwd: string | undefined): Outside {
  if (given === undefined) return { world: createNodeWorld({ cwd }), fault: undefined, isEmpty: false }
  const guarded = guardFiles(given.files, (method, error) => {
    outside.fault ??= hostFailed(`world.files.${method}`, error)
  })
  const world = { ...given, networkOf: (env: Env) => given.networkOf(env), files: guarded }
  const outside: Outside = { world, fault: undefined, isEmpty: false }
  return outside
}

function withoutHost(cwd: string | undefined, fault: Problem): Outside {
  return { world: createNodeWorld({ cwd }), fault, isEmpty: true }
}

/** `world`: that of `outside`, or one that records what is read from it. */
async function loadSafely(outside: Outside, world: World, options: LoadOptions): Promise<LoadedCatalog> {
  const failed = (problem: Problem): LoadedCatalog => {
    const empty = emptyCatalog(world)
    return { ...empty, catalog: { ...empty.catalog, problems: [problem] } }
  }
  if (outside.isEmpty) return failed(outside.fault!)
  outside.fault = undefined
  try {
    const loaded = await loadCatalog(world, options)
    return outside.fault === undefined ? loaded : failed(outside.fault)
  } catch (error) {
    return failed(error instanceof ProblemError ? error.problem : discoveryFailed(error))
  }
}

function hostFailed(what: string, error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error)
  return createProblem({
    code: 'discover/failed',
    message: `discovery failed: \`${what}\` of the host threw: ${toCrashText(message)}`,
    hints: [`\`${what}\` must answer instead of throwing: see the type \`World\``],
  })
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
