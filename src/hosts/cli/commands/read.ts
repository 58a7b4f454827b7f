/**
 * read: one resource of a server, as it is.
 */
import { toPrintable } from '../../../base/printable.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { printJson, printLines } from '../print.ts'
import { ask } from '../ask-server.ts'

/** Throws `cli/unknown-server`, what kept the server from being ready, `call/failed`. */
export async function run(context: CommandContext): Promise<number> {
  const [server, uri] = context.args as [string, string]
  const result = await ask(context, server, { method: 'resources/read', params: { uri } })
  if (context.json) printJson(context.terminal, { server, uri, ...result })
  else printLines(context.terminal, toText(context, result['contents']))
  return DONE
}

interface Content {
  readonly uri?: unknown
  readonly mimeType?: unknown
  readonly text?: unknown
  readonly blob?: unknown
}

function toText({ terminal }: CommandContext, contents: unknown): string[] {
  if (!Array.isArray(contents) || contents.length === 0) return ['(empty)']
  return (contents as readonly Content[]).flatMap((content) => {
    if (typeof content.text === 'string') return [toSafeText(content.text, terminal.columns !== undefined)]
    const bytes = typeof content.blob === 'string' ? Math.floor((content.blob.length * 3) / 4) : 0
    return [
      `(binary, ${toPrintable(String(content.mimeType ?? 'unknown type'))}, ${bytes} bytes; --json gives it whole)`,
    ]
  })
}

/** To a file or a pipe it goes as it is; a terminal gets no escape sequences from a server. */
export function toSafeText(text: string, isTerminal: boolean): string {
  return isTerminal ? text.split('\n').map(toPrintable).join('\n') : text
}
