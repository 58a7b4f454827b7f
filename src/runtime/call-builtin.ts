/**
 * call-builtin: a call of one of our own tools, through the stages of every call.
 *
 * in     the tool, its arguments, the permissions in force
 * out    an outcome, as exact as that of a server's tool
 * never  asks the user, since these tools change nothing; asks a server in plan mode
 */
import type { Params, Result } from '../model/message.ts'
import type { CallOutcome, ResultDetails } from '../model/outcome.ts'
import type { Permissions, Permit, ToolToCall, WantedCall } from '../model/permission.ts'
import type { RequestOptions } from '../model/session.ts'
import { call, type Guard } from '../pipeline/call/call.ts'
import { findTooDeep } from '../pipeline/call/problems.ts'
import { denyBuiltin } from '../pipeline/permit/permit-builtin.ts'
import { denied } from '../pipeline/permit/problems.ts'
import type { Platform } from '../world/world.ts'
import { untilLive } from './ask.ts'
import { asBoardTool, callBuiltin, type BuiltinHost, type BuiltinTool } from './builtin-tools.ts'
import { askPermit } from './permit-call.ts'
import type { ReachOptions, Servers } from './reach-tool.ts'

/** What calls of our own tools need. */
export interface BuiltinContext {
  readonly host: BuiltinHost
  readonly platform: Platform
  /** The permissions in force: of the board, or of the fork that calls. */
  permissions(): Promise<Permissions>
  /** Asked besides: a host's replacement of the permissions, and each fork on the way that can be closed. */
  readonly permit: Permit | undefined
}

export interface BuiltinCall {
  readonly tool: BuiltinTool
  readonly wanted: WantedCall
  readonly options: RequestOptions
  /** How long a server may take to be connected. */
  readonly reaching: ReachOptions
}

export async function performBuiltin(
  desk: { readonly servers: Servers; readonly builtins: BuiltinContext; readonly guard: Guard },
  { tool, wanted, options, reaching }: BuiltinCall,
): Promise<{ readonly outcome: CallOutcome; readonly details: ResultDetails }> {
  const { args } = wanted
  const target = asBoardTool(tool)
  const details = { serverName: serverIn(args), mcpToolName: tool.name, name: tool.name, label: target.label }
  const problem = findTooDeep(target, args)
  if (problem !== undefined) return { outcome: { kind: 'not-sent', code: 'bad-arguments', problem }, details }
  const refusal = await refuse(desk.builtins, { tool, target, wanted })
  if (refusal !== undefined) return { outcome: refusal, details }
  const send = async (_: Params, limits: RequestOptions): Promise<Result> => {
    if (tool.access === 'read') await reach(desk.servers, details.serverName, reaching)
    return callBuiltin(desk.builtins.host, { name: tool.name, args }, limits)
  }
  // The tool is ours, so its annotations are true: reading twice does no harm.
  const outcome = await call({ send }, { target, args, isUnchanged: true, options }, desk.guard)
  return { outcome, details }
}

/** Undefined when no rule denies the call. */
async function refuse(
  { platform, permissions, permit }: BuiltinContext,
  {
    tool,
    target,
    wanted,
  }: { readonly tool: BuiltinTool; readonly target: ToolToCall; readonly wanted: WantedCall },
): Promise<CallOutcome | undefined> {
  const server = tool.access === 'read' ? serverIn(wanted.args) : undefined
  const by = denyBuiltin(await permissions(), tool, server)
  if (by !== undefined) return { kind: 'not-sent', code: 'denied', problem: denied(target, by, platform) }
  if (permit === undefined) return undefined
  const permission = await askPermit(permit, target, wanted)
  return permission.kind === 'allowed' ? undefined : permission
}

/** Does not check that the server exists: the request itself refuses an unknown one. */
async function reach(servers: Servers, name: string, options: ReachOptions): Promise<void> {
  const one = servers.find(name)
  if (one !== undefined && one.liveSession === undefined) await untilLive(one, options, servers.clock)
}

function serverIn({ server }: Params): string {
  return typeof server === 'string' ? server : ''
}
