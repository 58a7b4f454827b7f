/**
 * call: one tool call by the user or a script.
 */
import { isObject } from '../../../base/is-object.ts'
import { ToolAbortError, type ToolResult } from '../../../model/outcome.ts'
import { ProblemError } from '../../../problem/problem.ts'
import { findBuiltin } from '../../../runtime/builtin-tools.ts'
import type { Wait } from '../../../runtime/gate.ts'
import type { ToolName } from '../../../runtime/reach-tool.ts'
import { toProblemJson } from '../../shared/problem-json.ts'
import type { CommandContext } from '../command.ts'
import { DONE, exitCodeOf, FAILED } from '../exit-codes.ts'
import { printJson, printLines, reportProblems } from '../print.ts'
import { badChoice, noObject, unreadableFile } from '../problems.ts'
import { showProgress } from '../progress-line.ts'
import type { Saved } from '../../shared/media-files.ts'
import { saveMedia } from '../save-media.ts'
import { parseJson, parsePair, toArguments, type Pair } from '../../shared/tool-arguments.ts'
import { readMs, requireKnown, withBoard } from '../with-board.ts'
import { toSafeText } from './read.ts'

/** By then the server is starting, and this process is idle. */
const STARTED_MS = 5

type Fields = Readonly<Record<string, unknown>>

/** Throws `cli/unknown-server`, `cli/bad-argument`, `cli/unknown-argument` and other faults of the line. */
export async function run(context: CommandContext): Promise<number> {
  const { name, given } = readName(context.args as [string, ...string[]])
  const output = readOutput(context)
  const timeoutMs = readMs(context, 'timeout')
  const pairs = given.map(parsePair)
  const base = await readBase(context)
  const server = typeof name === 'string' ? serverIn(pairs, base) : name.server
  const controller = new AbortController()
  const stopListening = context.terminal.onInterrupt(() => controller.abort())
  const progress = showProgress(context.terminal)
  try {
    const only = server === undefined ? {} : { only: [server] }
    const options = { ...only, wait: waitFor(name, server), maxResultTokens: 0 }
    return await withBoard(context, options, async (board) => {
      if (server !== undefined) requireKnown(context, board, server)
      // Read while the server starts, not later while the call waits. The call itself reports faults in the result.
      const cancel = context.world.clock.after(STARTED_MS, () => {
        board.permissions().catch(() => undefined)
      })
      const result = await board
        .call(name, (found) => toArguments(pairs, base, found), {
          signal: controller.signal,
          timeoutMs,
          maxDurationMs: timeoutMs,
          // Without `--timeout`, the entry decides how long a server may take to start.
          connectTimeoutMs: timeoutMs ?? 0,
          onProgress: progress.tell,
          who: 'person',
        })
        .catch(toAborted)
        .finally(cancel)
      progress.clear()
      return present(context, result, output)
    })
  } finally {
    progress.clear()
    stopListening()
  }
}

/** The server and its tool; or one of our own tools, which only values may follow. */
function readName([first, second, ...rest]: readonly [string, ...string[]]): {
  readonly name: ToolName
  readonly given: readonly string[]
} {
  if (findBuiltin(first) === undefined || second?.includes('=') === false)
    return { name: { server: first, tool: second! }, given: rest }
  return { name: first, given: second === undefined ? [] : [second, ...rest] }
}

/** The only server that a call of our own tool is about. */
function serverIn(pairs: readonly Pair[], base: Fields): string | undefined {
  const { server } = base
  return pairs.find(({ key }) => key === 'server')?.value ?? (typeof server === 'string' ? server : undefined)
}

/** A listing shows the known servers, as `plugboard resources` does. A call waits for its own server. */
function waitFor(name: ToolName, server: string | undefined): Wait {
  const isListed = typeof name === 'string' && findBuiltin(name)?.access === 'list'
  return !isListed ? 'none' : server === undefined ? 'known' : 'all'
}

function toAborted(error: unknown): ToolResult {
  if (error instanceof ToolAbortError) return error.result
  throw error
}

const OUTPUTS = ['text', 'json', 'raw'] as const

type Output = (typeof OUTPUTS)[number]

function readOutput({ flags, json }: CommandContext): Output {
  const given = flags['output']
  if (typeof given !== 'string') return json ? 'json' : 'text'
  const output = OUTPUTS.find((one) => one === given)
  if (output === undefined) throw new ProblemError(badChoice('output', given, OUTPUTS))
  return output
}

/** Reads `--args`: JSON, `@file`, or `-` for stdin. */
async function readBase({ flags, terminal, world }: CommandContext): Promise<Fields> {
  const given = flags['args']
  if (typeof given !== 'string') return {}
  if (given === '-') return parseObject(await terminal.input(), 'what came from stdin')
  if (!given.startsWith('@')) return parseObject(given, '`--args`')
  const file = world.paths.resolve(world.cwd, given.slice(1))
  const read = world.files.read(file)
  if (read.kind !== 'text') throw new ProblemError(unreadableFile(file))
  return parseObject(read.text, `\`${given.slice(1)}\``)
}

function parseObject(text: string, where: string): Fields {
  const value = parseJson(text, where)
  if (!isObject(value)) throw new ProblemError(noObject(where))
  return value
}

function present(context: CommandContext, result: ToolResult, output: Output): number {
  const { terminal, world } = context
  const saved = saveMedia(context, result)
  if (output === 'json') printJson(terminal, toJson(result, saved))
  else if (result.result === undefined) reportProblems(terminal, [result.problem!], world)
  else if (output === 'raw') printJson(terminal, result.result)
  else printLines(terminal, toText(context, result))
  if (output !== 'json') {
    for (const { file } of saved.files) terminal.err(`saved ${file}\n`)
    reportProblems(terminal, saved.problems, world)
  }
  if (result.outcome === 'done') return saved.problems.length === 0 ? DONE : FAILED
  return result.problem === undefined ? FAILED : exitCodeOf(result.problem)
}

function toText(
  { terminal }: CommandContext,
  { outcome, text, content, structuredContent }: ToolResult,
): string[] {
  // An empty file is empty, also when a tool reads it.
  const isEmpty =
    outcome === 'done' &&
    structuredContent === undefined &&
    content.length > 0 &&
    content.every((block) => isObject(block) && block['text'] === '')
  return isEmpty ? [] : [toSafeText(text, terminal.columns !== undefined)]
}

function toJson(result: ToolResult, saved: Saved): object {
  const { outcome, code, details, text, content, structuredContent, durationMs, problem, findings } = result
  return {
    outcome,
    ...(code === undefined ? {} : { code }),
    server: details.serverName,
    tool: details.mcpToolName,
    name: details.name,
    text,
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(saved.files.length === 0 ? {} : { saved: saved.files }),
    durationMs,
    ...(problem === undefined ? {} : { problem: toProblemJson(problem) }),
    ...(findings === undefined ? {} : { findings }),
    ...(saved.problems.length === 0 ? {} : { problems: saved.problems.map(toProblemJson) }),
  }
}
