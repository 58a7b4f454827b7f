/**
 * connect: the gateway in the file of another agent, and out of it again.
 */
import { requireAgent } from '../../../runtime/manage/agents.ts'
import { connectAgent, disconnectAgent, planConnect } from '../../../runtime/manage/connect-agent.ts'
import { showPath, toShownFile } from '../../shared/show-path.ts'
import type { CommandContext } from '../command.ts'
import { DENIED, DONE, INTERRUPTED } from '../exit-codes.ts'
import { printJson, printLines } from '../print.ts'
import { showDiff, toDiffText } from '../transfer-servers.ts'
import { findWritableScope } from '../writable-scope.ts'

/** Throws `manage/unknown-agent`, `manage/no-such-scope`, `manage/exists`, and what keeps the file from being written. */
export async function runConnect(context: CommandContext): Promise<number> {
  const { world, terminal, flags, json } = context
  const agent = requireAgent(context.args[0]!)
  const loaded = await context.load()
  const plan = await planConnect(world, loaded, { agent, scope: findWritableScope(flags) })
  const { target, planned, diffs } = plan
  const file = showPath(target.file, world)
  const isDry = flags['dry-run'] === true
  if (!json)
    printLines(
      terminal,
      diffs.flatMap((diff) => showDiff(context, diff)),
    )
  if (terminal.canAsk && !json && !isDry && flags['yes'] !== true && planned.length > 0) {
    const answer = await terminal.choose(`Connect ${target.title} to Plugboard?`, [
      { value: 'yes', label: 'yes', hint: '`plugboard disconnect` puts the file back' },
      { value: 'no', label: 'no' },
    ])
    if (answer !== 'yes') return answer === undefined ? INTERRUPTED : DENIED
  }
  if (!isDry && planned.length > 0) await connectAgent(world, loaded.dirs, plan)
  const isConnected = planned.length === 0 || !isDry
  if (json)
    printJson(terminal, {
      agent,
      file: toShownFile(target.file),
      dryRun: isDry,
      connected: isConnected,
      diff: toDiffText(diffs),
    })
  else if (planned.length === 0) printLines(terminal, [`${target.title} is connected already (${file})`])
  else if (!isDry) printLines(terminal, [`connected ${target.title} (${file}); restart it to have it look`])
  return DONE
}

const WORDS = {
  restored: 'its file is as it was',
  'taken-out': 'its file was changed since, so only the gateway was taken out',
  'not-connected': 'it was not connected',
} as const

/** Throws `manage/unknown-agent`, `manage/no-such-scope`, and what keeps the file from being written. */
export async function runDisconnect(context: CommandContext): Promise<number> {
  const { world, terminal, flags, json } = context
  const agent = requireAgent(context.args[0]!)
  const request = { agent, scope: findWritableScope(flags) }
  const { target, outcome } = await disconnectAgent(world, await context.load(), request)
  const file = showPath(target.file, world)
  if (json) printJson(terminal, { agent, file: toShownFile(target.file), outcome })
  else printLines(terminal, [`${target.title}: ${WORDS[outcome]} (${file})`])
  return DONE
}
