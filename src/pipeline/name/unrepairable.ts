/**
 * unrepairable: the error for a schema that cannot be repaired. Its tool is then put in quarantine.
 */
import { MAX_DEPTH } from '../../base/depth.ts'

/** `reason` is a clause for a user: "its schema refers to itself, …". */
export class Unrepairable extends Error {
  override readonly name = 'Unrepairable'
  readonly reason: string

  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

export function leadsToItself(ref: string): Unrepairable {
  return new Unrepairable(`its schema refers to \`${ref}\`, which only leads back to itself`)
}

export function isOwnAlternative(ref: string): Unrepairable {
  return new Unrepairable(`its schema has \`${ref}\` as an alternative to itself`)
}

/** A server cannot send deeper schemas directly, but its references can build them. They would overflow the stack. */
export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new Unrepairable(`its schema is nested more than ${MAX_DEPTH} levels deep`)
}

/** The path of a walk, for messages: `filters.items`. The root has no step. */
export interface SchemaLocation {
  readonly up?: SchemaLocation
  readonly step: string
}

export const ROOT: SchemaLocation = { step: '' }

/** The longest part of a path that is shown: names of arguments come from the server. */
const SHOWN = 100

export function showPlace(place: SchemaLocation): string {
  const steps: string[] = []
  for (let at: SchemaLocation | undefined = place; at?.up !== undefined; at = at.up) steps.unshift(at.step)
  const path = steps.join('.')
  if (path === '') return 'its schema'
  return `\`${path.length > SHOWN ? `${path.slice(0, SHOWN)}…` : path}\``
}

/** Limits schemas that grow when their references are replaced: each schema that is made costs its weight. */
export interface Work {
  spent: number
}

/** The largest schema of the test corpus needs a tenth of it. */
const MOST_WORK = 20_000

export function spend(work: Work, units: number): void {
  work.spent += units
  if (work.spent > MOST_WORK) throw new Unrepairable('its schema becomes too large when it is written out')
}
