/**
 * crash: the end of a process in which something was thrown that nobody waits for. Imported when it happens.
 *
 * in     what was thrown, and the line that was being carried out
 * out    the exit code; the same report as for any other bug
 * never  repeats what was held in secret
 */
import { toProblem } from '../shared/to-problem.ts'
import { fail } from './failure.ts'
import { asksForJson } from './parse.ts'
import type { CliRequest } from './run-cli.ts'

export type CrashedRequest = Pick<CliRequest, 'argv' | 'world' | 'terminal' | 'version'>

export function crash(error: unknown, { argv, world, terminal, version }: CrashedRequest): number {
  return fail(toProblem(error, version), { world, terminal, json: asksForJson(argv) })
}
