/**
 * read: prints one resource of a server, unchanged. Fills in a template first.
 */
import { toPrintable, toPrintableLines } from '../../../base/printable.ts'
import { expandTemplate, variablesOf, type TemplateValue } from '../../../base/uri-template.ts'
import type { Offering } from '../../../model/offering.ts'
import { ProblemError } from '../../../problem/problem.ts'
import { ask } from '../ask-server.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { toPair } from '../pairs.ts'
import { printJson, printLines } from '../print.ts'
import { didYouMean } from '../../shared/did-you-mean.ts'
import { emptyVariable, unknownVariable } from '../problems.ts'

/**
 * Throws `cli/unknown-server`, `cli/bad-argument`, `permit/denied`, the problem that keeps the server from being ready,
 * `call/failed`.
 */
export async function run(context: CommandContext): Promise<number> {
  const [server, given, ...rest] = context.args as [string, string, ...string[]]
  const pairs = rest.map(toPair)
  let uri = given
  const result = await ask(context, server, {
    method: 'resources/read',
    as: 'readMcpResource',
    params(offering) {
      uri = toUri(given, pairs, offering)
      return { uri }
    },
    hints: (offering) => [
      ...didYouMean(uri, urisOf(offering)),
      `to see what it has to read, run \`plugboard resources ${server}\``,
    ],
  })
  if (context.json) printJson(context.terminal, { server, uri, ...result })
  else printLines(context.terminal, toText(context, result['contents']))
  return DONE
}

type Pair = readonly [string, string]

/**
 * Throws `cli/bad-argument`. A text that the server does not list as a template counts as one only if values are given.
 */
function toUri(given: string, pairs: readonly Pair[], offering: Offering | undefined): string {
  const isTemplate = offering?.resourceTemplates.some((one) => one['uriTemplate'] === given) === true
  if (!isTemplate && pairs.length === 0) return given
  const variables = variablesOf(given)
  const names = variables.map(({ name }) => name)
  const values = toValues(pairs)
  for (const name of values.keys())
    if (!names.includes(name)) throw new ProblemError(unknownVariable(name, given, names))
  const missing = variables.find(({ name, isRequired }) => isRequired && !values.has(name))
  if (missing !== undefined) throw new ProblemError(emptyVariable(missing.name, given))
  return expandTemplate(given, values)
}

/** A name that occurs more than once gets a list. */
function toValues(pairs: readonly Pair[]): ReadonlyMap<string, TemplateValue> {
  const values = new Map<string, TemplateValue>()
  for (const [name, value] of pairs) {
    const before = values.get(name)
    values.set(name, before === undefined ? value : [before, value].flat())
  }
  return values
}

function urisOf(offering: Offering | undefined): readonly string[] {
  return (offering?.resources ?? []).map((one) => String(one['uri']))
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

/** A file or a pipe gets the text unchanged. A terminal gets no escape sequences of a server. */
export function toSafeText(text: string, isTerminal: boolean): string {
  return isTerminal ? toPrintableLines(text) : text
}
