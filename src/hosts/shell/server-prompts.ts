/** server-prompts: the prompts of servers as commands, `/mcp__<server>__<prompt>`. */
import { isObject } from '../../base/is-object.ts'
import { SessionError } from '../../model/session.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { Board } from '../../runtime/board.ts'
import { denyReading } from '../../runtime/permit-reading.ts'
import type { Platform } from '../../world/world.ts'
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
  {
    words,
    signal,
    platform,
  }: { readonly words: readonly string[]; readonly signal: AbortSignal; readonly platform: Platform },
): Promise<string> {
  const { server, prompt } = found
  const params = { name: prompt, arguments: readWords(found, words) }
  const permissions = (await board.permissions()).current()
  const no = denyReading(permissions, { tool: 'getMcpPrompt', server }, platform)
  if (no !== undefined) throw new ProblemError(no)
  try {
    const { messages } = await board.request(server, 'prompts/get', params, { signal })
    return (Array.isArray(messages) ? messages : []).map(textOf).join('\n\n')
  } catch (error) {
    if (!(error instanceof SessionError)) throw error
    throw new ProblemError(promptFailed(found.command, error.message))
  }
}

/** The user sends all messages as one prompt. Messages with other roles are marked. */
function textOf(message: unknown): string {
  const { role, content } = isObject(message) ? message : {}
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content]
  const text = parts.map(partOf).join('\n')
  return role === 'user' ? text : `${String(role)}: ${text}`
}

function partOf(part: unknown): string {
  if (!isObject(part)) return ''
  if (typeof part['text'] === 'string') return part['text']
  const { resource, mimeType } = part
  if (isObject(resource) && typeof resource['text'] === 'string') return resource['text']
  return `(${String(part['type'])}${typeof mimeType === 'string' ? `, ${mimeType}` : ''})`
}

/** `k=v` by name, other words in the order of the prompt's arguments; the last argument takes the rest. */
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
