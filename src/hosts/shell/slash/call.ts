/** call: calls a tool by hand in the session. Typing it counts as an approval; a denied call stays denied. */
import { toPrintableLines } from '../../../base/printable.ts'
import { ToolAbortError, type ToolResult } from '../../../model/outcome.ts'
import type { Params } from '../../../model/message.ts'
import { ProblemError } from '../../../problem/problem.ts'
import { parsePair, toArguments } from '../../shared/tool-arguments.ts'
import type { ShellContext } from '../context.ts'
import { missingWord, requireRunning } from './servers.ts'

const USAGE = '/call <server> <tool> [name=value …]'

export async function call(context: ShellContext, words: readonly string[]): Promise<void> {
  const [server, tool, ...given] = words
  if (server === undefined || tool === undefined) throw new ProblemError(missingWord(USAGE))
  requireRunning(context, server)
  const pairs = given.map(parsePair)
  context.busy(`calling ${server} ${tool}`)
  try {
    const result = await context.board
      .call({ server, tool }, (found) => toArguments(pairs, {}, found), {
        who: 'person',
        signal: context.signal,
        onProgress: (progress) => context.busy(sayProgress(`${server} ${tool}`, progress)),
      })
      .catch(toAborted)
    show(context, result)
    context.keepMedia({ name: tool, media: result.media })
  } finally {
    context.busy(undefined)
  }
}

function toAborted(error: unknown): ToolResult {
  if (error instanceof ToolAbortError) return error.result
  throw error
}

function show(context: ShellContext, { text, problem, result }: ToolResult): void {
  if (result === undefined && problem !== undefined) context.report([problem])
  else context.print(toPrintableLines(text).split('\n'))
}

function sayProgress(what: string, { progress, total, message }: Params): string {
  const extent = typeof total === 'number' ? `${String(progress)} of ${total}` : String(progress)
  return `${what}: ${typeof message === 'string' ? toPrintableLines(message) : extent}`
}

export async function completeCall(
  { board }: ShellContext,
  words: readonly string[],
): Promise<readonly string[]> {
  const [server, tool] = words
  if (words.length <= 1) return board.snapshot().servers.map(({ name }) => name)
  const own = board.tools().filter((one) => one.server === server)
  if (words.length === 2) return own.map((one) => one.tool)
  const { properties } = own.find((one) => one.tool === tool)?.inputSchema ?? {}
  const given = new Set(words.slice(2, -1).map((word) => word.split('=', 1)[0]))
  return Object.keys(typeof properties === 'object' && properties !== null ? properties : {})
    .filter((name) => !given.has(name))
    .map((name) => `${name}=`)
}
