/**
 * run-cli: one command line, from argv to exit code.
 *
 * in     the words of the line, the world, the terminal
 * out    the exit code; answers on stdout, everything else on stderr
 * never  throws: a Problem is shown with what to do, anything else is a bug of ours and says so
 */
import { toPrintableJson } from '../../base/printable.ts'
import type { Problem } from '../../model/problem.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { LoadOptions } from '../../runtime/load-catalog.ts'
import type { Terminal, World } from '../../world/world.ts'
import { maskText } from '../shared/mask-text.ts'
import { COLORS, NO_COLORS } from '../shared/paint.ts'
import { toErrorJson } from '../shared/problem-json.ts'
import type { Command, CommandContext, Flags } from './command.ts'
import { DONE, exitCodeOf } from './exit-codes.ts'
import { asksForJson, parseLine } from './parse.ts'
import { printLines, reportProblems } from './print.ts'
import { bug } from './problems.ts'

export interface CliRequest {
  readonly argv: readonly string[]
  readonly world: World
  readonly terminal: Terminal
  readonly version: string
}

export async function runCli(request: CliRequest): Promise<number> {
  const { terminal } = request
  const parsed = parseLine(request.argv)
  switch (parsed.kind) {
    case 'version':
      printLines(terminal, [request.version])
      return DONE
    case 'help': {
      const { helpOf } = await import('./help.ts')
      printLines(terminal, helpOf(parsed.path, terminal.columns))
      return DONE
    }
    case 'problem':
      return fail(request, parsed.problem)
    case 'run':
      return runCommand(request, parsed)
  }
}

async function runCommand(
  request: CliRequest,
  line: { readonly command: Command; readonly flags: Flags; readonly args: readonly string[] },
): Promise<number> {
  try {
    const { run } = await line.command.load!()
    return await run(createContext(request, line))
  } catch (error) {
    return fail(request, error instanceof ProblemError ? error.problem : toBug(error, request.version))
  }
}

function createContext(
  { world, terminal }: CliRequest,
  { flags, args }: { readonly flags: Flags; readonly args: readonly string[] },
): CommandContext {
  return {
    world,
    terminal,
    flags,
    args,
    paint: terminal.hasColor.out ? COLORS : NO_COLORS,
    json: flags['json'] === true,
    load: async (options = {}) => {
      const { loadCatalog } = await import('../../runtime/load-catalog.ts')
      return loadCatalog(world, { ...toLoadOptions(flags), ...options })
    },
  }
}

function toLoadOptions(flags: Flags): LoadOptions {
  return {
    enabled: flags['no-mcp'] !== true,
    strict: flags['strict-mcp-config'] === true,
    mcpConfig: flags['mcp-config'] as readonly string[] | undefined,
  }
}

function fail({ argv, terminal, world }: CliRequest, problem: Problem): number {
  if (asksForJson(argv)) terminal.out(`${toPrintableJson(toErrorJson(problem))}\n`)
  else reportProblems(terminal, [problem], world)
  return exitCodeOf(problem)
}

/** The stack is ours, not the user's: it is shown because nobody else can find the fault. */
function toBug(error: unknown, version: string): Problem {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return bug([`Plugboard ${version}`, ...maskText(stack).split('\n')])
}
