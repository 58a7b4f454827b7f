/**
 * pairs: `name=value` on the command line.
 */
import { ProblemError } from '../../problem/problem.ts'
import { badPair } from '../shared/argument-problems.ts'

/** Throws `cli/bad-argument`. */
export function toPair(given: string): readonly [string, string] {
  const at = given.indexOf('=')
  if (at < 1) throw new ProblemError(badPair(given))
  return [given.slice(0, at), given.slice(at + 1)]
}
