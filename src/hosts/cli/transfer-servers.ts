/**
 * transfer-servers: the last step of an import and an export: ask, then write or show what would be written, then
 * report.
 *
 * out    0 when every named server is copied or was there already; 2 when some were left out; 5 when the user declined
 * never  copies a server of a repository, or a secret into a repository, that the user has not seen
 */
import { toPrintable } from '../../base/printable.ts'
import type { CatalogEntry } from '../../model/catalog.ts'
import type { Problem } from '../../model/problem.ts'
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import { wholeFactsOfServer } from '../../runtime/known-trust.ts'
import { approveAdded } from '../../runtime/manage/add-server.ts'
import type { Agent } from '../../runtime/manage/agents.ts'
import { needsConsent, notInFull, secretInRepository } from '../../runtime/manage/transfer-problems.ts'
import type { Left, Planned, Transfer } from '../../runtime/manage/transfer.ts'
import { previewTransfer, writeTransfer, type FileDiff } from '../../runtime/manage/write-transfer.ts'
import { toProblemJson } from '../shared/problem-json.ts'
import { showOwner, showPath, showSpot, toShownFile } from '../shared/show-path.ts'
import type { CommandContext } from './command.ts'
import type { Form } from '../shared/shorten.ts'
import { isShortened, showQuestion, WARNING } from '../shared/trust-question.ts'
import { DENIED, DONE, INTERRUPTED, TO_FIX } from './exit-codes.ts'
import { printJson, printLines, reportBeside, viewOf } from './print.ts'

export interface TransferToRun {
  readonly verb: 'import' | 'export'
  readonly agent: Agent
  readonly transfer: Transfer
  /** `each`: the line names no server, so the user is asked about every one. */
  readonly chosen: 'named' | 'all' | 'each'
  /** Problems beside the transfer. */
  readonly problems: readonly Problem[]
}

export async function runTransfer(context: CommandContext, run: TransferToRun): Promise<number> {
  const answered = await settle(context, run)
  if (answered === 'interrupted') return INTERRUPTED
  const { world } = context
  const { target } = run.transfer
  const isDry = context.flags['dry-run'] === true
  const diffs = isDry ? await previewTransfer(world, target, answered.accepted) : []
  if (!isDry && answered.accepted.length > 0) {
    await writeTransfer(world, target, answered.accepted)
    if (run.verb === 'import' && target.scope === 'project')
      await approveAll(context, answered.accepted, target.file)
  }
  tell(context, run, { ...answered, diffs })
  return exitCodeOf(run, answered)
}

interface Answered {
  readonly accepted: readonly Planned[]
  readonly left: readonly Left[]
  /** By the user, in answer to a question. */
  readonly declined: number
}

/** Asks the user where that is possible. Otherwise the command line decides, and its default is no. */
async function settle(context: CommandContext, run: TransferToRun): Promise<Answered | 'interrupted'> {
  const accepted: Planned[] = []
  const left: Left[] = [...run.transfer.left]
  let declined = 0
  for (const planned of run.transfer.planned) {
    const answer = await settleOne(context, run, planned)
    if (answer === 'interrupted') return answer
    if (answer === 'yes') accepted.push(planned)
    else if (answer === 'no') declined++
    else left.push({ from: planned.from, problem: answer })
  }
  return { accepted, left, declined }
}

type Answer = 'yes' | 'no' | 'interrupted' | Problem

async function settleOne(context: CommandContext, run: TransferToRun, planned: Planned): Promise<Answer> {
  const consent = await askForConsent(context, run, planned)
  if (consent !== 'yes' || planned.exposed.length === 0) return consent
  const { terminal, flags } = context
  if (flags['dry-run'] === true)
    return canAsk(context) ? 'yes' : secretInRepository(planned.from, planned.exposed)
  if (!canAsk(context)) return secretInRepository(planned.from, planned.exposed)
  const fields = planned.exposed.map((field) => `\`${toPrintable(field)}\``).join(', ')
  terminal.out(
    `\nEverybody who sees the repository will see ${fields} of \`${toPrintable(planned.name)}\`.\n`,
  )
  return choose(context, 'Write what looks like a secret into the repository?', {
    no: 'put the value into a variable, ${NAME}, first',
    yes: 'it is no secret',
  })
}

