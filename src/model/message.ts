/** message: JSON-RPC messages. A server's message is kept unchanged; nothing unknown is dropped. */
export type RequestId = number | string

export type Params = Readonly<Record<string, unknown>>

/** The server's result, unchanged. */
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
  /** Absent or null when the server could not read the id of the request. */
  readonly id?: RequestId | null
  readonly error: RpcError
}

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export type Message = RpcRequest | RpcNotification | RpcResult | RpcFault

/** The codes that Plugboard sends or checks. */
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
  /** For revisions before 2026-07-28, which uses `invalidParams` instead. */
  resourceNotFound: -32002,
} as const
