/**
 * call-tool: from a name and arguments to a result. The order of the stages, and nothing else.
 *
 * in     the name of a tool, its arguments, the caller's options
 * out    a result in every case; ToolAbortError when the caller aborts
 * never  calls without permission; calls a tool that changed after the permission
 */
import { isPromise } from '../base/at-once.ts'
import { isObject } from '../base/is-object.ts'
import { ToolAbortError, type CallOutcome, type ResultDetails, type ToolResult } from '../model/outcome.ts'
import type { Params, Result } from '../model/message.ts'
import type { Offering } from '../model/offering.ts'
import { TOOL_CHANGED, type Permit, type WantedCall } from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import type { RequestOptions } from '../model/session.ts'
import type { NameStyle } from '../model/settings.ts'
import { call, notSent, refuseInTurn, type Addressee, type Guard } from '../pipeline/call/call.ts'
import { badArguments, findTooDeep, noObject } from '../pipeline/call/problems.ts'
import { nameOf } from '../pipeline/name/name.ts'
import type { TellPlace } from '../pipeline/translate/budget.ts'
import type { Spill } from '../pipeline/translate/spill.ts'
import { translate } from '../pipeline/translate/translate.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import { askAtOnce, explain, inTurn, limitsOf, takesTurns, untilLive } from './ask.ts'
import { asBoardTool, findBuiltin, type BuiltinTool } from './builtin-tools.ts'
import { performBuiltin, type BuiltinContext } from './call-builtin.ts'
import { askPermit, type Judged, type JudgedCall } from './permit-call.ts'
import { reachTool, type FoundTool, type ReachOptions, type Servers, type ToolName } from './reach-tool.ts'
import type { BoardTool } from './tools.ts'

export interface CallOptions extends Pick<
  RequestOptions,
  'signal' | 'timeoutMs' | 'maxDurationMs' | 'onProgress' | 'unfinished' | 'onLog' | 'handlers' | 'client'
> {
  /** How long the server may take to connect; its own limit for a start holds as well. Default: as `timeoutMs`. */
  readonly connectTimeoutMs?: number | undefined
  /** `person`: the user typed the call, so no question is left to ask. Default: `model`. */
  readonly who?: WantedCall['who'] | undefined
  /** Asks in place of the board's own `ask`: for hosts that serve several users. */
  readonly ask?: WantedCall['ask'] | undefined
  /** `nothing`: the person who is asked is not the user, and the answer counts for this call alone. */
  readonly remember?: WantedCall['remember']
  /** Called before the call is made, with the verdict and its rule. */
  readonly onJudged?: JudgedCall['onJudged']
  /**
   * In place of the board's own: estimated tokens of text. A longer result is saved, and shown in part. 0: no limit.
   */
  readonly maxResultTokens?: number | undefined
  /** How the text of a saved result says where the whole is: for clients that cannot open a file here. */
  readonly tellPlace?: TellPlace | undefined
  /** For whom such a result is saved, when not for the user. Each holder has its own storage. */
  readonly holder?: string | undefined
  /** Other params in addition to the name and the arguments: `_meta`, answers to requests of the server. */
  readonly params?: Params | undefined
}

export interface ToolRequest {
  readonly name: ToolName
  /** A function makes the arguments once the tool is known. */
  readonly args: CallArguments | undefined
  readonly options: CallOptions
}

/**
 * The function may return anything that a model wrote. Anything but an object is refused, as other wrong arguments are.
 */
export type CallArguments = Params | ((tool: BoardTool) => unknown)

/** Where calls come from: a board, or a fork of it with permissions of its own. */
export interface CallContext {
  readonly servers: Servers
  readonly permit: Permit
  readonly builtins: BuiltinContext
  readonly guard: Guard
  readonly spill: Spill
  /** The limit of text in one result. 0: no limit. */
  readonly maxTokens: number
}

export function callTool(desk: CallContext, request: ToolRequest): Promise<ToolResult> {
  try {
    return Promise.resolve(new ToolCall(desk, request).perform())
  } catch (error) {
    return Promise.reject(error)
  }
}

/**
 * One call in progress. It is no async function and makes no closure for each step: thousands of calls may wait for an
 * answer, and the memory of a waiting call costs more than the rest of its work.
 */
