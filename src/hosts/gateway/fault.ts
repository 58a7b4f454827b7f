/**
 * fault: turns every failure into an error of the protocol, in one place.
 */
import { RPC_CODES, type RpcError } from '../../model/message.ts'
import { RpcFaultError } from '../../model/rpc-fault.ts'
import { SessionError } from '../../model/session.ts'
import { toCrashText } from '../../problem/crash-text.ts'
import { ProblemError } from '../../problem/problem.ts'

/** A refusal before any server was asked. Over HTTP it has its own status. */
export class FrontFault extends RpcFaultError {
  readonly status: number

  constructor(status: number, fault: RpcError) {
    super(fault)
    this.status = status
  }
}

export function invalid(message: string, data?: unknown): RpcFaultError {
  const code = RPC_CODES.invalidParams
  return new RpcFaultError(data === undefined ? { code, message } : { code, message, data })
}

export function unknownMethod(method: string): FrontFault {
  return new FrontFault(404, { code: RPC_CODES.methodNotFound, message: `there is no method \`${method}\`` })
}

/** The HTTP status of an error. An error as the answer to a request is no failure of HTTP, except for this one. */
export function statusOf(error: unknown): number {
  if (error instanceof FrontFault) return error.status
  return error instanceof RpcFaultError && error.fault.code === RPC_CODES.missingCapability ? 400 : 200
}

/** An error of a server goes on unchanged. */
export function toFault(error: unknown): RpcFaultError {
  if (error instanceof RpcFaultError) return error
  const cause = error instanceof ProblemError ? error.cause : error
  if (cause instanceof SessionError && cause.failure.kind === 'rpc')
    return new RpcFaultError(cause.failure.error)
  return new RpcFaultError({ code: RPC_CODES.internalError, message: wordsOf(error) })
}

function wordsOf(error: unknown): string {
  if (error instanceof ProblemError) return [error.problem.message, ...error.problem.notes].join('; ')
  if (error instanceof SessionError) return error.message
  return `a bug in Plugboard: ${toCrashText(error instanceof Error ? error.message : String(error))}`
}