/** A server of a repository runs only for users who approved it. Its copy runs for all users of the target file. */
export async function askForConsent(
  context: CommandContext,
  run: Pick<TransferToRun, 'verb' | 'agent' | 'chosen'>,
  planned: Planned,
): Promise<Answer> {
  const { terminal, flags, world, json } = context
  const isWaiting = waitsForApproval(planned.from)
  if (!isWaiting && run.chosen !== 'each') return 'yes'
  const isDry = flags['dry-run'] === true
  if (canAsk(context) && flags['yes'] !== true && !isDry) {
    terminal.out(`\n${showServer(context, planned, 'short')}\n`)
    if (isWaiting) terminal.err(`${WARNING}\n`)
    return choose(context, `${toWord(run.verb)} \`${toPrintable(planned.name)}\`?`, {
      no: 'leave it out',
      yes: isWaiting ? 'it may run without a question from then on' : '',
    })
  }
  if (!isWaiting) return 'yes'
  const isAnswered = flags['yes'] === true || (isDry && run.chosen === 'named')
  if (!isAnswered) return needsConsent(planned.from, world.platform)
  // Shown although nothing is asked, so that a log says what was approved.
  if (!json) terminal.err(`${WARNING}\n${showServer(context, planned, 'whole')}\n`)
  return 'yes'
}

function waitsForApproval({ fate, entry }: CatalogEntry): boolean {
  const isWaiting = fate.kind === 'untrusted' || fate.kind === 'declined'
  return isWaiting && entry.found.origin.scope === 'project'
}

function canAsk({ terminal, json }: CommandContext): boolean {
  return terminal.canAsk && !json
}

async function choose(
  { terminal }: CommandContext,
  question: string,
  hints: { readonly no: string; readonly yes: string },
): Promise<'yes' | 'no' | 'interrupted'> {
  const answer = await terminal.choose(question, [
    { value: 'no', label: 'no', hint: hints.no },
    { value: 'yes', label: 'yes', ...(hints.yes === '' ? {} : { hint: hints.yes }) },
  ])
  return answer ?? 'interrupted'
}

/** The exact command, and everything else that would be approved. */
function showServer(context: CommandContext, { from, definition }: Planned, form: Form): string {
  const { world } = context
  const facts = wholeFactsOfServer(world, definition, from.entry.found)
  const question = { name: from.entry.found.name, entry: from, facts, changed: [], enabledElsewhere: [] }
  const view = { ...viewOf(context), form }
  const isCut = form === 'short' && waitsForApproval(from) && isShortened(question, view)
  const note = isCut ? '\nto see all of what is shortened here, run `plugboard trust --verbose`' : ''
  return showQuestion(question, view) + note
}

async function approveAll(
  context: CommandContext,
  accepted: readonly Planned[],
  file: string,
): Promise<void> {
  const loaded: LoadedCatalog = await context.load()
  for (const { name, definition } of accepted)
    await approveAdded(context.world, loaded, { name, file, definition })
}

function exitCodeOf(
  { chosen, transfer, problems }: TransferToRun,
  { accepted, left, declined }: Answered,
): number {
  if (chosen === 'named' && left.length > 0) return TO_FIX
  if (chosen === 'named' && declined > 0) return DENIED
  const isNothingDone = accepted.length + transfer.there.length === 0
  const isInTheWay = left.length > 0 || problems.some(({ severity }) => severity === 'error')
  return isNothingDone && isInTheWay ? TO_FIX : DONE
}

type Told = Answered & { readonly diffs: readonly FileDiff[] }