class ToolCall {
  readonly #desk: CallContext
  readonly #request: ToolRequest
  /** Moved forward by the time that a person took to answer, which does not count as time of the call. */
  #startedAt: number
  #askedAt = 0
  #details: ResultDetails | undefined

  constructor(desk: CallContext, request: ToolRequest) {
    this.#desk = desk
    this.#request = request
    this.#startedAt = desk.servers.clock.now()
  }

  perform(): ToolResult | Promise<ToolResult> {
    const { name, options } = this.#request
    const { signal, timeoutMs, connectTimeoutMs = timeoutMs, client } = options
    const reaching = { signal, timeoutMs: connectTimeoutMs, client }
    const builtin = typeof name === 'string' ? findBuiltin(name) : undefined
    if (builtin !== undefined) return this.#callBuiltin(builtin, reaching)
    const found = reachTool(this.#desk.servers, name, reaching)
    return isPromise(found) ? found.then((one) => this.#onReached(one)) : this.#onReached(found)
  }

  #callBuiltin(tool: BuiltinTool, reaching: ReachOptions): Promise<ToolResult> {
    const { signal, timeoutMs, maxDurationMs, onProgress, who = 'model' } = this.#request.options
    const target = asBoardTool(tool)
    const args = this.#argumentsFor(target)
    if (!isObject(args)) return Promise.resolve(this.#refuseArguments(target, args))
    const wanted = { args, who, signal }
    const options = { signal, timeoutMs, maxDurationMs, onProgress }
    return performBuiltin(this.#desk, { tool, wanted, options, reaching }).then(({ outcome, details }) => {
      this.#details = details
      return this.#finish(outcome)
    })
  }

  #onReached(found: FoundTool | CallOutcome): ToolResult | Promise<ToolResult> {
    if (found.kind === 'found') return this.#callFound(found)
    const { name } = this.#request
    this.#details = detailsOfName(name, this.#desk.servers.style())
    const isUnknown = found.kind === 'not-sent' && found.code === 'unknown-tool'
    if (!isUnknown) return this.#finish(found)
    const target = typeof name === 'string' ? { server: '', tool: name } : name
    return this.#finish(refuseInTurn(this.#desk.guard, { target, args: undefined, refusal: found }))
  }

  /** Runs before a person is asked whether the call may be made. */
  #refuseArguments(target: BoardTool, args: unknown): ToolResult {
    this.#details = detailsOf(target)
    const refusal = notSent('bad-arguments', badArguments(target, [noObject(args)]))
    return this.#finish(refuseInTurn(this.#desk.guard, { target, args, refusal }))
  }

  #callFound(found: FoundTool): ToolResult | Promise<ToolResult> {
    const { tool: target } = found
    this.#details = detailsOf(target)
    const args = this.#argumentsFor(target)
    const problem = findTooDeep(target, args)
    if (problem !== undefined) return this.#finish(notSent('bad-arguments', problem))
    if (!isObject(args)) return this.#refuseArguments(target, args)
    const { signal, who = 'model', ask, remember, onJudged } = this.#request.options
    this.#askedAt = this.#desk.servers.clock.now()
    const judged = askPermit(this.#desk.permit, target, { args, who, signal, ask, remember, onJudged })
    return isPromise(judged)
      ? judged.then((verdict) => this.#onJudged(verdict, found, args))
      : this.#onJudged(judged, found, args)
  }

  #onJudged(verdict: Judged, found: FoundTool, args: Params): ToolResult | Promise<ToolResult> {
    this.#startedAt += this.#desk.servers.clock.now() - this.#askedAt
    if (verdict.kind !== 'allowed') return this.#finish(verdict)
    const { servers, guard } = this.#desk
    const { options } = this.#request
    const { isUnchanged } = verdict
    const request = { target: found.tool, args, isUnchanged, options: requestOptionsOf(found, options) }
    // The caller's limit for the call includes the start of its server; the entry's limit does not.
    const startedAt = options.maxDurationMs === undefined ? servers.clock.now() : this.#startedAt
    const recipient = new Recipient(servers, found, { more: options.params, startedAt })
    const outcome = call(recipient, request, guard)
    return isPromise(outcome) ? outcome.then((one) => this.#finish(one)) : this.#finish(outcome)
  }

  #finish(outcome: CallOutcome): ToolResult {
    const { maxResultTokens: maxTokens = this.#desk.maxTokens, tellPlace, holder } = this.#request.options
    const details = this.#details!
    const result = translate(outcome, {
      details,
      durationMs: this.#desk.servers.clock.now() - this.#startedAt,
      budget: { maxTokens, tellPlace, keep: (text) => this.#desk.spill.keep(text, details.name, holder) },
    })
    if (outcome.kind === 'aborted') throw new ToolAbortError(outcome.wasSent, result)
    return result
  }

  #argumentsFor(tool: BoardTool): unknown {
    const { args } = this.#request
    return typeof args === 'function' ? args(tool) : (args ?? {})
  }
}

