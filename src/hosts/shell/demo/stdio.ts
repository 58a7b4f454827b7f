/**
 * stdio: the demo server for any MCP client, a message a line. `plugboard demo --stdio`.
 */
import { RPC_CODES } from '../../../model/message.ts'
import type { Terminal } from '../../../world/world.ts'
import type { InProcessServer } from './server.ts'

type Transport = Parameters<InProcessServer['connect']>[0]

/** Settles when it is interrupted; when the client hangs up, nothing holds the process any more. */
export async function serveLines(server: InProcessServer, terminal: Terminal): Promise<void> {
  const transport: Transport = {
    start: async () => undefined,
    send: async (message) => terminal.out(`${JSON.stringify(message)}\n`),
    close: async () => undefined,
  }
  await server.connect(transport)
  await new Promise<void>((resolve) => {
    const stopListening = terminal.onTyped({
      onLine: (line) => hear(transport, line),
      onCancel: () => undefined,
    })
    terminal.onInterrupt(() => {
      stopListening()
      resolve()
    })
  })
  transport.onclose?.()
}

function hear(transport: Transport, line: string): void {
  if (line.trim() === '') return
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    const error = { code: RPC_CODES.parseError, message: 'this line is no JSON' }
    void transport.send({ jsonrpc: '2.0', id: null, error })
    return
  }
  transport.onmessage?.(message as never)
}
