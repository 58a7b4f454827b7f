/**
 * did-you-mean: the hint for a typing mistake; no hint where no name is similar.
 */
import { findNearest } from '../../base/edit-distance.ts'

export function didYouMean(word: string, known: readonly string[]): string[] {
  const nearest = findNearest(word, known)
  return nearest === undefined || nearest === word ? [] : [`did you mean \`${nearest}\`?`]
}
