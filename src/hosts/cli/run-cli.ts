/**
 * run-cli: one command line, from argv to exit code.
 *
 * in     the words of the line, the world, the terminal
 * out    the exit code; answers on stdout, everything else on stderr
 * never  throws: a Problem is shown with what to do, anything else is a bug of ours and says so
 */
import { ProblemError } from '../../problem/problem.ts'
import { loadCatalog, type LoadedCatalog, type LoadOptions } from '../../runtime/load-catalog.ts'
import { visitBoard } from '../../runtime/visit-board.ts'
import type { Terminal, World } from '../../world/world.ts'
import { COLORS, NO_COLORS } from '../shared/paint.ts'
import type { GatewayHost, Visited } from '../shared/gateway-host.ts'
import { toProblem } from '../shared/to-problem.ts'
import type { Command, CommandContext, Flags, Hosts } from './command.ts'
import { complete } from './complete.ts'
import { DONE } from './exit-codes.ts'
import { fail } from './failure.ts'
import { helpOf } from './help.ts'
import { asksForJson, parseLine } from './parse.ts'

export interface CliRequest {
  readonly argv: readonly string[]
  readonly world: World
  readonly terminal: Terminal
  readonly version: string
  readonly hosts: Hosts
  readonly gateway: GatewayHost
  /** The gateway in which it is carried out. */
  readonly visited?: Visited | undefined
  /** Global flags of the line that this one is typed in. */
  readonly inherited?: Flags
}

export async function runCli(request: CliRequest): Promise<number> {
  const { argv, terminal } = request
  const parsed = parseLine(argv, terminal.canAsk ? 'person' : 'nobody')
  switch (parsed.kind) {
    case 'version':
      terminal.out(`${request.version}\n`)
      return DONE
    case 'help':
      terminal.out(`${helpOf(parsed.path, terminal.columns).join('\n')}\n`)
      return DONE
    case 'complete':
      return runComplete(request, parsed.question)
    case 'problem':
      return fail(parsed.problem, { ...request, json: asksForJson(argv) })
    case 'run':
      return runCommand(request, parsed)
  }
}

async function runComplete(request: CliRequest, question: readonly string[]): Promise<number> {
  try {
    await complete(request, question)
    return DONE
  } catch (error) {
    return fail(toProblem(error, request.version), { ...request, json: false })
  }
}

interface RunLine {
  readonly command: Command
  readonly flags: Flags
  readonly args: readonly string[]
}

async function runCommand(request: CliRequest, line: RunLine): Promise<number> {
  const context = createContext(request, line)
  try {
    const { run } = await line.command.load!(request.hosts)
    return await run(context)
  } catch (error) {
    return fail(toProblem(error, request.version), context)
  }
}

function createContext(request: CliRequest, { flags, args }: RunLine): CommandContext {
  const { argv, world, terminal, version, gateway, visited } = request
  const all = { ...request.inherited, ...flags }
  return {
    world,
    gateway,
    argv,
    version,
    terminal,
    flags,
    args,
    paint: terminal.hasColor.out ? COLORS : NO_COLORS,
    json: flags['json'] === true,
    command: (words, shown, inside) =>
      runCli({
        ...request,
        argv: words,
        terminal: shown,
        inherited: all,
        ...(inside === undefined ? {} : { world: inside.world, visited: inside }),
      }),
    visit: visited === undefined ? undefined : (options) => visitBoard(visited.board, world.clock, options),
    load: async (options = {}, from = world) => {
      const loaded = await loadCatalog(from, { ...toLoadOptions(all), ...options })
      requireGiven(loaded)
      return loaded
    },
  }
}

/** Whoever names a file with `--mcp-config` means that file: without it the answer would be to another question. */
function requireGiven({ catalog }: LoadedCatalog): void {
  const fault = catalog.problems.find(
    ({ severity, where }) => severity === 'error' && where?.scope === 'dynamic',
  )
  // The notes say what still works, and now nothing does.
  if (fault !== undefined) throw new ProblemError({ ...fault, notes: [] })
}

function toLoadOptions(flags: Flags): LoadOptions {
  return {
    enabled: flags['no-mcp'] !== true,
    strict: flags['strict-mcp-config'] === true,
    mcpConfig: flags['mcp-config'] as readonly string[] | undefined,
  }
}
