/**
 * server-prompts: the prompts of servers as commands, `/mcp__<server>__<prompt>`.
 */
import { isObject } from '../../base/is-object.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { Board } from '../../runtime/board.ts'
import { badPromptWords, promptFailed } from './agent/problems.ts'

export interface ServerPrompt {
  /** `mcp__docs__review`. */
  readonly command: string
  readonly server: string
  readonly prompt: string
  readonly description?: string
  readonly arguments: readonly { readonly name: string; readonly isRequired: boolean }[]
}

export function serverPrompts(board: Pick<Board, 'snapshot'>): readonly ServerPrompt[] {
  return board.snapshot().servers.flatMap(({ name: server, offering }) =>
    (offering?.prompts ?? []).map(({ name, description, arguments: given }) => ({
      command: `mcp__${server}__${name}`.replace(/\s/g, '_'),
      server,
      prompt: name,
      ...(typeof description === 'string' ? { description } : {}),
      arguments: (Array.isArray(given) ? given : []).filter(isObject).map((one) => ({
        name: String(one['name']),
        isRequired: one['required'] === true,
      })),
    })),
  )
}

/** The text to send to the model. Rejects with a ProblemError. */
export async function fillPrompt(
  board: Board,
  found: ServerPrompt,
  { words, signal }: { readonly words: readonly string[]; readonly signal: AbortSignal },
): Promise<string> {
  const { server, prompt } = found
  const args = { server, name: prompt, arguments: readWords(found, words) }
  const { text, isError, problem } = await board.call('getMcpPrompt', args, { who: 'person', signal })
  if (isError) throw new ProblemError(problem ?? promptFailed(found.command, text))
  return text
}

/** `k=v` by name, others in the order of the prompt's arguments; the last one takes what is left. */
function readWords(
  { command, arguments: known }: ServerPrompt,
  words: readonly string[],
): Record<string, string> {
  const given: Record<string, string> = {}
  const rest = known.map(({ name }) => name)
  for (const word of words) {
    const named = rest.find((name) => word.startsWith(`${name}=`))
    if (named !== undefined) {
      given[named] = word.slice(named.length + 1)
      rest.splice(rest.indexOf(named), 1)
      continue
    }
    const next = rest.shift()
    if (next !== undefined) given[next] = word
    else if (known.length > 0) given[known.at(-1)!.name] += ` ${word}`
  }
  const missing = known.filter(({ name, isRequired }) => isRequired && given[name] === undefined)
  if (missing.length > 0)
    throw new ProblemError(
      badPromptWords(
        command,
        missing.map(({ name }) => name),
      ),
    )
  return given
}
