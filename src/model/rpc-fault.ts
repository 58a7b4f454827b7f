/**
 * rpc-fault: a refusal of ours, on its way to whoever asked: a server, or a client of the gateway.
 */
import type { RpcError } from './message.ts'

export class RpcFaultError extends Error {
  readonly fault: RpcError

  constructor(fault: RpcError) {
    super(fault.message)
    this.name = 'RpcFaultError'
    this.fault = fault
  }
}