function requestOptionsOf({ by }: FoundTool, options: CallOptions): RequestOptions {
  const { timeoutMs, maxDurationMs, onProgress } = limitsOf(by, options)
  const { signal, unfinished, onLog, handlers, client } = options
  return { signal, timeoutMs, maxDurationMs, onProgress, unfinished, onLog, handlers, client }
}

/** The server that was found, as long as it has the tool that was permitted. */
class Recipient implements Addressee {
  readonly #servers: Servers
  readonly #found: FoundTool
  /** Other params of every call. */
  readonly #more: Params | undefined
  readonly #startedAt: number

  constructor(
    servers: Servers,
    found: FoundTool,
    { more, startedAt }: { readonly more: Params | undefined; readonly startedAt: number },
  ) {
    this.#servers = servers
    this.#found = found
    this.#more = more
    this.#startedAt = startedAt
  }

  send(call: Params, options: RequestOptions): Promise<Result> {
    const params = this.#more === undefined ? call : { ...this.#more, ...call }
    const { by } = this.#found
    return takesTurns(by)
      ? inTurn(by, options.signal, () => this.#sendIfSame(params, this.#withSpent(options)))
      : this.#sendIfSame(params, this.#withSpent(options))
  }

  /** A second try, or one that waited for its turn, has no more time than the call as a whole. */
  #withSpent(options: RequestOptions): RequestOptions {
    const spentMs = this.#servers.clock.now() - this.#startedAt
    return spentMs < 1 ? options : { ...options, spentMs }
  }

  explain(error: unknown): unknown {
    return explain(this.#found.by, error)
  }

  /** With a live session, the request reaches it without an extra promise. */
  #sendIfSame(params: Params, options: RequestOptions): Promise<Result> {
    const { by, tool } = this.#found
    const isCurrent = this.#servers.find(tool.server) === by
    if (!isCurrent || by.liveSession !== undefined) return this.#sendNow(params, options)
    return untilLive(by, options, this.#servers.clock).then(() => this.#sendNow(params, options))
  }

  #sendNow(params: Params, options: RequestOptions): Promise<Result> {
    const { by, offering, tool } = this.#found
    const now = by.offeringFor(options.client)
    const isSame = now === offering || isSameTool(now, tool)
    if (!isSame || this.#servers.find(tool.server) !== by)
      return Promise.reject(new ProblemError(toolChanged(tool)))
    return askAtOnce(by, { method: 'tools/call', params, options }, this.#servers.clock)
  }
}

function isSameTool(offering: Offering | undefined, { tool, definition }: BoardTool): boolean {
  const now = offering?.tools.find(({ name }) => name === tool)
  return JSON.stringify(now) === JSON.stringify(definition)
}

function toolChanged({ server, tool }: BoardTool): Problem {
  return createProblem({
    code: TOOL_CHANGED,
    message: `\`${server}.${tool}\` is not what it was when this call was allowed, so it was not called`,
    hints: ['look at the tool again, and call it again if it is still what you want'],
  })
}

function detailsOf({ server, tool, name, label }: BoardTool): ResultDetails {
  return { serverName: server, mcpToolName: tool, name, label }
}

function detailsOfName(name: ToolName, style: NameStyle): ResultDetails {
  if (typeof name === 'string') return { serverName: '', mcpToolName: '', name, label: '' }
  const { server, tool } = name
  return {
    serverName: server,
    mcpToolName: tool,
    name: nameOf(server, tool, style),
    label: `mcp:${server}`,
  }
}
