/**
 * message: JSON-RPC as it travels. What a server sent is kept as it came; nothing unknown is dropped.
 */
export type RequestId = number | string

export type Params = Readonly<Record<string, unknown>>

/** Whatever the server answered, untouched. */
export type Result = Readonly<Record<string, unknown>>

export interface RpcRequest {
  readonly jsonrpc: '2.0'
  readonly id: RequestId
  readonly method: string
  readonly params?: Params
}

export interface RpcNotification {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params?: Params
}

export interface RpcResult {
  readonly jsonrpc: '2.0'
  readonly id: RequestId
  readonly result: Result
}

export interface RpcFault {
  readonly jsonrpc: '2.0'
  /** Absent or null when the server could not even read whose answer this is. */
  readonly id?: RequestId | null
  readonly error: RpcError
}

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export type Message = RpcRequest | RpcNotification | RpcResult | RpcFault

/** The codes that we send or look for. */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  urlElicitationRequired: -32042,
  /** Before 2026-07-28, which has `invalidParams` for it. */
  resourceNotFound: -32002,
} as const
