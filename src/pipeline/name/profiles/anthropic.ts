/**
 * anthropic: draft 2020-12, one object at the root, and plain names for arguments.
 *
 * A name that it does not take cannot be mended here: the server would not know the new one.
 */
import type { JsonSchema } from '../../../model/profile.ts'
import { keepInUse } from '../keep-in-use.ts'
import { Unrepairable, type Work } from '../unrepairable.ts'
import { toPlainRoot } from './plain-root.ts'

/** Throws when the schema cannot be mended. */
export function toAnthropic(schema: JsonSchema, work: Work): JsonSchema {
  const root = toPlainRoot(schema, work)
  for (const name of Object.keys(root.properties ?? {})) {
    if (!ARGUMENT.test(name)) throw new Unrepairable(badName(name))
  }
  return keepInUse(root)
}

/** Of the arguments themselves; what is inside of them may have any names. */
const ARGUMENT = /^[a-zA-Z0-9_.-]{1,64}$/

function badName(name: string): string {
  const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name
  return `anthropic does not take its argument \`${shown}\`: a name has 1 to 64 letters, digits, \`_\`, \`.\` or \`-\``
}
