/**
 * export: writes servers into a file of another agent.
 */
import { requireAgent } from '../../../runtime/manage/agents.ts'
import { planExport } from '../../../runtime/manage/export.ts'
import type { CommandContext } from '../command.ts'
import { runTransfer } from '../transfer-servers.ts'
import { findWritableScope } from '../writable-scope.ts'

/**
 * Throws `manage/unknown-agent`, `manage/unknown-server`, `manage/no-such-scope`, and the problem that prevents the
 * write.
 */
export async function run(context: CommandContext): Promise<number> {
  const { world, args, flags } = context
  const [given, ...named] = args
  const agent = requireAgent(given!)
  const scope = findWritableScope(flags)
  const names = named.length > 0 ? named : 'ours'
  const transfer = await planExport(world, await context.load(), { agent, names, scope })
  const chosen = named.length > 0 ? 'named' : 'all'
  return runTransfer(context, { verb: 'export', agent, transfer, chosen, problems: [] })
}
