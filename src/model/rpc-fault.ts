/** rpc-fault: a refusal by Plugboard, as an error for the server or the client that sent the request. */
import type { RpcError } from './message.ts'

export class RpcFaultError extends Error {
  readonly fault: RpcError

  constructor(fault: RpcError) {
    super(fault.message)
    this.name = 'RpcFaultError'
    this.fault = fault
  }
}
