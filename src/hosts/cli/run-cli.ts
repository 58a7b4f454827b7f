/**
 * run-cli: runs one command line, from argv to exit code.
 *
 * in     the words of the line, the world, the terminal
 * out    the exit code; answers on stdout, everything else on stderr
 * never  throws: it shows a Problem with what to do, and reports anything else as a bug of ours
 */
import { ProblemError } from '../../problem/problem.ts'
import type { LoadedCatalog, LoadOptions } from '../../runtime/load-catalog.ts'
import { UNUSABLE_FOLDER } from '../../runtime/our-folders.ts'
import type { Terminal, World } from '../../world/world.ts'
import { COLORS, NO_COLORS } from '../shared/paint.ts'
import type { DaemonHost, GatewayHost, Visited } from '../shared/gateway-host.ts'
import type { Command, CommandContext, Flags, Hosts } from './command.ts'
import { DONE } from './exit-codes.ts'
import { asksForJson, parseLine } from './parse.ts'

export interface CliRequest {
  readonly argv: readonly string[]
  readonly world: World
  readonly terminal: Terminal
  readonly version: string
  readonly hosts: Hosts
  readonly gateway: GatewayHost
  readonly daemon: DaemonHost
  /** The gateway in which the command runs. */
  readonly visited?: Visited | undefined
  /** Global flags of the line in which the user types this one. */
  readonly inherited?: Flags
}

export async function runCli(request: CliRequest): Promise<number> {
  const { argv, terminal } = request
  const parsed = parseLine(argv, terminal.canAsk ? 'person' : 'nobody')
  switch (parsed.kind) {
    case 'version':
      terminal.out(`${request.version}\n`)
      return DONE
    case 'help': {
      const { helpOf } = await import('./help.ts')
      terminal.out(`${helpOf(parsed.path, terminal.columns).join('\n')}\n`)
      return DONE
    }
    case 'complete':
      return runComplete(request, parsed.question)
    case 'problem': {
      const { fail } = await import('./failure.ts')
      return fail(parsed.problem, { ...request, json: asksForJson(argv) })
    }
    case 'run':
      return runCommand(request, parsed)
  }
}

async function runComplete(request: CliRequest, question: readonly string[]): Promise<number> {
  try {
    const { complete } = await import('./complete.ts')
    await complete(request, question)
    return DONE
  } catch (error) {
    const [{ fail }, { toProblem }] = await Promise.all([
      import('./failure.ts'),
      import('../shared/to-problem.ts'),
    ])
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
    const [{ fail }, { toProblem }] = await Promise.all([
      import('./failure.ts'),
      import('../shared/to-problem.ts'),
    ])
    return fail(toProblem(error, request.version), context)
  }
}

function createContext(request: CliRequest, { command, flags, args }: RunLine): CommandContext {
  const { argv, world, terminal, version, gateway, daemon, visited } = request
  const all = { ...request.inherited, ...flags }
  const json = flags['json'] === true
  // A command that keeps running loads more than once.
  let isWarned = command.showsProblems === 'always' || (command.showsProblems === 'as-text' && !json)
  return {
    world,
    gateway,
    daemon,
    argv,
    version,
    terminal,
    flags,
    args,
    paint: terminal.hasColor.out ? COLORS : NO_COLORS,
    json,
    command: (words, shown, inside) =>
      runCli({
        ...request,
        argv: words,
        terminal: shown,
        inherited: all,
        ...(inside === undefined ? {} : { world: inside.world, visited: inside }),
      }),
    visit:
      visited === undefined
        ? undefined
        : async (options) => {
            const { visitBoard } = await import('../../runtime/visit-board.ts')
            return visitBoard(visited.board, world.clock, options)
          },
    load: async (options = {}, from = world) => {
      const { loadCatalog } = await import('../../runtime/load-catalog.ts')
      const loaded = await loadCatalog(from, { ...toLoadOptions(all), ...options })
      requireGiven(loaded)
      if (!isWarned) await warnOfFolders(loaded, request)
      isWarned = true
      return loaded
    },
  }
}

/** An unusable folder for stored data matters to every command, whatever its answer is about. */
async function warnOfFolders({ catalog }: LoadedCatalog, { terminal, world }: CliRequest): Promise<void> {
  const problems = catalog.problems.filter(({ code }) => code === UNUSABLE_FOLDER)
  if (problems.length === 0) return
  const { reportProblems } = await import('./print.ts')
  reportProblems(terminal, problems, world)
  terminal.err('\n')
}

/**
 * A user who names a file with `--mcp-config` wants its servers: without the file, the command would answer another
 * question.
 */
function requireGiven({ catalog }: LoadedCatalog): void {
  const fault = catalog.problems.find(
    ({ severity, where }) => severity === 'error' && where?.scope === 'dynamic',
  )
  // The notes say what still works, and here nothing does.
  if (fault !== undefined) throw new ProblemError({ ...fault, notes: [] })
}

function toLoadOptions(flags: Flags): LoadOptions {
  return {
    enabled: flags['no-mcp'] !== true,
    strict: flags['strict-mcp-config'] === true,
    mcpConfig: flags['mcp-config'] as readonly string[] | undefined,
  }
}
