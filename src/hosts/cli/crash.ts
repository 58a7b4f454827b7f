/**
 * crash: ends a process after an exception that no code catches. Imported when that happens.
 *
 * in     the exception, and the command line
 * out    the exit code; the same report as for any other bug
 * never  repeats a secret
 */
import { toProblem } from '../shared/to-problem.ts'
import { fail } from './failure.ts'
import { asksForJson } from './parse.ts'
import type { CliRequest } from './run-cli.ts'

export type CrashedRequest = Pick<CliRequest, 'argv' | 'world' | 'terminal' | 'version'>

export function crash(error: unknown, { argv, world, terminal, version }: CrashedRequest): number {
  return fail(toProblem(error, version), { world, terminal, json: asksForJson(argv) })
}
