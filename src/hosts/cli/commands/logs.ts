/**
 * logs: shows what a server wrote, and when it connected and disconnected.
 */
import { toPrintableLines } from '../../../base/printable.ts'
import { createProblem, ProblemError } from '../../../problem/problem.ts'
import { logFileOf, readServerLog, toLogLine } from '../../../runtime/server-logs.ts'
import type { Terminal, World } from '../../../world/world.ts'
import { showPath } from '../../shared/show-path.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { printJson, printJsonLines, printLines } from '../print.ts'
import { badNumber } from '../problems.ts'
import { unknownServer } from '../unknown-server.ts'

const DEFAULT_LINES = 100

/** This much of the beginning contains a time, so it distinguishes a file from its successor after a rotation. */
const START_LENGTH = 100

/** How often `--follow` polls the log. */
const LOOK_MS = 200

/** Throws `cli/unknown-server`, `cli/bad-number`, `logs/none`. */
export async function run(context: CommandContext): Promise<number> {
  const name = context.args[0]!
  const { catalog, dirs } = await context.load()
  const { world, terminal } = context
  const count = readCount(context)
  const { lines, text } = readServerLog(world, dirs, name, count)
  const isKnown = catalog.entries.some(({ entry }) => entry.found.name === name)
  if (lines.length === 0 && !isKnown) throw new ProblemError(unknownServer(name, catalog, world))
  const file = logFileOf(world, dirs, name)
  if (context.flags['follow'] === true) {
    const print = context.json ? inJson(terminal, name) : inText(terminal)
    if (!context.json) printTitle(context, file)
    print(lines)
    return follow(world, { file, text }, print)
  }
  if (context.json) {
    printJson(terminal, { server: name, file, lines })
    return DONE
  }
  if (lines.length === 0 && count > 0) throw new ProblemError(noLog(name))
  printTitle(context, file)
  inText(terminal)(lines)
  return DONE
}

type PrintLines = (lines: readonly string[]) => void

function inText(terminal: Terminal): PrintLines {
  return (lines) => printLines(terminal, lines.map(toPrintableLines))
}

/** One object per line: output that continues has no end at which one JSON value could close. */
function inJson(terminal: Terminal, server: string): PrintLines {
  return (lines) =>
    printJsonLines(
      terminal,
      lines.map((line) => ({ server, ...toLogLine(line) })),
    )
}

/** Only on a terminal: a pipe gets only lines of the log. */
function printTitle({ terminal, paint, world }: CommandContext, file: string): void {
  if (terminal.columns !== undefined) printLines(terminal, [paint.dim(showPath(file, world))])
}

function readCount({ flags }: CommandContext): number {
  const given = flags['lines']
  if (typeof given !== 'string') return DEFAULT_LINES
  const count = Number(given)
  if (!Number.isInteger(count) || count < 0) throw new ProblemError(badNumber('lines', 'lines', given))
  return count
}

function noLog(name: string): ConstructorParameters<typeof ProblemError>[0] {
  return createProblem({
    code: 'logs/none',
    message: `\`${name}\` has written nothing yet`,
    hints: [`to connect to it now, run \`plugboard test ${name}\``],
  })
}

/** Runs until the user ends it. Lines that a rotation moved before they were read come from the rotated file. */
function follow(
  world: World,
  { file, text: first }: { readonly file: string; readonly text: string },
  print: PrintLines,
): Promise<never> {
  const readText = (path: string): string => {
    const read = world.files.read(path)
    return read.kind === 'text' ? read.text : ''
  }
  const show = (text: string, from: number): number => {
    const end = text.lastIndexOf('\n') + 1
    if (end > from) print(text.slice(from, end - 1).split('\n'))
    return Math.max(end, from)
  }
  /** The file, identified by its beginning, and the length already shown. */
  let [start, seen] = [first.slice(0, START_LENGTH), first.length]
  return new Promise(() => {
    const look = (): void => {
      const text = readText(file)
      if (!text.startsWith(start) || text.length < seen) {
        const moved = readText(`${file}.1`)
        if (moved.startsWith(start)) show(moved, seen)
        seen = 0
      }
      start = text.slice(0, START_LENGTH)
      seen = show(text, seen)
      world.clock.after(LOOK_MS, look)
    }
    look()
  })
}
