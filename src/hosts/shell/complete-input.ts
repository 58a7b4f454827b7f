/**
 * complete-input: completions at the cursor: commands, prompts of servers, their arguments, resources.
 *
 * in     the text up to the cursor
 * out    whole words, and the position from which they replace the typed text
 */
import { SessionError } from '../../model/session.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { Board } from '../../runtime/board.ts'
import type { CompletionArgument, CompletionRef } from '../../runtime/complete.ts'
import type { ShellContext, SlashCommand } from './context.ts'
import { serverPrompts, type ServerPrompt } from './server-prompts.ts'

export interface Completed {
  readonly from: number
  readonly items: readonly string[]
}

const NOTHING: Completed = { from: 0, items: [] }

export async function completeInput(
  context: ShellContext,
  commands: readonly SlashCommand[],
  text: string,
): Promise<Completed> {
  const from = /\S*$/.exec(text)!.index
  const word = text.slice(from)
  const start = (all: readonly string[]): Completed => ({
    from,
    items: all.filter((one) => one.startsWith(word)),
  })
  if (word.startsWith('@'))
    return start([...new Set([...mentionsFor(context.board), ...(await templatesFor(context, word))])])
  if (!text.startsWith('/')) return NOTHING
  const prompts = serverPrompts(context.board)
  if (from === 0)
    return start([
      ...commands.map(({ name }) => `/${name} `),
      ...prompts.map(({ command }) => `/${command} `),
    ])
  const [name = '', ...words] = text.slice(1).split(/\s+/)
  const prompt = prompts.find(({ command }) => command === name)
  if (prompt !== undefined) return start(await valuesFor(context, prompt, words))
  const command = commands.find((one) => one.name === name || one.aliases?.includes(name) === true)
  return start((await command?.complete?.(context, words)) ?? [])
}

/** `@server:` and the resources of each. Templates end where their first variable begins. */
function mentionsFor(board: Board): readonly string[] {
  return board.snapshot().servers.flatMap(({ name, offering }) => {
    const uris = [
      ...(offering?.resources ?? []).map(({ uri }) => uri),
      ...(offering?.resourceTemplates ?? []).map(({ uriTemplate }) => String(uriTemplate).split('{', 1)[0]),
    ]
    return uris.filter((uri) => typeof uri === 'string' && uri !== '').map((uri) => `@${name}:${String(uri)}`)
  })
}

/** The server's suggestions for the first variable of a template, once all the text before it is typed. */
async function templatesFor(context: ShellContext, word: string): Promise<readonly string[]> {
  const servers = context.board.snapshot().servers.filter(({ name }) => word.startsWith(`@${name}:`))
  const found = servers.flatMap(({ name: server, offering }) =>
    (offering?.resourceTemplates ?? []).flatMap(({ uriTemplate }) => {
      const template = String(uriTemplate)
      const [, start = '', name, end = ''] = /^([^{]*)\{([\w.]+)\}([^{]*)/.exec(template) ?? []
      const before = `@${server}:${start}`
      return name === undefined || !word.startsWith(before) ? [] : [{ server, template, name, before, end }]
    }),
  )
  const values = found.map(async ({ server, template, name, before, end }) => {
    const value = word.slice(before.length)
    const all = await suggest(context, { server, template }, { name, value })
    return all.map((one) => `${before}${encodeURIComponent(one)}${end}`)
  })
  return (await Promise.all(values)).flat()
}

/** A server that cannot answer suggests nothing: the user who presses Tab does not expect an error. */
async function suggest(
  { board, signal }: ShellContext,
  ref: CompletionRef,
  { settled = {}, ...argument }: CompletionArgument & { readonly settled?: Record<string, string> },
): Promise<readonly string[]> {
  try {
    const limits = { arguments: settled, signal, timeoutMs: SUGGEST_MS }
    return (await board.complete(ref, argument, limits)).values
  } catch (error) {
    if (error instanceof SessionError || error instanceof ProblemError) return []
    throw error
  }
}

const SUGGEST_MS = 2000

/** `name=` for missing arguments; after it, the server's suggestions. */
async function valuesFor(
  context: ShellContext,
  { server, prompt, arguments: known }: ServerPrompt,
  words: readonly string[],
): Promise<readonly string[]> {
  const last = words.at(-1) ?? ''
  const settled = Object.fromEntries(
    words.slice(0, -1).flatMap((word) => {
      const equals = word.indexOf('=')
      return equals === -1 ? [] : [[word.slice(0, equals), word.slice(equals + 1)]]
    }),
  )
  const equals = last.indexOf('=')
  if (equals === -1)
    return known.filter(({ name }) => !Object.hasOwn(settled, name)).map(({ name }) => `${name}=`)
  const [name, value] = [last.slice(0, equals), last.slice(equals + 1)]
  const values = await suggest(context, { server, prompt }, { name, value, settled })
  return values.map((one) => `${name}=${one}`)
}
