/**
 * import: copies servers of another agent into one of our files.
 */
import { ProblemError } from '../../../problem/problem.ts'
import { requireAgent } from '../../../runtime/manage/agents.ts'
import { importable, planImport, problemsOfAgent } from '../../../runtime/manage/import.ts'
import { nothingNamed } from '../../../runtime/manage/transfer-problems.ts'
import type { CommandContext } from '../command.ts'
import { runTransfer } from '../transfer-servers.ts'
import { findWritableScope } from '../writable-scope.ts'

/**
 * Throws `manage/unknown-agent`, `manage/unknown-server`, `manage/nothing-named`, and the problem that prevents the
 * write.
 */
export async function run(context: CommandContext): Promise<number> {
  const { world, args, flags, terminal, json } = context
  const [given, ...named] = args
  const agent = requireAgent(given!)
  const scope = findWritableScope(flags) ?? 'user'
  const loaded = await context.load()
  const chosen = named.length > 0 ? 'named' : flags['all'] === true ? 'all' : 'each'
  const known = importable(loaded, agent).map(({ entry }) => entry.found.name)
  const mayAsk = (terminal.canAsk && !json) || flags['dry-run'] === true || flags['yes'] === true
  if (chosen === 'each' && known.length > 0 && !mayAsk) throw new ProblemError(nothingNamed(agent, known))
  const names = chosen === 'named' ? named : 'all'
  const transfer = await planImport(world, loaded, { agent, names, scope })
  return runTransfer(context, {
    verb: 'import',
    agent,
    transfer,
    chosen,
    problems: problemsOfAgent(loaded, agent),
  })
}
