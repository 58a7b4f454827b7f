/**
 * add-entry: the last step of every way to add a server: ask, write, approve, connect once, report.
 *
 * out    0 once the entry is written, also when the server could not be reached: the command reports that, and the user
 *        repairs it elsewhere
 * never  writes before every possible check has passed
 */
import { toPrintable } from '../../base/printable.ts'
import type { CatalogEntry } from '../../model/catalog.ts'
import type { Problem } from '../../model/problem.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { Board } from '../../runtime/board.ts'
import { toDefinitionJson } from '../../runtime/definition-json.ts'
import { notInForce, notRead } from '../../runtime/manage/add-problems.ts'
import {
  approveAdded,
  planAdd,
  writeAdd,
  writeTransport,
  type PlannedAdd,
  type ServerToAdd,
} from '../../runtime/manage/add-server.ts'
import type { ServerSnapshot } from '../../runtime/supervisor.ts'
import { countOf, showDuration } from '../shared/amounts.ts'
import { toProblemJson } from '../shared/problem-json.ts'
import { showDecider } from '../shared/show-fate.ts'
import { showPath } from '../shared/show-path.ts'
import type { CommandContext } from './command.ts'
import { DENIED, DONE } from './exit-codes.ts'
import { printJson, printLines, reportBeside } from './print.ts'
import { withBoard } from './with-board.ts'

/** Throws the problem that prevents the write. */
export async function addEntry(context: CommandContext, wanted: ServerToAdd): Promise<number> {
  const { world, flags } = context
  const plan = await planAdd(world, await context.load(), wanted)
  const secrets = await askAboutSecrets(context, plan)
  if (secrets === 'stop') return DENIED
  await writeAdd(world, plan, secrets)
  const isApproved = await approve(context, plan)
  tellWritten(context, plan, isApproved)
  const check = flags['no-check'] === true ? SKIPPED : await checkAdded(context, plan)
  tellCheck(context, { plan, isApproved, check })
  return DONE
}

interface Check {
  readonly state: 'ready' | 'failed' | 'needs-auth' | 'skipped' | 'not-run'
  readonly server?: ServerSnapshot
  readonly problem?: Problem
}

const SKIPPED: Check = { state: 'skipped' }

