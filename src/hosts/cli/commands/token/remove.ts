/**
 * remove: revokes tokens, also for a running gateway.
 */
import { removeTokens } from '../../../../runtime/named-tokens.ts'
import type { CommandContext } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'
import { printJson } from '../../print.ts'
import { toTokenJson } from './list.ts'

/** Throws `token/unknown`, `token/damaged`, `token/unwritable`. */
export async function run(context: CommandContext): Promise<number> {
  const { world, terminal, args, json } = context
  const { dirs } = await context.load()
  const removed = await removeTokens(world, dirs, args)
  if (json) printJson(terminal, { removed: removed.map(toTokenJson) })
  else {
    const names = removed.map(({ name }) => `\`${name}\``).join(', ')
    terminal.out(`removed ${names}; whoever shows it to a gateway is not let in any more\n`)
  }
  return DONE
}
