/**
 * headless: answers one prompt without a user to ask. `plugboard run`.
 *
 * in     a prompt in the command line, from stdin, or both
 * out    the response on stdout and the tool calls on stderr; with `--json` every event as a line, `done` the last
 * never  asks a question: it denies such a call, and tells the model what to do instead
 */
import { toPrintableJson, toPrintableLines } from '../../base/printable.ts'
import type { PermissionRule } from '../../model/permission.ts'
import type { Problem } from '../../model/problem.ts'
import { ProblemError } from '../../problem/problem.ts'
import { openBoard, type Board } from '../../runtime/board.ts'
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import type { Terminal } from '../../world/world.ts'
import { showInstallations } from '../shared/installation-line.ts'
import type { CommandContext } from '../shared/context.ts'
import { COLORS, NO_COLORS } from '../shared/paint.ts'
import { toProblemJson } from '../shared/problem-json.ts'
import { showProblems } from '../shared/show-problem.ts'
import type { SessionEvent } from './agent/events.ts'
import { INSTRUCTIONS } from './agent/instructions.ts'
import type { OpenModel } from './agent/agent.ts'
import { chooseModel, openModel } from './agent/model.ts'
import { badDeadline, begunWithout, noModel, noPrompt, notReady } from './agent/problems.ts'
import { runTurn, type Turn } from './agent/turn.ts'
import { sayCall, sayResult } from './say.ts'

const DONE = 0
const FAILED = 1
const INTERRUPTED = 130

/** Throws `shell/no-prompt`, `shell/no-model`, `shell/bad-model` and `shell/no-key`. */
export async function runHeadless(context: CommandContext): Promise<number> {
  const prompt = await readPrompt(context)
  const loaded = await context.load({ connectors: 'fetch' })
  const model = await openChosen(context, loaded)
  const controller = new AbortController()
  const stopListening = context.terminal.onInterrupt(() => controller.abort())
  try {
    await using board = await openRunBoard(context, loaded)
    requireReady(context, board)
    const agent = { board, model, instructions: INSTRUCTIONS }
    const teller = context.json ? createJsonTeller(context.terminal) : createTextTeller(context)
    for (const problem of findAbsent(board)) teller.tell({ type: 'problem', problem })
    const turn = await runTurn(agent, [], prompt, { signal: controller.signal, tell: teller.tell })
    const exitCode = exitCodeOf(turn)
    teller.end(turn, exitCode)
    return exitCode
  } finally {
    stopListening()
  }
}

/**
 * The words of the command line, and the text from stdin. With words, the wait for stdin is limited: many programs
 * leave it open.
 */
async function readPrompt({ args, terminal }: CommandContext): Promise<string> {
  const words = args.filter((word) => word !== '-').join(' ')
  const isWanted = args.includes('-') || (words === '' && !terminal.canAsk)
  const piped = isWanted ? await terminal.input() : await readBeside(terminal)
  const prompt = [words, piped.trim()].filter((part) => part !== '').join('\n\n')
  if (prompt === '') throw new ProblemError(noPrompt())
  return prompt
}

const INPUT_MS = 3000

async function readBeside(terminal: Terminal): Promise<string> {
  const piped = await terminal.inputWithin(INPUT_MS)
  if (piped.kind === 'late')
    terminal.err(
      'nothing came through stdin so far, and it is left out; with `-` in the line it is waited for\n',
    )
  return piped.kind === 'text' ? piped.text : ''
}

async function openChosen(
  { world, flags }: CommandContext,
  { model: setting }: LoadedCatalog,
): Promise<OpenModel> {
  const named = typeof flags['model'] === 'string' ? flags['model'] : undefined
  const choice = chooseModel({ named, setting, env: world.env })
  if (choice === undefined) throw new ProblemError(noModel())
  return openModel(world, choice)
}

async function openRunBoard(context: CommandContext, loaded: LoadedCatalog): Promise<Board> {
  const { flags, world, version } = context
  let first: LoadedCatalog | undefined = loaded
  const installations = showInstallations(context.terminal)
  const board = await openBoard(world, {
    load: async () => {
      const now = first ?? (await context.load({ connectors: 'fetch' }))
      first = undefined
      return now
    },
    onInstallation: installations.tell,
    client: { name: 'plugboard', version },
    words: 'command',
    mode: flags['plan'] === true ? 'plan' : 'default',
    rules: toRules(flags['allow']),
    ...(flags['wait'] === true ? { wait: 'all' as const } : {}),
    deadlineMs: readDeadline(flags['deadline']),
  })
  installations.clear()
  return board
}