function tell(context: CommandContext, run: TransferToRun, told: Told): void {
  if (context.json) printJson(context.terminal, toJson(context, run, told))
  else {
    printLines(context.terminal, toText(context, run, told))
    reportBeside(context, [
      ...told.accepted.flatMap(({ name, losses }) =>
        losses.length === 0 ? [] : [notInFull(name, run.transfer.target, losses)],
      ),
      // With `--all`, some servers may be left out; then it is not a fault of the command.
      ...told.left.map(({ problem }) =>
        exitCodeOf(run, told) === DONE ? { ...problem, severity: 'warning' as const } : problem,
      ),
      ...run.problems,
    ])
  }
}

function toText(
  context: CommandContext,
  run: TransferToRun,
  { accepted, left, declined, diffs }: Told,
): readonly string[] {
  const { world, flags } = context
  const { target, there } = run.transfer
  const file = showPath(target.file, world)
  if (diffs.length > 0) return diffs.flatMap((diff) => showDiff(context, diff))
  const isDry = flags['dry-run'] === true
  return [
    ...(isDry
      ? []
      : accepted.map((one) => `${run.verb}ed \`${toPrintable(one.name)}\` ${showWay(context, one, file)}`)),
    ...(target.scope === 'project' && run.verb === 'import' && accepted.length > 0 && !isDry
      ? ['approved for you, in this project; everybody else is asked']
      : []),
    ...there.map(({ entry }) => `\`${toPrintable(entry.found.name)}\` is there already (${file})`),
    ...(accepted.length + there.length + left.length + declined === 0 ? [`nothing to ${run.verb}`] : []),
  ]
}

function showWay({ world }: CommandContext, { from }: Planned, file: string): string {
  const { origin } = from.entry.found
  return `from ${showSpot(origin, world)} (${showOwner(origin)}) to ${file}`
}

export function showDiff({ world, paint }: CommandContext, { file, lines }: FileDiff): readonly string[] {
  const shown = showPath(file, world)
  return [`--- ${shown}`, `+++ ${shown}`, ...lines.map((line) => paintLine(line, paint))]
}

function paintLine(line: string, paint: CommandContext['paint']): string {
  const shown = toPrintable(line.replaceAll('\t', '    '))
  if (line.startsWith('+')) return paint.green(shown)
  if (line.startsWith('-')) return paint.red(shown)
  return line.startsWith('@@') ? paint.cyan(shown) : shown
}

function toWord(verb: 'import' | 'export'): string {
  return verb === 'import' ? 'Import' : 'Export'
}

function toJson(context: CommandContext, run: TransferToRun, { accepted, left, diffs }: Told): object {
  const { target, there } = run.transfer
  const isDry = context.flags['dry-run'] === true
  return {
    agent: run.agent,
    scope: target.scope,
    file: toShownFile(target.file),
    dryRun: isDry,
    [`${run.verb}ed`]: accepted.map(({ name, from, shownEntry, losses }) => ({
      name,
      from: toFrom(from),
      entry: shownEntry,
      losses,
    })),
    there: there.map(({ entry }) => entry.found.name),
    left: left.map(({ from, problem }) => ({ name: from.entry.found.name, problem: toProblemJson(problem) })),
    problems: run.problems.map(toProblemJson),
    ...(isDry ? { diff: toDiffText(diffs) } : {}),
  }
}

/** Hunks. If a second file changes too, each has its file name. */
export function toDiffText(diffs: readonly FileDiff[]): string {
  const isAlone = diffs.length < 2
  return diffs
    .flatMap(({ file, lines }) => [
      ...(isAlone ? [] : [`--- ${toShownFile(file)}`, `+++ ${toShownFile(file)}`]),
      ...lines,
    ])
    .join('\n')
}

function toFrom({ entry }: CatalogEntry): object {
  const { name, origin } = entry.found
  const { source, scope, file, line, column } = origin
  return { name, source, scope, file: toShownFile(file), line, column }
}
