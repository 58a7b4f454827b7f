/**
 * caller: the client of one request, while that request runs.
 */
import type { Signal } from '../../base/abort.ts'
import { isObject } from '../../base/is-object.ts'
import { RPC_CODES, type Params, type Result } from '../../model/message.ts'
import { RpcFaultError } from '../../model/rpc-fault.ts'
import type { Era } from '../../model/session.ts'
import { isOwner } from './principal.ts'
import type { ServedBoard } from './served-board.ts'
import type { RequestRecord } from './sighting.ts'

/** Calls tools: the board, or a fork of the board for a client that the gateway can recognize. */
export type ToolCaller = Pick<ServedBoard, 'call'>

export interface Caller {
  readonly era: Era
  /** The same value for all requests of one client, where the gateway can recognize the client. */
  readonly client: object
  /**
   * Owns its own process of each server that wants one per client. Undefined: the gateway could not tell when the
   * client is gone.
   */
  readonly instance?: object | undefined
  readonly info?: Params | undefined
  /**
   * Whether the client knows links to resources in results, which came with 2025-06-18. Older clients treat them as an
   * error.
   */
  readonly knowsLinks: boolean
  /** What a server may ask this client. */
  readonly capabilities: Params
  /** The lowest log level that the client wants. Undefined: a legacy client gets all logs, a modern client none. */
  readonly logLevel?: string | undefined
  readonly desk: ToolCaller
  /** Records the outcome of the request. */
  readonly sighting?: RequestRecord | undefined
  /** Sends on the stream of this request. */
  notify(method: string, params: Params): void
  /** Undefined where the client can be asked only through an unfinished result. Rejects with an RpcFaultError. */
  readonly ask?: AskCaller | undefined
}

/**
 * The caller, as this server may ask it. The roots of a guest are folders of another machine. A server that runs on
 * this machine would take them for its own folders and open them.
 */
export function callerAt(board: Pick<ServedBoard, 'server'>, server: string, caller: Caller): Caller {
  if (caller.capabilities['roots'] === undefined) return caller
  if (isOwner(caller.sighting?.begun.principal)) return caller
  const wire = board.server(server)?.wire
  if (wire !== undefined && wire !== 'stdio') return caller
  const { roots: _, ...capabilities } = caller.capabilities
  return { ...caller, capabilities }
}

export type AskCaller = (method: string, params: Params, signal: Signal) => Promise<Result>

/** The principal that owns what the gateway keeps for this caller. */
export function holderOf({ sighting }: Pick<Caller, 'sighting'>): string {
  return sighting?.begun.principal.key ?? ''
}

/** Throws when the client did not declare the capability. */
export function requireOffered(
  { capabilities }: Pick<Caller, 'capabilities'>,
  method: string,
  params: Params,
): void {
  if (canBeAsked(capabilities, method, params)) return
  const message = `the client that waits for this does not answer ${method}`
  throw new RpcFaultError({ code: RPC_CODES.methodNotFound, message })
}

export function canBeAsked(capabilities: Params, method: string, { mode = 'form' }: Params = {}): boolean {
  switch (method) {
    case 'roots/list':
      return isObject(capabilities['roots'])
    case 'sampling/createMessage':
      return isObject(capabilities['sampling'])
    case 'elicitation/create': {
      const { elicitation } = capabilities
      if (!isObject(elicitation)) return false
      // An empty capability means forms: the only mode before there were others.
      return mode === 'form'
        ? isObject(elicitation['form']) || elicitation['url'] === undefined
        : isObject(elicitation[String(mode)])
    }
    default:
      return false
  }
}

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

export function isLevel(level: unknown): level is string {
  return LEVELS.includes(level as string)
}

/** Whether the caller wants this log message. */
export function wantsLog({ era, logLevel }: Pick<Caller, 'era' | 'logLevel'>, { level }: Params): boolean {
  if (logLevel === undefined) return era === 'legacy'
  return LEVELS.indexOf(String(level)) >= LEVELS.indexOf(logLevel)
}

export function mostTalkative(levels: readonly string[]): string {
  return LEVELS.find((level) => levels.includes(level)) ?? 'info'
}