function toRules(allow: CommandContext['flags'][string]): readonly Pick<PermissionRule, 'tool' | 'action'>[] {
  return Array.isArray(allow) ? allow.map((tool: string) => ({ tool, action: 'allow' as const })) : []
}

/** Throws `cli/bad-number`. */
function readDeadline(given: CommandContext['flags'][string]): number | undefined {
  if (typeof given !== 'string') return undefined
  const ms = Number(given)
  if (!Number.isFinite(ms) || ms < 0) throw new ProblemError(badDeadline(given))
  return ms
}

/** With `--wait`, and for servers that the configuration requires. */
function requireReady({ flags }: CommandContext, board: Board): void {
  const { ok, servers } = board.readiness()
  const missing = servers.filter(
    ({ state, required }) => state !== 'ready' && (required || flags['wait'] === true),
  )
  if (ok && missing.length === 0) return
  throw new ProblemError(notReady(missing))
}

/** Problems of servers whose tools the model lacks. It continues without them, and no other output would say so. */
function findAbsent(board: Board): readonly Problem[] {
  const absent = board.readiness().servers.filter(({ absence }) => absence !== undefined)
  return absent.length === 0 ? [] : [begunWithout(absent)]
}

interface Teller {
  tell(event: SessionEvent): void
  end(turn: Turn, exitCode: number): void
}

function createJsonTeller(terminal: Terminal): Teller {
  const line = (value: object): void => terminal.out(`${toPrintableJson(value)}\n`)
  return {
    tell: (event) => line(toEventJson(event)),
    end: ({ text, end }, exitCode) => {
      const problem = end.kind === 'failed' ? { problem: toProblemJson(end.problem) } : {}
      line({ type: 'done', text, exitCode, ...problem })
    },
  }
}

/** Results without their media, which would be megabytes of text. It says how many there are. */
function toEventJson(event: SessionEvent): object {
  switch (event.type) {
    case 'tool-result': {
      const { outcome, code, text, isError, durationMs, structuredContent, problem, media } = event.result
      return {
        type: event.type,
        id: event.id,
        name: event.name,
        outcome,
        ...(code === undefined ? {} : { code }),
        text,
        isError,
        ...(structuredContent === undefined ? {} : { structuredContent }),
        ...(media.length === 0 ? {} : { media: media.map(({ kind, mimeType }) => ({ kind, mimeType })) }),
        durationMs,
        ...(problem === undefined ? {} : { problem: toProblemJson(problem) }),
      }
    }
    case 'retry':
    case 'problem':
      return { ...event, problem: toProblemJson(event.problem) }
    default:
      return event
  }
}

function createTextTeller(context: CommandContext): Teller {
  const { terminal } = context
  const beside = (text: string): void => terminal.err(`${text}\n`)
  let isInLine = false
  const newLine = (): void => {
    if (isInLine) terminal.out('\n')
    isInLine = false
  }
  const tell = (event: SessionEvent): void => {
    switch (event.type) {
      case 'text':
        if (event.text === '') break
        terminal.out(toPrintableLines(event.text))
        isInLine = !event.text.endsWith('\n')
        break
      case 'tool-call':
        newLine()
        beside(sayCall(event))
        break
      case 'tool-result':
        beside(sayResult(event))
        break
      case 'retry':
        newLine()
        report(context, event.problem)
        beside(`asking again in ${Math.ceil(event.afterMs / 1000)} s`)
        break
      case 'problem':
        newLine()
        report(context, event.problem)
        break
      default:
    }
  }
  return { tell, end: newLine }
}

function report({ terminal, world }: CommandContext, problem: Problem): void {
  const paint = terminal.hasColor.err ? COLORS : NO_COLORS
  terminal.err(`${showProblems([problem], { here: world, paint, columns: terminal.columnsBeside })}\n`)
}

function exitCodeOf({ end }: Turn): number {
  return { done: DONE, aborted: INTERRUPTED, failed: FAILED }[end.kind]
}
