/**
 * router: sends one request of one client to its server, and returns the answer.
 *
 * in     a method, its parameters, the caller and its view
 * out    the result of the server, in the form of the caller's era; or an RpcFaultError
 * never  sends anything past the rules; drops fields or methods that it does not know
 */
import type { Signal } from '../../base/abort.ts'
import { atOnce } from '../../base/at-once.ts'
import { isObject } from '../../base/is-object.ts'
import { RPC_CODES, type Params, type Result, type RpcError } from '../../model/message.ts'
import type { ListKind } from '../../model/offering.ts'
import { FINDINGS_INTRO, type ToolResult } from '../../model/outcome.ts'
import { RpcFaultError } from '../../model/rpc-fault.ts'
import { SessionError, type Era, type RequestOptions } from '../../model/session.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { Permission } from '../../model/permission.ts'
import type { CallOptions } from '../../runtime/call-tool.ts'
import type { Reading } from '../../runtime/permit-reading.ts'
import type { Platform } from '../../world/world.ts'
import { serverFor, type ServedBoard } from './served-board.ts'
import { budgetOf } from './budget.ts'
import { callerAt, canBeAsked, holderOf, wantsLog, type Caller } from './caller.ts'
import { errorToEra, metaFor, metaOf, toEra } from './era.ts'
import { invalid, toFault, unknownMethod } from './fault.ts'
import { isResultUri, type KeptResults } from './kept-results.ts'
import type { Levels } from './levels.ts'
import type { OpenRequest } from './open-request.ts'
import { pageOf } from './page.ts'
import { askBy } from './permission-form.ts'
import { isOwner } from './principal.ts'
import { askBack, toHandlers } from './questions.ts'
import { heed, mayRead } from './reading.ts'
import type { Relay } from './relay.ts'
import { traceparentOf } from './span.ts'
import { isStatusUri, nextTryOf, STATUS_TOOL, statusContents, statusResult } from './status.ts'
import type { Found, View } from './view.ts'

export interface Routing {
  readonly board: ServedBoard
  readonly relay: Relay
  readonly levels: Levels
  readonly platform: Platform
  readonly results: KeptResults
  /** Estimated tokens of text in one result; 0: no limit. */
  readonly maxResultTokens: () => number
}

export interface Routed {
  readonly view: View
  readonly method: string
  readonly params: Params
  readonly caller: Caller
  readonly signal: Signal
}

type Route = (routing: Routing, request: Routed) => Result | Promise<Result>

/** Rejects with an RpcFaultError, whatever the cause was. */
export async function route(routing: Routing, request: Routed): Promise<Result> {
  const { method, caller, params } = request
  const work = Object.hasOwn(ROUTES, method) ? ROUTES[method]! : undefined
  if (work === undefined) throw unknownMethod(method)
  await request.view.ready()?.catch((error: unknown) => {
    throw toFault(error)
  })
  requireCapability(request)
  try {
    return forWhom(caller, toEra(caller.era, method, await work(routing, request)))
  } catch (error) {
    throw new RpcFaultError(errorToEra(caller.era, toFault(error).fault, params))
  }
}

/** Clients may see different servers, so a cache must not share the result of one client with others. */
function forWhom({ sighting }: Caller, result: Result): Result {
  const isForAll = result['cacheScope'] !== 'public' || isOwner(sighting?.begun.principal)
  return isForAll ? result : { ...result, cacheScope: 'private' }
}

const ROUTES: Readonly<Record<string, Route>> = {
  'tools/list': list('tool', 'tools'),
  'resources/list': list('resource', 'resources'),
  'resources/templates/list': list('resource-template', 'resourceTemplates'),
  'prompts/list': list('prompt', 'prompts'),
  'tools/call': callTool,
  'resources/read': readResource,
  'prompts/get': getPrompt,
  'completion/complete': complete,
}

/** Throws when the server does not offer the capability. */
function requireCapability({ view, method, params }: Routed): void {
  // The gateway itself answers this one, whatever the server offers.
  if (method === 'resources/read' && isResultUri(params['uri'])) return
  // Some servers complete without declaring it. A server that does not complete refuses in its own words.
  if (method === 'completion/complete') return
  const capabilities = view.capabilities()
  if (capabilities[method.split('/')[0]!] === undefined) throw unknownMethod(method)
}

