/**
 * prompt: prompts of servers as commands, `/mcp__<server>__<prompt>`: filled in, and sent to the model.
 *
 * in     values in the order of the prompt's arguments, or `name=value`; what is required and missing is asked for
 */
import { isObject } from '../../../base/is-object.ts'
import { toPrintableLines } from '../../../base/printable.ts'
import { SessionError } from '../../../model/session.ts'
import { createProblem, ProblemError } from '../../../problem/problem.ts'
import { denyReading } from '../../../runtime/permit-reading.ts'
import type { ShellContext } from '../context.ts'

export interface ServerPrompt {
  readonly server: string
  readonly prompt: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
}

interface PromptArgument {
  readonly name: string
  readonly isRequired: boolean
  readonly description: string
}

/** What is typed behind the slash. */
export function promptName(server: string, prompt: string): string {
  const plain = (text: string): string => text.replace(/[^\p{L}\p{N}_.-]/gu, '_')
  return `mcp__${plain(server)}__${plain(prompt)}`
}

export function findPrompts({ board }: Pick<ShellContext, 'board'>): ReadonlyMap<string, ServerPrompt> {
  const found = new Map<string, ServerPrompt>()
  for (const { name: server, offering } of board.snapshot().servers) {
    for (const { name: prompt, description, ...listed } of offering?.prompts ?? []) {
      const name = promptName(server, prompt)
      // Two that are typed alike: the first has the name.
      if (found.has(name)) continue
      const given = Array.isArray(listed['arguments']) ? listed['arguments'].filter(isObject) : []
      found.set(name, {
        server,
        prompt,
        description: typeof description === 'string' ? description : '',
        arguments: given.map((one) => ({
          name: String(one['name']),
          isRequired: one['required'] === true,
          description: typeof one['description'] === 'string' ? one['description'] : '',
        })),
      })
    }
  }
  return found
}

export async function runPrompt(
  context: ShellContext,
  wanted: ServerPrompt,
  words: readonly string[],
): Promise<void> {
  const { server, prompt } = wanted
  const permissions = (await context.board.permissions()).current()
  const no = denyReading(permissions, { tool: 'getMcpPrompt', server }, context.world.platform)
  if (no !== undefined) throw new ProblemError(no)
  const given = await askForMissing(context, wanted, toArguments(wanted, words))
  if (given === undefined) return
  const text = await fill(context, { server, prompt, given })
  if (context.model.get() === undefined) context.print(toPrintableLines(text).split('\n'))
  else await context.submit(text)
}

type Given = Readonly<Record<string, string>>

/** `name=value` where there is an argument of this name; everything else in order, the last takes the rest. */
function toArguments({ arguments: known }: ServerPrompt, words: readonly string[]): Given {
  const named = new Map<string, string>()
  const loose: string[] = []
  for (const word of words) {
    const at = word.indexOf('=')
    const name = word.slice(0, Math.max(0, at))
    if (known.some((one) => one.name === name)) named.set(name, word.slice(at + 1))
    else loose.push(word)
  }
  const open = known.filter(({ name }) => !named.has(name))
  for (const [i, { name }] of open.entries()) {
    const rest = i === open.length - 1 ? loose.slice(i).join(' ') : (loose[i] ?? '')
    if (rest !== '') named.set(name, rest)
  }
  return Object.fromEntries(named)
}

/** Undefined when the person gave up. */
async function askForMissing(
  context: ShellContext,
  { arguments: known }: ServerPrompt,
  given: Given,
): Promise<Given | undefined> {
  const filled: Record<string, string> = { ...given }
  for (const { name, description } of known.filter(
    (one) => one.isRequired && !Object.hasOwn(given, one.name),
  )) {
    const answer = await context.ask({
      kind: 'text',
      title: description === '' ? name : `${name}: ${description}`,
      fault: (text) => (text.trim() === '' ? 'it is required' : undefined),
    })
    if (answer === undefined) return undefined
    filled[name] = answer
  }
  return filled
}

async function fill(
  { board, signal }: ShellContext,
  { server, prompt, given }: { readonly server: string; readonly prompt: string; readonly given: Given },
): Promise<string> {
  try {
    const { messages } = await board.request(
      server,
      'prompts/get',
      { name: prompt, arguments: given },
      { signal },
    )
    return (Array.isArray(messages) ? messages : []).map(textOf).join('\n\n')
  } catch (error) {
    if (!(error instanceof SessionError)) throw error
    throw new ProblemError(
      createProblem({
        code: 'call/failed',
        message: `\`${server}\` does not fill in \`${prompt}\``,
        notes: [error.message],
        hints: [`to see its prompts and their arguments, type \`/mcp prompts ${server}\``],
      }),
    )
  }
}

/** What others than the user say in it is marked: all of it is sent as one prompt. */
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

/** As the server completes its arguments: `name=value` for one that is begun, else the names that are left. */
export async function completePrompt(
  { board, signal }: ShellContext,
  { server, prompt, arguments: known }: ServerPrompt,
  words: readonly string[],
): Promise<readonly string[]> {
  const word = words.at(-1) ?? ''
  const settled = toArguments({ server, prompt, description: '', arguments: known }, words.slice(0, -1))
  const at = word.indexOf('=')
  const name = word.slice(0, Math.max(0, at))
  if (!known.some((one) => one.name === name))
    return known.map((one) => `${one.name}=`).filter((one) => !Object.hasOwn(settled, one.slice(0, -1)))
  const argument = { name, value: word.slice(at + 1) }
  const { values } = await board.complete({ server, prompt }, argument, { arguments: settled, signal })
  return values.map((value) => `${name}=${value}`)
}
