/**
 * find-pins: finds the approved tools that a name means.
 */
import { findNearest } from '../../../../base/edit-distance.ts'
import { createProblem, ProblemError } from '../../../../problem/problem.ts'
import { typedNamesOf } from '../../../../runtime/known-tools.ts'
import type { ReviewedPin } from '../../../../runtime/pin-review.ts'

/** Tools that differ from their approved form. */
export type ChangedPin = Extract<ReviewedPin, { state: 'changed' | 'renamed' }>

export function isChanged(one: ReviewedPin): one is ChangedPin {
  return one.state === 'changed' || one.state === 'renamed'
}

/** Accepts a model-facing name in any style, a raw name, or `server.tool`. Throws `permit/not-pinned`. */
export function requirePins(pins: readonly ReviewedPin[], name: string): readonly ReviewedPin[] {
  const found = pins.filter(({ pin }) => typedNamesOf(pin).includes(name))
  if (found.length > 0) return found
  const nearest = findNearest(
    name,
    pins.map((one) => one.name),
  )
  throw new ProblemError(
    createProblem({
      code: 'permit/not-pinned',
      message: `no tool named \`${name}\` was approved`,
      hints: [
        ...(nearest === undefined ? [] : [`did you mean \`${nearest}\`?`]),
        'to see every tool that was, run `plugboard pins list`',
      ],
    }),
  )
}
