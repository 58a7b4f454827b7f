/**
 * progress-line: how far a tool is, in one line that is written over and over. Only where somebody can see it.
 */
import { toPrintable } from '../../base/printable.ts'
import type { Params } from '../../model/message.ts'
import type { Terminal } from '../../world/world.ts'
import { cutEnd } from '../shared/width.ts'

export interface ProgressLine {
  tell(progress: Params): void
  clear(): void
}

const CLEAR = '\r\u001b[K'

export function showProgress({ columnsBeside, err }: Terminal): ProgressLine {
  let isShown = false
  return {
    tell(progress) {
      if (columnsBeside === undefined) return
      err(`${CLEAR}${cutEnd(toPrintable(sayProgress(progress)), columnsBeside - 1)}`)
      isShown = true
    },
    clear() {
      if (isShown) err(CLEAR)
      isShown = false
    },
  }
}

/** `30% of it: indexing`, or as much of this as is known. */
export function sayProgress({ progress, total, message }: Params): string {
  const words = typeof message === 'string' ? message : ''
  if (typeof progress !== 'number') return words
  const isKnown = typeof total === 'number' && total > 0
  const far = isKnown ? `${Math.min(100, Math.floor((progress / total) * 100))}%` : String(progress)
  return words === '' ? far : `${far}  ${words}`
}
