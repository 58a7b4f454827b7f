/**
 * call-tool: from a name and arguments to a result. The order of the stages, and nothing else.
 *
 * in     the name of a tool, its arguments, who asks
 * out    a result, whatever happened; ToolAbortError when the caller gave up
 * never  calls what nobody permitted, or a tool that has become another since
 */
import { ToolAbortError, type CallOutcome, type ResultDetails, type ToolResult } from '../model/outcome.ts'
import type { Params, Result } from '../model/message.ts'
import type { Offering } from '../model/offering.ts'
import { TOOL_CHANGED, type Permit, type WantedCall } from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import type { RequestOptions } from '../model/session.ts'
import type { NameStyle } from '../model/settings.ts'
import { call, type Guard, type Send } from '../pipeline/call/call.ts'
import { nameOf } from '../pipeline/name/name.ts'
import type { TellPlace } from '../pipeline/translate/budget.ts'
import type { Spill } from '../pipeline/translate/spill.ts'
import { translate } from '../pipeline/translate/translate.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import { askAtOnce, inTurn, limitsOf, untilLive } from './ask.ts'
import { asBoardTool, findBuiltin } from './builtin-tools.ts'
import { performBuiltin, type BuiltinDesk } from './call-builtin.ts'
import { askPermit, type JudgedCall } from './permit-call.ts'
import { reachTool, type FoundTool, type Servers, type ToolName } from './reach-tool.ts'
import type { BoardTool } from './tools.ts'

export interface CallOptions extends Pick<
  RequestOptions,
  'signal' | 'timeoutMs' | 'onProgress' | 'unfinished' | 'onLog' | 'handlers' | 'client'
> {
  /** How long the server may take to be there; its own limit for a start holds as well. Default: as `timeoutMs`. */
  readonly connectTimeoutMs?: number | undefined
  /** `person`: whoever typed the call has answered what would be asked. Default: `model`. */
  readonly who?: WantedCall['who'] | undefined
  /** Asks in place of the board's own `ask`: for hosts with several people in front of them. */
  readonly ask?: WantedCall['ask'] | undefined
  /** `nothing`: whoever is asked is not the user, and their answer is for this call alone. */
  readonly remember?: WantedCall['remember']
  /** Told what was decided about the call, and by which rule, before it is made. */
  readonly onJudged?: JudgedCall['onJudged']
  /** In place of the board's own: estimated tokens of text; what is longer is saved, and shown in part. 0: no limit. */
  readonly maxResultTokens?: number | undefined
  /** How the text of a result that was saved tells where the whole is: for those who cannot open a file here. */
  readonly tellPlace?: TellPlace | undefined
  /** For whom such a result is saved, where that is not the user: each has room of its own. */
  readonly holder?: string | undefined
  /** What else goes with the name and the arguments: `_meta`, answers to what the server asked. */
  readonly params?: Params | undefined
}

export interface ToolRequest {
  readonly name: ToolName
  /** A function makes them for the tool, once it is known. */
  readonly args: CallArguments | undefined
  readonly options: CallOptions
}

export type CallArguments = Params | ((tool: BoardTool) => Params)

/** From where calls are made: a board, or a fork of it with permissions of its own. */
export interface CallDesk {
  readonly servers: Servers
  readonly permit: Permit
  readonly builtins: BuiltinDesk
  readonly guard: Guard
  readonly spill: Spill
  /** Of text, for one result; 0: no limit. */
  readonly maxTokens: number
}

export async function callTool(desk: CallDesk, request: ToolRequest): Promise<ToolResult> {
  const { clock } = desk.servers
  const startedAt = clock.now()
  const { outcome, details, askedMs = 0 } = await perform(desk, request)
  const { maxResultTokens: maxTokens = desk.maxTokens, tellPlace, holder } = request.options
  const result = translate(outcome, {
    details,
    durationMs: clock.now() - startedAt - askedMs,
    budget: { maxTokens, tellPlace, keep: (text) => desk.spill.keep(text, details.name, holder) },
  })
  if (outcome.kind === 'aborted') throw new ToolAbortError(outcome.wasSent, result)
  return result
}

interface Performed {
  readonly outcome: CallOutcome
  readonly details: ResultDetails
  /** How long a person thought about it, which is no time of the call. */
  readonly askedMs?: number
}

async function perform(desk: CallDesk, { name, args: given, options }: ToolRequest): Promise<Performed> {
  const {
    signal,
    timeoutMs,
    connectTimeoutMs = timeoutMs,
    onProgress,
    who = 'model',
    ask,
    remember,
    onJudged,
  } = options
  const reaching = { signal, timeoutMs: connectTimeoutMs, client: options.client }
  const builtin = typeof name === 'string' ? findBuiltin(name) : undefined
  if (builtin !== undefined) {
    const args = typeof given === 'function' ? given(asBoardTool(builtin)) : (given ?? {})
    const limits = { signal, timeoutMs, onProgress }
    return performBuiltin(desk, {
      tool: builtin,
      wanted: { args, who, signal },
      options: limits,
      reaching,
    })
  }
  const found = await reachTool(desk.servers, name, reaching)
  if (found.kind !== 'found') return { outcome: found, details: detailsOfName(name, desk.servers.style()) }
  const { tool: target } = found
  const details = detailsOf(target)
  const args = typeof given === 'function' ? given(target) : (given ?? {})
  const { clock } = desk.servers
  const askedAt = clock.now()
  const permission = await askPermit(desk.permit, target, { args, who, signal, ask, remember, onJudged })
  const askedMs = clock.now() - askedAt
  if (permission.kind !== 'allowed') return { outcome: permission, details, askedMs }
  const { isUnchanged } = permission
  const { unfinished, onLog, handlers, client, params: more } = options
  const limits = limitsOf(found.by, options)
  const outcome = await call(
    sendTo(desk.servers, found, more),
    {
      target,
      args,
      isUnchanged,
      options: {
        signal,
        timeoutMs: limits.timeoutMs,
        onProgress: limits.onProgress,
        unfinished,
        onLog,
        handlers,
        client,
      },
    },
    desk.guard,
  )
  return { outcome, details, askedMs }
}

/** To the server that was found, for as long as it has the tool that was permitted. */
function sendTo(servers: Servers, found: FoundTool, more: Params | undefined): Send {
  const { by } = found
  return (call, options) => {
    const params = more === undefined ? call : { ...more, ...call }
    return inTurn(by, options.signal, () => sendIfSame(servers, found, { params, options }))
  }
}

interface Letter {
  readonly params: Params
  readonly options: RequestOptions
}

/** Not an async function: where there is a session, nothing stands between the caller and it. */
function sendIfSame(servers: Servers, found: FoundTool, letter: Letter): Promise<Result> {
  const { by, tool } = found
  const isCurrent = servers.find(tool.server) === by
  if (!isCurrent || by.liveSession !== undefined) return sendNow(servers, found, letter)
  return untilLive(by, letter.options, servers.clock).then(() => sendNow(servers, found, letter))
}

function sendNow(
  servers: Servers,
  { by, offering, tool }: FoundTool,
  { params, options }: Letter,
): Promise<Result> {
  const now = by.offeringFor(options.client)
  const isSame = now === offering || isSameTool(now, tool)
  if (!isSame || servers.find(tool.server) !== by) return Promise.reject(new ProblemError(toolChanged(tool)))
  return askAtOnce(by, { method: 'tools/call', params, options }, servers.clock)
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
