/**
 * client-secret: reads the secret for `--client-secret`.
 *
 * in     the variable `MCP_CLIENT_SECRET`, or what the user types
 * never  takes it from the command line, which other users can read; shows it
 */
import { ProblemError } from '../../problem/problem.ts'
import { nobodyToAsk } from '../../runtime/manage/add-problems.ts'
import type { CommandContext } from './command.ts'

/** Undefined without the flag. Throws `manage/no-client-secret`. */
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
