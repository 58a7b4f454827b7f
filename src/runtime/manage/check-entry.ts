/**
 * check-entry: checks an entry before it is written, as it will be read from the file.
 *
 * in     a name and a plain object
 * out    the definition, and its warnings
 * never  writes, starts or connects to anything
 */
import type { ServerDefinition } from '../../model/definition.ts'
import type { Problem } from '../../model/problem.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import type { JsonObject } from '../definition-json.ts'
import { badName, invalidEntry } from './add-problems.ts'
import { readBack } from './read-back.ts'

export interface CheckedEntry {
  readonly definition: ServerDefinition
  readonly warnings: readonly Problem[]
}

/** Throws `manage/bad-name`, `manage/invalid`. */
export async function checkEntry(world: World, name: string, entry: JsonObject): Promise<CheckedEntry> {
  if (!isName(name)) throw new ProblemError(badName(name))
  const reading = await readBack(world, { name, entry }, { ...PLACE, baseDir: world.cwd })
  if (reading.kind === 'invalid') throw new ProblemError(invalidEntry(reading.problems))
  if (reading.kind === 'unsupported') throw new ProblemError(invalidEntry([reading.problem]))
  return { definition: reading.definition, warnings: reading.warnings.map(withoutPlace) }
}

/** An entry means the same in each of our files, so any of them will do. */
const PLACE = {
  file: 'mcp.json',
  source: 'plugboard',
  scope: 'user',
  dialect: 'plugboard',
  variables: {},
} as const

/** The place refers to a text that exists in no file. */
function withoutPlace({ code, severity, message, notes, hints }: Problem): Problem {
  return { code, severity, message, notes, hints }
}

/** The rule for names in our files. Other agents' files may hold other names. */
export function isName(name: string): boolean {
  return /^[A-Za-z0-9_.-]{1,100}$/.test(name)
}
