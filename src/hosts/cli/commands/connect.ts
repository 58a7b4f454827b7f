/**
 * connect: writes the gateway into the file of another agent, or removes it again.
 */
import { toPrintable } from '../../../base/printable.ts'
import { requireAgent } from '../../../runtime/manage/agents.ts'
import {
  connectAgent,
  disconnectAgent,
  planConnect,
  type Connection,
} from '../../../runtime/manage/connect-agent.ts'
import { showPath, toShownFile } from '../../shared/show-path.ts'
import type { CommandContext } from '../command.ts'
import { DENIED, DONE, INTERRUPTED } from '../exit-codes.ts'
import { printJson, printLines } from '../print.ts'
import { showDiff, toDiffText } from '../transfer-servers.ts'
import { findWritableScope } from '../writable-scope.ts'

/** Throws `manage/unknown-agent`, `manage/no-such-scope`, `manage/exists`, and the problem that prevents the write. */
export async function runConnect(context: CommandContext): Promise<number> {
  const { world, terminal, flags, json } = context
  const agent = requireAgent(context.args[0]!)
  const loaded = await context.load()
  const plan = await planConnect(world, loaded, { agent, scope: findWritableScope(flags) })
  const { target, planned, diffs, twice } = plan
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
      twice: [...new Set(twice.map(({ name }) => name))],
    })
  else if (planned.length === 0) printLines(terminal, [`${target.title} is connected already (${file})`])
  else if (!isDry)
    printLines(terminal, [
      `connected ${target.title} (${file}); restart it to have it look`,
      'your servers start in a project once you trust its folder; to decide, run there:',
      '  plugboard trust folder',
    ])
  if (!json) terminal.err(toAdvice(context, { agent, plan }))
  return DONE
}

/**
 * A server that stays beside the gateway appears twice. If only that file declares it, removing it there removes it
 * from both.
 */
function toAdvice(
  { world }: CommandContext,
  { agent, plan: { target, twice } }: { readonly agent: string; readonly plan: Connection },
): string {
  const names = [...new Set(twice.map(({ name }) => toPrintable(name)))]
  if (names.length === 0) return ''
  const [are, they, them] =
    names.length === 1
      ? ['1 server of its own stays', 'it', 'it']
      : [`${names.length} servers of its own stay`, 'them', 'them']
  const files = [...new Set(twice.map(({ file }) => showPath(file, world)))].join(', ')
  const isKept = twice.every(({ isOnlyThere }) => !isOnlyThere)
  const steps = isKept
    ? `take ${them} out of ${files}`
    : `run \`plugboard import ${agent} --all\`, then take ${them} out of ${files}`
  return [
    `${are} in ${target.title} beside the gateway, which has ${they}, too, so that tools are there twice: ${names.join(', ')}`,
    `hint: to have ${them} through the gateway alone, ${steps}`,
    '',
  ].join('\n')
}

const WORDS = {
  restored: 'its file is as it was',
  'taken-out': 'its file was changed since, so only the gateway was taken out',
  'not-connected': 'it was not connected',
} as const

/** Throws `manage/unknown-agent`, `manage/no-such-scope`, and the problem that prevents the write. */
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
