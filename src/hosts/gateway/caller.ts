/**
 * caller: who asks, for the length of one request.
 */
import type { Signal } from '../../base/abort.ts'
import { isObject } from '../../base/is-object.ts'
import { RPC_CODES, type Params, type Result } from '../../model/message.ts'
import { RpcFaultError } from '../../model/rpc-fault.ts'
import type { Era } from '../../model/session.ts'
import { isOwner } from './principal.ts'
import type { ServedBoard } from './served-board.ts'
import type { Sighting } from './sighting.ts'

/** What calls tools: the board, or a fork of it for a client that can be told from others. */
export type ToolDesk = Pick<ServedBoard, 'call'>

export interface Caller {
  readonly era: Era
  /** The same value for all requests of one client, where that can be told. */
  readonly client: object
  /** Who has a process of its own, of servers that want one for each client. Undefined: nobody could tell when it is gone. */
  readonly instance?: object | undefined
  readonly info?: Params | undefined
  /** Whether it knows links to resources in results, which came with 2025-06-18: older ones take them for a mistake. */
  readonly knowsLinks: boolean
  /** What this client can be asked. */
  readonly capabilities: Params
  /** From which level on it wants to hear logs. Undefined: a legacy client wants all, a modern one none. */
  readonly logLevel?: string | undefined
  readonly desk: ToolDesk
  /** Where what becomes of the request is written down. */
  readonly sighting?: Sighting | undefined
  /** On the stream of this request. */
  notify(method: string, params: Params): void
  /** Undefined where a client can only be asked with an unfinished result. Rejects with an RpcFaultError. */
  readonly ask?: AskCaller | undefined
}

/**
 * The caller, as a server may ask it. The roots of somebody else than the gateway's own user are folders of another
 * machine: a server that runs on this one would take them for its own, and open them.
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

/** On whose behalf it asks, where what is kept for it is told apart by that. */
export function holderOf({ sighting }: Pick<Caller, 'sighting'>): string {
  return sighting?.begun.principal.key ?? ''
}

/** Throws when the client did not offer to answer this. */
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
      // Empty means forms, as it did before there was anything else.
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

/** Whether a log message is one that the caller wants. */
export function wantsLog({ era, logLevel }: Pick<Caller, 'era' | 'logLevel'>, { level }: Params): boolean {
  if (logLevel === undefined) return era === 'legacy'
  return LEVELS.indexOf(String(level)) >= LEVELS.indexOf(logLevel)
}

export function mostTalkative(levels: readonly string[]): string {
  return LEVELS.find((level) => levels.includes(level)) ?? 'info'
}