/** A secret in a repository is visible to all who read it: only the user can decide that. */
async function askAboutSecrets(
  { terminal, json }: CommandContext,
  { exposed }: PlannedAdd,
): Promise<'refuse' | 'as-they-are' | 'stop'> {
  if (exposed.length === 0 || !terminal.canAsk || json) return 'refuse'
  terminal.out(
    `\nEverybody who sees the repository will see ${exposed.map((one) => `\`${toPrintable(one)}\``).join(', ')}.\n`,
  )
  const answer = await terminal.choose('Write what looks like a secret into the repository?', [
    { value: 'no', label: 'no', hint: 'name a variable in its place, ${NAME}, or use --scope local' },
    { value: 'yes', label: 'yes', hint: 'it is no secret' },
  ])
  return answer === 'yes' ? 'as-they-are' : 'stop'
}

/** The user who just typed the entry needs no question. All other users of the repository are asked. */
async function approve(context: CommandContext, plan: PlannedAdd): Promise<boolean> {
  return plan.scope === 'project' && (await approveAdded(context.world, await context.load(), plan))
}

/** Connects once. If the entry does not name the transport, writes down the one that the server speaks. */
function checkAdded(context: CommandContext, plan: PlannedAdd): Promise<Check> {
  return withBoard(context, { only: [plan.name], wait: 'moment' }, async (board) => {
    const written = findWritten(board, plan)
    if (written === undefined) return { state: 'not-run', problem: notRead(plan.name) }
    if (written.fate.kind !== 'chosen')
      return { state: 'not-run', problem: toWarning(context, plan, written) }
    const first = await tryIt(board, plan.name)
    const { wire } = first.server ?? {}
    if (plan.entry['type'] !== undefined || plan.entry['url'] === undefined) return first
    if (wire !== 'http' && wire !== 'sse') return first
    await writeTransport(context.world, plan, wire)
    await approveAs(context, plan, wire)
    // What is known of a server is stored by its launch, which has just changed.
    await board.reload()
    return tryIt(board, plan.name)
  })
}

async function approveAs(context: CommandContext, plan: PlannedAdd, type: 'http' | 'sse'): Promise<void> {
  const { transport } = plan.definition
  if (transport.type !== 'http') return
  const definition = { ...plan.definition, transport: { ...transport, type, fallback: 'none' } as const }
  await approve(context, { ...plan, definition })
}

function findWritten(board: Board, { name, file }: PlannedAdd): CatalogEntry | undefined {
  return board
    .snapshot()
    .catalog.entries.find(({ entry }) => entry.found.name === name && entry.found.origin.file === file)
}

function toWarning({ world }: CommandContext, { name }: PlannedAdd, barred: CatalogEntry): Problem {
  const { fate } = barred
  const decider = showDecider(fate, world)
  const reason = 'reason' in fate ? [fate.reason] : []
  return notInForce(name, barred, [...reason, ...(decider === undefined ? [] : [`by ${decider}`])])
}

async function tryIt(board: Board, name: string): Promise<Check> {
  const look = (): ServerSnapshot | undefined => board.snapshot().servers.find((one) => one.name === name)
  try {
    await board.connect(name)
    return { state: 'ready', server: look()! }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const server = look()
    const state = server?.connection.state === 'needs-auth' ? 'needs-auth' : 'failed'
    return { state, problem: error.problem, ...(server === undefined ? {} : { server }) }
  }
}

function tellWritten(
  context: CommandContext,
  { name, file, scope, warnings }: PlannedAdd,
  isApproved: boolean,
): void {
  const { terminal, world, json } = context
  if (json) return
  printLines(terminal, [
    `added \`${name}\` to ${showPath(file, world)} (${scope} scope)`,
    ...(isApproved ? ['approved it for you, in this project; everybody else is asked'] : []),
  ])
  reportBeside(context, warnings)
}

function tellCheck(
  context: CommandContext,
  told: { readonly plan: PlannedAdd; readonly isApproved: boolean; readonly check: Check },
): void {
  const { plan, isApproved, check } = told
  const { state, server, problem } = check
  const tools = state === 'ready' ? server!.offering!.tools : []
  if (context.json) {
    printJson(context.terminal, {
      added: {
        name: plan.name,
        scope: plan.scope,
        file: plan.file,
        definition: toDefinitionJson(plan.definition, 'masked'),
        ...(plan.scope === 'project' ? { approved: isApproved } : {}),
      },
      check: {
        state,
        ...(state === 'ready' ? { transport: server!.wire, tools: tools.map(({ name }) => name) } : {}),
        ...(problem === undefined ? {} : { problem: toProblemJson(problem) }),
      },
      warnings: plan.warnings.map(toProblemJson),
    })
    return
  }
  if (server !== undefined) printLines(context.terminal, [showCheck(context, server, state)])
  if (problem !== undefined) reportBeside(context, [problem])
}

/** At most this many names on a line. */
const SHOWN_TOOLS = 8

function showCheck(
  { paint }: CommandContext,
  { stages, offering }: ServerSnapshot,
  state: Check['state'],
): string {
  const took = showDuration(stages.reduce((sum, { ms }) => sum + ms, 0))
  if (state === 'needs-auth') return paint.yellow('it needs a sign-in before it can be used')
  if (state !== 'ready') return paint.red(`it could not be used yet, after ${took}; it stays in the file`)
  const names = offering!.tools.slice(0, SHOWN_TOOLS).map(({ name }) => toPrintable(name))
  const rest = offering!.tools.length - names.length
  const list = names.length === 0 ? '' : `: ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  return `${paint.green('ready')} in ${took}, ${countOf(offering!.tools.length, 'tool')}${list}`
}