function list(kind: ListKind, key: string): Route {
  return async (_, { view, params, caller }) => {
    await view.settling()
    const { items: all, ttlMs, cacheScope } = view.list(kind)
    const { items, ...next } = pageOf(kind, all, params['cursor'])
    return caller.era === 'legacy' ? { [key]: items, ...next } : { [key]: items, ...next, ttlMs, cacheScope }
  }
}

/** Never awaits what is already there: each extra promise costs time in every call. */
function callTool(routing: Routing, request: Routed): Result | Promise<Result> {
  const { view, params } = request
  const name = requireText(params, 'name')
  if (view.server === undefined && name === STATUS_TOOL['name']) return statusResult(routing.board)
  const found = view.findTool(name)
  return found === undefined ? callAbsent(routing, request, name) : callFound(routing, request, found)
}

async function callAbsent(routing: Routing, request: Routed, name: string): Promise<Result> {
  const { view } = request
  const why = await whyAbsent(routing.board, view, name)
  if (why !== undefined) return toError(why)
  const found = view.findTool(name)
  if (found === undefined) throw invalid(whyUnknown(routing.board, view, name))
  return callFound(routing, request, found)
}

/** A quarantined item is in no list. A client that knows its name gets the reason. */
function whyUnknown(board: ServedBoard, view: View, name: string): string {
  for (const { name: server, offering } of board.snapshot().servers) {
    if (view.server !== undefined && view.server !== server) continue
    const isMeant = (tool: string): boolean =>
      (view.server === undefined ? board.nameFor(server, tool) : tool) === name
    const one = offering?.quarantined.find((item) => item.kind === 'tool' && isMeant(item.name))
    if (one !== undefined) return `Tool ${name} cannot be used: ${one.reason}`
  }
  return `Unknown tool: ${name}`
}

function callFound(routing: Routing, request: Routed, found: Found): Promise<Result> {
  const { board, relay, levels } = routing
  const { method, params, signal } = request
  const { server } = found
  const caller = callerAt(board, server, request.caller)
  const { arguments: args = {} } = params
  if (!isObject(args)) throw invalid('`arguments` must be an object')
  caller.sighting?.at(server, found.name)
  return relay.converse({ caller, method, server, params, signal }, (open) =>
    relay.whileAt(server, open, () =>
      atOnce(levels.before(board, server, open.caller), () =>
        callOnce(routing, found, { params, args, open }),
      ),
    ),
  )
}

async function callOnce(
  routing: Routing,
  found: Found,
  { params, args, open }: { readonly params: Params; readonly args: Params; readonly open: OpenRequest },
): Promise<Result> {
  const { board } = routing
  const { caller } = open
  const budget = budgetOf(routing, caller)
  const { maxResultTokens, tellPlace, holder } = budget.options
  const { signal, unfinished, client, handlers, onLog, onProgress } = optionsOf(open, params)
  // Field by field: spreading objects takes longer than all the other work here.
  const options: CallOptions = {
    signal,
    unfinished,
    client,
    handlers,
    onLog,
    onProgress,
    maxResultTokens,
    tellPlace,
    holder,
    ask: askBy(open),
    // Only the owner of the gateway may approve anything permanently.
    remember: isOwner(caller.sighting?.begun.principal) ? undefined : 'nothing',
    onJudged: (permission) => open.caller.sighting?.judged(permission),
    params: paramsFor(board, { found, params, open }),
    who: open.isPermitted ? 'person' : undefined,
  }
  const result = await caller.desk.call({ server: found.server, tool: found.name }, args, options)
  // In a later round, another request of the same client may wait.
  open.caller.sighting?.became(result)
  return toResult(board, { found, caller: open.caller }, budget.fit(result))
}

