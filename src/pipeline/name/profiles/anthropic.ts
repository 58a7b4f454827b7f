/**
 * anthropic: draft 2020-12, one object at the root, and plain names for arguments.
 *
 * Plugboard cannot replace a name that Anthropic refuses: the server would not know the new one.
 */
import type { JsonSchema } from '../../../model/profile.ts'
import { keepInUse } from '../keep-in-use.ts'
import { Unrepairable, type Work } from '../unrepairable.ts'
import { toPlainRoot } from './plain-root.ts'

/** Throws when the schema cannot be repaired. */
export function toAnthropic(schema: JsonSchema, work: Work): JsonSchema {
  const root = toPlainRoot(schema, work)
  for (const name of Object.keys(root.properties ?? {})) {
    if (!ARGUMENT.test(name)) throw new Unrepairable(badName(name))
  }
  return keepInUse(root)
}

/** For the arguments themselves; properties inside of them may have any name. */
const ARGUMENT = /^[a-zA-Z0-9_.-]{1,64}$/

function badName(name: string): string {
  const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name
  return `anthropic does not take its argument \`${shown}\`: a name has 1 to 64 letters, digits, \`_\`, \`.\` or \`-\``
}
