/**
 * progress-line: shows the progress of a tool, in one line with a bar that is overwritten. Only on a terminal.
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

/** `[======--------------] 30%  indexing`, or the known part of it. */
export function sayProgress({ progress, total, message }: Params): string {
  const words = typeof message === 'string' ? message : ''
  if (typeof progress !== 'number') return words
  const isKnown = typeof total === 'number' && total > 0
  const far = isKnown ? sayShare(progress / total) : String(progress)
  return words === '' ? far : `${far}  ${words}`
}

const BAR_COLUMNS = 20

/** Some servers report more than 100 percent. */
function sayShare(share: number): string {
  const done = Math.min(1, Math.max(0, share))
  const columns = Math.floor(done * BAR_COLUMNS)
  return `[${'='.repeat(columns)}${'-'.repeat(BAR_COLUMNS - columns)}] ${Math.floor(done * 100)}%`
}
