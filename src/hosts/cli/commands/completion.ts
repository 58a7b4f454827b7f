/**
 * completion: prints the script with which a shell completes our lines.
 */
import { ProblemError } from '../../../problem/problem.ts'
import type { CommandContext } from '../command.ts'
import { scriptFor, SHELLS } from '../completion-scripts.ts'
import { DONE } from '../exit-codes.ts'
import { printJson } from '../print.ts'
import { unknownShell } from '../problems.ts'

/** Throws `cli/unknown-shell`. */
export async function run({ args, terminal, json }: CommandContext): Promise<number> {
  const given = args[0]!
  const shell = SHELLS.find((one) => one === given)
  if (shell === undefined) throw new ProblemError(unknownShell(given, SHELLS))
  const script = scriptFor(shell)
  if (json) printJson(terminal, { shell, script })
  else terminal.out(script)
  return DONE
}