/** An answer of the server goes on unchanged, error or not. A call that failed earlier becomes a text. */
function toResult(
  board: ServedBoard,
  { found, caller }: { readonly found: Found; readonly caller: Caller },
  { result, error, text, code, findings }: ToolResult,
): Result {
  if (result !== undefined) return findings === undefined ? result : withNote(result, sayFindings(findings))
  if (error !== undefined && understands(caller, error)) {
    const message = findings === undefined ? error.message : `${error.message}\n${sayFindings(findings)}`
    throw new RpcFaultError({ ...error, message })
  }
  if (code === 'unknown-tool') throw invalid(text)
  return toError(code === 'not-connected' ? withNextTry(board, found.server, text) : text)
}

function sayFindings(findings: readonly string[]): string {
  return [FINDINGS_INTRO, ...findings].join('\n')
}

function withNote(result: Result, text: string): Result {
  const content = Array.isArray(result['content']) ? (result['content'] as readonly unknown[]) : []
  return { ...result, content: [...content, { type: 'text', text }] }
}

/**
 * Clients that open pages get "open this page first" as an error. Other clients get it as text, because a server would
 * not send them that error.
 */
function understands({ capabilities }: Caller, { code }: RpcError): boolean {
  return (
    code !== RPC_CODES.urlElicitationRequired ||
    canBeAsked(capabilities, 'elicitation/create', { mode: 'url' })
  )
}

function toError(text: string): Result {
  return { content: [{ type: 'text', text }], isError: true }
}

function withNextTry(board: ServedBoard, server: string, text: string): string {
  const connection = board.server(server)?.connection
  const next = connection === undefined ? undefined : nextTryOf(connection)
  return next === undefined ? text : `${text}\nnext try: ${next}`
}

/**
 * Waits for the servers that may own an unknown name. Returns why one of them is unavailable. Undefined: all are
 * available.
 */
async function whyAbsent(board: ServedBoard, view: View, name: string): Promise<string | undefined> {
  for (const server of view.absentOwners(name)) {
    try {
      await board.connect(server)
    } catch (error) {
      return withNextTry(board, server, toFault(error).fault.message)
    }
  }
  return undefined
}

async function readResource(routing: Routing, request: Routed): Promise<Result> {
  const { board, platform, results } = routing
  const { view, params, caller } = request
  const uri = requireText(params, 'uri')
  if (view.server === undefined && isStatusUri(uri)) return statusContents(board)
  const kept = isResultUri(uri) ? results.read(uri, holderOf(caller)) : undefined
  if (kept !== undefined) return kept
  const data = { uri }
  let failure: unknown = new RpcFaultError({
    code: RPC_CODES.resourceNotFound,
    message: 'Resource not found',
    data,
  })
  let denied: { readonly found: Found; readonly permission: Permission } | undefined
  for (const server of view.ownersOf(uri)) {
    const found = { server, name: uri }
    const permission = await mayRead(board, { tool: 'readMcpResource', server }, platform)
    if (permission.kind === 'denied') {
      denied ??= { found, permission }
      continue
    }
    try {
      heed(permission, found, caller.sighting)
      return await send(routing, request, found)
    } catch (error) {
      // Another server may have it, where the owner of the URI is unknown.
      if (!isUnknownResource(error)) throw error
      failure = error
    }
  }
  // A denial says more than "not found" of the other servers.
  if (denied !== undefined) heed(denied.permission, denied.found, caller.sighting)
  throw failure
}

function isUnknownResource(error: unknown): boolean {
  if (error instanceof ProblemError) return true
  if (!(error instanceof SessionError) || error.failure.kind !== 'rpc') return false
  const { code } = error.failure.error
  return code === RPC_CODES.resourceNotFound || code === RPC_CODES.invalidParams
}

async function getPrompt(routing: Routing, request: Routed): Promise<Result> {
  const name = requireText(request.params, 'name')
  const found = await findPrompt(routing, request.view, name)
  return ask(routing, { ...request, params: { ...request.params, name: found.name } }, found, 'getMcpPrompt')
}

