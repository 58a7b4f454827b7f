/**
 * prompt: one prompt of a server, filled in.
 */
import { toPrintable } from '../../../base/printable.ts'
import { ProblemError } from '../../../problem/problem.ts'
import { ask } from '../ask-server.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { printJson, printLines } from '../print.ts'
import { badPair } from '../problems.ts'
import { toSafeText } from './read.ts'

/** Throws `cli/unknown-server`, `cli/bad-argument`, what kept the server from being ready, `call/failed`. */
export async function run(context: CommandContext): Promise<number> {
  const [server, name, ...pairs] = context.args as [string, string, ...string[]]
  const params = { name, arguments: Object.fromEntries(pairs.map(toPair)) }
  const result = await ask(context, server, { method: 'prompts/get', params })
  if (context.json) printJson(context.terminal, { server, name, ...result })
  else printLines(context.terminal, toText(context, result['messages']))
  return DONE
}

function toPair(given: string): readonly [string, string] {
  const at = given.indexOf('=')
  if (at < 1) throw new ProblemError(badPair(given))
  return [given.slice(0, at), given.slice(at + 1)]
}

interface PromptMessage {
  readonly role?: unknown
  readonly content?: { readonly type?: unknown; readonly text?: unknown }
}

function toText({ terminal, paint }: CommandContext, messages: unknown): string[] {
  if (!Array.isArray(messages) || messages.length === 0) return ['(empty)']
  return (messages as readonly PromptMessage[]).map(({ role, content }) => {
    const text =
      typeof content?.text === 'string'
        ? toSafeText(content.text, terminal.columns !== undefined)
        : `(${toPrintable(String(content?.type ?? 'nothing'))}; --json gives it whole)`
    return `${paint.bold(`${toPrintable(String(role))}:`)} ${text}`
  })
}
