/** stdio: the demo server for any MCP client, one message per line. `plugboard demo --stdio`. */
import { Lines } from '../../../base/lines.ts'
import { RPC_CODES } from '../../../model/message.ts'
import type { Terminal } from '../../../world/world.ts'
import type { InProcessServer } from './server.ts'

type Transport = Parameters<InProcessServer['connect']>[0]

/** Notes are short. */
const MAX_LENGTH = 16 * 1024 * 1024

/** Settles when the client hangs up, or the signal ends it. */
export async function serveLines(
  server: InProcessServer,
  terminal: Terminal,
): Promise<'hung-up' | 'interrupted'> {
  const transport: Transport = {
    start: async () => undefined,
    send: async (message) => terminal.out(`${JSON.stringify(message)}\n`),
    close: async () => undefined,
  }
  await server.connect(transport)
  const end = await new Promise<'hung-up' | 'interrupted'>((resolve) => {
    const lines = new Lines({
      maxLength: MAX_LENGTH,
      onLine: (line) => hear(transport, line),
      onTooLong: () => complain(transport, 'this line is too long'),
    })
    terminal.onInput({ onText: (text) => lines.push(text), onEnd: () => resolve('hung-up') })
    terminal.onInterrupt(() => resolve('interrupted'))
  })
  transport.onclose?.()
  return end
}

function hear(transport: Transport, line: string): void {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    complain(transport, 'this line is no JSON')
    return
  }
  transport.onmessage?.(message as never)
}

function complain(transport: Transport, message: string): void {
  void transport.send({ jsonrpc: '2.0', id: null, error: { code: RPC_CODES.parseError, message } })
}
