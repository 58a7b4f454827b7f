/**
 * test: connects to one server and shows the result of each stage.
 */
import { toPrintable } from '../../../base/printable.ts'
import type { StageTime } from '../../../model/connection.ts'
import type { Problem } from '../../../model/problem.ts'
import { ProblemError } from '../../../problem/problem.ts'
import type { Board } from '../../../runtime/board.ts'
import type { ServerSnapshot } from '../../../runtime/supervisor.ts'
import { countOf, showDuration } from '../../shared/amounts.ts'
import { toProblemJson } from '../../shared/problem-json.ts'
import { showName } from '../../shared/show-name.ts'
import { showOwner, showSpot } from '../../shared/show-path.ts'
import type { CommandContext } from '../command.ts'
import { DONE, exitCodeOf } from '../exit-codes.ts'
import { printJson, printLines, reportBeside } from '../print.ts'
import { requireKnown, withBoard } from '../with-board.ts'

/** Throws `cli/unknown-server`, `connect/not-chosen`. */
export async function run(context: CommandContext): Promise<number> {
  const name = context.args[0]!
  return withBoard(context, { only: [], wait: 'moment' }, async (board) => {
    requireKnown(context, board, name)
    const problem = await tryIt(board, name)
    const server = board.snapshot().servers.find((one) => one.name === name)
    // Declared, but not allowed to run: there is nothing to test.
    if (server === undefined) throw new ProblemError(problem!)
    if (context.json) printJson(context.terminal, toJson(server, problem))
    else {
      printLines(context.terminal, toText(context, server))
      reportBeside(context, [...server.warnings, ...(problem === undefined ? [] : [problem])])
    }
    return problem === undefined ? DONE : exitCodeOf(problem)
  })
}

async function tryIt(board: Board, name: string): Promise<Problem | undefined> {
  try {
    await board.connect(name)
    return undefined
  } catch (error) {
    if (error instanceof ProblemError) return error.problem
    throw error
  }
}

function toJson(server: ServerSnapshot, problem?: Problem): object {
  const { name, connection, era, offering, warnings } = server
  const isReady = connection.state === 'ready'
  return {
    server: name,
    state: stateOf(connection.state),
    ...(isReady && era !== undefined ? { era, version: offering!.hello.version } : {}),
    stages: server.stages.map((stage) => withDetail(stage, server)),
    tools: isReady ? offering!.tools.length : 0,
    resources: isReady ? offering!.resources.length : 0,
    prompts: isReady ? offering!.prompts.length : 0,
    quarantined: isReady ? offering!.quarantined : [],
    ...(problem === undefined ? {} : { problem: toProblemJson(problem) }),
    warnings: warnings.map(toProblemJson),
  }
}

/** A test is a single try, so the state must not promise a retry. */
function stateOf(state: ServerSnapshot['connection']['state']): string {
  return state === 'waiting' ? 'failed' : state
}

function toText({ paint, world }: CommandContext, server: ServerSnapshot): string[] {
  const { stages, origin, connection, offering } = server
  const isReady = connection.state === 'ready'
  const total = stages.reduce((sum, { ms }) => sum + ms, 0)
  return [
    `${paint.bold(showName(server.name))}   ${paint.dim(`${showSpot(origin, world)}   (${showOwner(origin)})`)}`,
    ...stages.map((stage) => {
      const mark = stage.ok ? paint.green('ok    ') : paint.red('failed')
      const detail = detailOf(stage, server)
      return `  ${mark}  ${stage.name.padEnd(9)}  ${showDuration(stage.ms).padStart(7)}${detail === '' ? '' : `   ${toPrintable(detail)}`}`
    }),
    ...(isReady ? quarantineLines(server) : []),
    isReady
      ? paint.green(`ready in ${showDuration(total)}`)
      : paint.red(
          connection.state === 'needs-auth' ? 'needs a sign-in' : `not ready after ${showDuration(total)}`,
        ),
    ...(isReady && offering!.hello.instructions !== undefined
      ? [
          '',
          paint.dim(
            `it says of itself: ${toPrintable(offering!.hello.instructions.split('\n')[0]!).slice(0, 200)}`,
          ),
        ]
      : []),
  ]
}

function withDetail(stage: StageTime, server: ServerSnapshot): object {
  const detail = detailOf(stage, server)
  return detail === '' ? stage : { ...stage, detail }
}

function detailOf({ name, ok }: StageTime, { offering, connection, confinement }: ServerSnapshot): string {
  if (name === 'start' && confinement?.start === 'empty-folder')
    return 'in an empty folder: this one is not trusted (`plugboard trust folder`)'
  if (!ok || connection.state !== 'ready') return ''
  const { hello, tools, resources, prompts } = offering!
  if (name === 'negotiate') {
    const info = hello.serverInfo
    const who = typeof info?.['name'] === 'string' ? `, ${info['name']} ${String(info['version'] ?? '')}` : ''
    return `revision ${hello.version} (${hello.era})${who.trimEnd()}`
  }
  if (name !== 'list') return ''
  return [
    countOf(tools.length, 'tool'),
    countOf(resources.length, 'resource'),
    countOf(prompts.length, 'prompt'),
  ].join(', ')
}

function quarantineLines({ offering }: ServerSnapshot): string[] {
  return offering!.quarantined.map(
    ({ kind, name, reason }) => `  quarantined ${kind} \`${toPrintable(name)}\`: ${toPrintable(reason)}`,
  )
}
