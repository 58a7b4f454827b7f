/**
 * unrepairable: a schema that cannot be made to fit, on its way up to whoever puts the tool in quarantine.
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

/** Deeper ones never get here from a server as they are, only by its references; they would end the program. */
export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new Unrepairable(`its schema is nested more than ${MAX_DEPTH} levels deep`)
}

/** How far a walk has come, for reasons: `filters.items`. The root has no step. */
export interface Place {
  readonly up?: Place
  readonly step: string
}

export const ROOT: Place = { step: '' }

/** Longest part of a place that is shown; names of arguments come from the server. */
const SHOWN = 100

export function showPlace(place: Place): string {
  const steps: string[] = []
  for (let at: Place | undefined = place; at?.up !== undefined; at = at.up) steps.unshift(at.step)
  const path = steps.join('.')
  if (path === '') return 'its schema'
  return `\`${path.length > SHOWN ? `${path.slice(0, SHOWN)}…` : path}\``
}

/** Against schemas that grow when they are unfolded: each schema that is made has its weight. */
export interface Work {
  spent: number
}

/** The largest schema of the corpus takes a tenth of it. */
const MOST_WORK = 20_000

export function spend(work: Work, units: number): void {
  work.spent += units
  if (work.spent > MOST_WORK) throw new Unrepairable('its schema becomes too large when it is written out')
}
