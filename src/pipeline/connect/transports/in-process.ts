/**
 * in-process: a server in this process, which the host registered.
 *
 * in     anything with `connect(transport)`, like the servers of the official SDK
 * never  shares an object with the server: it copies messages, so that neither side can change what the other holds
 */
import { isTooDeep, MAX_DEPTH } from '../../../base/depth.ts'
import { tell } from '../../../base/tell.ts'
import { RPC_CODES, type Message, type RequestId } from '../../../model/message.ts'
import type { Wire, WireListener } from '../../../model/wire.ts'

/** The part of the SDK's servers that this wire needs. */
export interface InProcessServer {
  connect(transport: ServerTransport): Promise<void>
}

/** The SDK's `Transport`, from the server's side. */
export interface ServerTransport {
  onmessage?: ((message: never) => void) | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  start(): Promise<void>
  send(message: unknown): Promise<void>
  close(): Promise<void>
}

export function openInProcess(server: InProcessServer, listener: WireListener): Wire {
  let isOver = false
  const end = (failure: Parameters<WireListener['onEnd']>[0]): void => {
    if (isOver) return
    isOver = true
    listener.onEnd(failure)
  }
  const transport: ServerTransport = {
    start: async () => undefined,
    async send(message) {
      if (isOver) return
      const copy = copyOf(message)
      if (copy !== undefined) listener.onMessage(copy)
    },
    async close() {
      if (isOver) return
      end({ kind: 'closed' })
      tell(() => transport.onclose?.())
    },
  }
  const connected = server.connect(transport).then(
    () => listener.onFirstSign?.(),
    (error: unknown) =>
      end({ kind: 'protocol', message: error instanceof Error ? error.message : String(error) }),
  )
  return {
    kind: 'in-process',
    send(message) {
      const copy = structuredClone(message)
      void connected.then(() => isOver || transport.onmessage?.(copy as never))
    },
    close: () => transport.close(),
  }
}

/**
 * A message that is nested too deep cannot be copied: its request gets an error instead. Throws for functions and other
 * values that cannot be copied.
 */
function copyOf(message: unknown): Message | undefined {
  try {
    return structuredClone(message) as Message
  } catch (error) {
    if (!isTooDeep(message)) throw error
    const { id, method } = message as { readonly id?: RequestId; readonly method?: string }
    if (id === undefined || method !== undefined) return undefined
    const fault = {
      code: RPC_CODES.internalError,
      message: `its answer is nested more than ${MAX_DEPTH} levels deep`,
    }
    return { jsonrpc: '2.0', id, error: fault }
  }
}
