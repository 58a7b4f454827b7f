/**
 * call-builtin: a call of one of our own tools, by the stages that every call passes.
 *
 * in     the tool, its arguments, what is said about calls
 * out    an outcome, as exact as that of a server's tool
 * never  asks a person: they change nothing; asks a server in plan mode
 */
import type { Params, Result } from '../model/message.ts'
import type { CallOutcome, ResultDetails } from '../model/outcome.ts'
import type { Permissions, ToolToCall } from '../model/permission.ts'
import type { RequestOptions } from '../model/session.ts'
import { call, type Guard } from '../pipeline/call/call.ts'
import { denyBuiltin } from '../pipeline/permit/permit-builtin.ts'
import { denied } from '../pipeline/permit/problems.ts'
import type { Platform } from '../world/world.ts'
import { untilLive } from './ask.ts'
import { callBuiltin, type BuiltinHost, type BuiltinTool } from './builtin-tools.ts'
import type { ReachOptions, Servers } from './reach-tool.ts'
import type { BoardTool } from './tools.ts'

/** What calls of our own tools are made with. */
export interface BuiltinDesk {
  readonly host: BuiltinHost
  readonly platform: Platform
  /** What is said about calls, as it is now. */
  permissions(): Promise<Permissions>
}

export interface BuiltinCall {
  readonly tool: BuiltinTool
  readonly args: Params
  readonly options: RequestOptions
  /** How long a server may take to be there. */
  readonly reaching: ReachOptions
}

export async function performBuiltin(
  desk: { readonly servers: Servers; readonly builtins: BuiltinDesk; readonly guard: Guard },
  { tool, args, options, reaching }: BuiltinCall,
): Promise<{ readonly outcome: CallOutcome; readonly details: ResultDetails }> {
  const { host, platform, permissions } = desk.builtins
  const details = detailsOf(tool, args)
  const target = toTarget(tool)
  const server = tool.access === 'read' ? details.serverName : undefined
  const by = denyBuiltin(await permissions(), tool, server)
  if (by !== undefined) {
    const problem = denied(target, by, platform)
    return { outcome: { kind: 'not-sent', code: 'denied', problem }, details }
  }
  const send = async (_: Params, limits: RequestOptions): Promise<Result> => {
    if (tool.access === 'read') await reach(desk.servers, details.serverName, reaching)
    return callBuiltin(host, { name: tool.name, args }, limits)
  }
  // Ours, and so what it says of itself is true: to read twice is as good as once.
  const outcome = await call(send, { target, args, isUnchanged: true, options }, desk.guard)
  return { outcome, details }
}

/** One that there is not is refused where it is asked. */
async function reach(servers: Servers, name: string, options: ReachOptions): Promise<void> {
  const one = servers.find(name)
  if (one !== undefined && one.liveSession === undefined) await untilLive(one, options, servers.clock)
}

/** As boards list tools. */
export function toBoardTool(tool: BuiltinTool): BoardTool {
  const { name, description, inputSchema, annotations } = tool
  return { ...toTarget(tool), description, inputSchema, annotations, label: LABEL, isDeferred: false, name }
}

const LABEL = 'plugboard'

function toTarget({ name, description, inputSchema, annotations }: BuiltinTool): ToolToCall {
  return { server: '', tool: name, name, definition: { name, description, inputSchema, annotations } }
}

function detailsOf({ name }: BuiltinTool, { server }: Params): ResultDetails {
  return {
    serverName: typeof server === 'string' ? server : '',
    mcpToolName: name,
    name,
    label: LABEL,
  }
}
