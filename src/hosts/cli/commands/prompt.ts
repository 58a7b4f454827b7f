/**
 * prompt: fills in and shows one prompt of a server.
 */
import { isObject } from '../../../base/is-object.ts'
import { toPrintable } from '../../../base/printable.ts'
import type { Offering } from '../../../model/offering.ts'
import { ask } from '../ask-server.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { toPair } from '../pairs.ts'
import { printJson, printLines } from '../print.ts'
import { didYouMean } from '../../shared/did-you-mean.ts'
import { toSafeText } from './read.ts'

/**
 * Throws `cli/unknown-server`, `cli/bad-argument`, `permit/denied`, the problem that keeps the server from being ready,
 * `call/failed`.
 */
export async function run(context: CommandContext): Promise<number> {
  const [server, name, ...pairs] = context.args as [string, string, ...string[]]
  const given = Object.fromEntries(pairs.map(toPair))
  const result = await ask(context, server, {
    method: 'prompts/get',
    as: 'getMcpPrompt',
    params: () => ({ name, arguments: given }),
    hints: (offering) => hintsFor({ server, name, given: Object.keys(given) }, offering),
  })
  if (context.json) printJson(context.terminal, { server, name, ...result })
  else printLines(context.terminal, toText(context, result['messages']))
  return DONE
}

interface Wanted {
  readonly server: string
  readonly name: string
  /** Names of arguments. */
  readonly given: readonly string[]
}

/** Possible reasons for a refusal: the prompt does not exist, or it has other arguments. */
function hintsFor({ server, name, given }: Wanted, offering: Offering | undefined): readonly string[] {
  const prompts = offering?.prompts ?? []
  const prompt = prompts.find((one) => one.name === name)
  const all = `to see its prompts and their arguments, run \`plugboard prompts ${server}\``
  if (prompt === undefined) {
    const names = prompts.map((one) => one.name)
    return [...didYouMean(name, names), all]
  }
  const known = argumentsOf(prompt['arguments'])
  const names = known.map((one) => String(one.name))
  const missing = known.filter((one) => one.required === true && !given.includes(String(one.name)))
  return [
    ...given.filter((one) => !names.includes(one)).flatMap((one) => didYouMean(one, names)),
    ...missing.map((one) => `add \`${String(one.name)}=…\`, which it needs`),
    all,
  ].slice(0, 3)
}

interface PromptArgument {
  readonly name?: unknown
  readonly required?: unknown
}

function argumentsOf(given: unknown): readonly PromptArgument[] {
  return Array.isArray(given) ? given.filter(isObject) : []
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