/** Rejects with an RpcFaultError. */
async function findPrompt({ board }: Routing, view: View, name: string): Promise<Found> {
  const why = view.findPrompt(name) === undefined ? await whyAbsent(board, view, name) : undefined
  if (why !== undefined) throw new RpcFaultError({ code: RPC_CODES.internalError, message: why })
  const found = view.findPrompt(name)
  if (found === undefined) throw invalid(`Unknown prompt: ${name}`)
  return found
}

async function complete(routing: Routing, request: Routed): Promise<Result> {
  const { view, params } = request
  const { ref } = params
  if (!isObject(ref)) throw invalid('`ref` must be an object')
  if (ref['type'] === 'ref/prompt') {
    const found = await findPrompt(routing, view, requireText(ref, 'name'))
    const named = { ...request, params: { ...params, ref: { ...ref, name: found.name } } }
    return ask(routing, named, found, 'getMcpPrompt')
  }
  const uri = requireText(ref, 'uri')
  const server = view.ownerOfTemplate(uri) ?? view.ownersOf(uri)[0]
  if (server === undefined) throw invalid(`Unknown resource: ${uri}`)
  return ask(routing, request, { server, name: uri }, 'readMcpResource')
}

/** Any request except a tool call. `as`: what a model would need for it. */
async function ask(routing: Routing, request: Routed, found: Found, as: Reading): Promise<Result> {
  const permission = await mayRead(routing.board, { tool: as, server: found.server }, routing.platform)
  heed(permission, found, request.caller.sighting)
  return send(routing, request, found)
}

function send({ board, relay, levels }: Routing, request: Routed, found: Found): Promise<Result> {
  const { method, params, signal } = request
  const caller = callerAt(board, found.server, request.caller)
  return relay.converse({ caller, method, server: found.server, params, signal }, (open) =>
    relay.whileAt(found.server, open, () =>
      atOnce(levels.before(board, found.server, open.caller), () =>
        board.request(
          found.server,
          method,
          { ...withoutMeta(params), ...paramsFor(board, { found, params, open }) },
          optionsOf(open, params),
        ),
      ),
    ),
  )
}

function optionsOf(open: OpenRequest, params: Params): RequestOptions {
  const { progressToken } = metaOf(params)
  return {
    signal: open.signal,
    unfinished: 'returned',
    client: open.caller.instance,
    handlers: toHandlers(({ method, params: asked, signal }) => askBack(open, method, asked, signal)),
    onLog: (log) => {
      if (wantsLog(open.caller, log)) open.notify('notifications/message', log)
    },
    onProgress:
      progressToken === undefined
        ? undefined
        : (progress) => open.notify('notifications/progress', { ...progress, progressToken }),
  }
}

/** The metadata that goes to the server beside the parameters. */
function paramsFor(
  board: ServedBoard,
  { found, params, open }: { readonly found: Found; readonly params: Params; readonly open: OpenRequest },
): Params {
  const { caller, more } = open
  const meta = metaFor(eraOf(board, found.server, caller), withSpan(metaOf(params), caller), caller)
  return Object.keys(meta).length === 0 ? more : { ...more, _meta: meta }
}

/** The server's span becomes a child of the gateway's span, where the gateway reports one. */
function withSpan(meta: Params, { sighting }: Caller): Params {
  const span = sighting?.span
  if (span === undefined) return meta
  const { state: tracestate } = span
  return { ...meta, traceparent: traceparentOf(span), ...(tracestate === undefined ? {} : { tracestate }) }
}

/** Until the era is known, a server gets nothing that only a modern one understands. */
function eraOf(board: ServedBoard, server: string, { era, instance }: Caller): Era {
  return serverFor(board, server, era === 'legacy' ? instance : undefined)?.era ?? 'legacy'
}

const OF_THE_ROUND: ReadonlySet<string> = new Set(['_meta', 'inputResponses', 'requestState'])

/** Removes the fields that belong to one round. They are set again for each round. */
function withoutMeta(params: Params): Params {
  const kept = Object.entries(params).filter(([key]) => !OF_THE_ROUND.has(key))
  return Object.fromEntries(kept)
}

function requireText(params: Params, key: string): string {
  const value = params[key]
  if (typeof value !== 'string') throw invalid(`\`${key}\` must be a string`)
  return value
}
