/**
 * logs: what a server wrote, and how it came and went.
 */
import { toPrintable } from '../../../base/printable.ts'
import { createProblem, ProblemError } from '../../../problem/problem.ts'
import { logFileOf, readServerLog } from '../../../runtime/server-logs.ts'
import { showPath } from '../../shared/show-path.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { printJson, printLines } from '../print.ts'
import { badNumber } from '../problems.ts'
import { unknownServer } from '../unknown-server.ts'

const DEFAULT_LINES = 100

/** How often a log that is followed is looked at. */
const LOOK_MS = 200

/** Throws `cli/unknown-server`, `cli/bad-number`, `logs/none`. */
export async function run(context: CommandContext): Promise<number> {
  const name = context.args[0]!
  const { catalog, dirs } = await context.load()
  const { world, terminal } = context
  const count = readCount(context)
  const lines = readServerLog(world, dirs, name, count)
  const isKnown = catalog.entries.some(({ entry }) => entry.found.name === name)
  if (lines.length === 0 && !isKnown) throw new ProblemError(unknownServer(name, catalog, world))
  if (context.json) {
    printJson(terminal, { server: name, file: logFileOf(world, dirs, name), lines })
    return DONE
  }
  if (lines.length === 0 && context.flags['follow'] !== true) throw new ProblemError(noLog(name))
  if (terminal.columns !== undefined) {
    printLines(terminal, [context.paint.dim(showPath(logFileOf(world, dirs, name), world))])
  }
  printLines(terminal, lines.map(toPrintable))
  if (context.flags['follow'] === true) await follow(context, logFileOf(world, dirs, name))
  return DONE
}

function readCount({ flags }: CommandContext): number {
  const given = flags['lines']
  if (typeof given !== 'string') return DEFAULT_LINES
  const count = Number(given)
  if (!Number.isInteger(count) || count < 0) throw new ProblemError(badNumber('lines', given))
  return count
}

function noLog(name: string): ConstructorParameters<typeof ProblemError>[0] {
  return createProblem({
    code: 'logs/none',
    message: `\`${name}\` has written nothing yet`,
    hints: [`to connect to it now, run \`plugboard test ${name}\``],
  })
}

/** Until the person ends it. A log that was rotated is read from its beginning. */
function follow({ world, terminal }: CommandContext, file: string): Promise<never> {
  const readText = (): string => {
    const read = world.files.read(file)
    return read.kind === 'text' ? read.text : ''
  }
  let seen = readText().length
  return new Promise(() => {
    const look = (): void => {
      const text = readText()
      if (text.length < seen) seen = 0
      const end = text.lastIndexOf('\n') + 1
      if (end > seen) {
        printLines(
          terminal,
          text
            .slice(seen, end - 1)
            .split('\n')
            .map(toPrintable),
        )
        seen = end
      }
      world.clock.after(LOOK_MS, look)
    }
    look()
  })
}
