/**
 * client-secret: what `--client-secret` asks for.
 *
 * in     the variable `MCP_CLIENT_SECRET`, or what a person types
 * never  takes it from the command line, which others can read; shows it
 */
import { ProblemError } from '../../problem/problem.ts'
import { nobodyToAsk } from '../../runtime/manage/add-problems.ts'
import type { CommandContext } from './command.ts'

/** Undefined when nobody wants it. Throws `manage/no-client-secret`. */
export async function askForSecret({
  world,
  terminal,
  flags,
  json,
}: CommandContext): Promise<{ readonly text: string } | 'interrupted' | undefined> {
  if (flags['client-secret'] !== true) return undefined
  const given = world.env['MCP_CLIENT_SECRET']
  if (given !== undefined && given !== '') return { text: given }
  if (!terminal.canAsk || json) throw new ProblemError(nobodyToAsk)
  const text = await terminal.ask('The client secret', {
    isSecret: true,
    fault: (typed) => (typed.trim() === '' ? 'it is needed' : undefined),
  })
  return text === undefined ? 'interrupted' : { text: text.trim() }
}
