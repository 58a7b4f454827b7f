/** view: what the drawing functions need beside the state. */
import type { Paint } from '../../shared/paint.ts'
import type { Here } from '../../shared/show-path.ts'

export interface View {
  readonly paint: Paint
  readonly here: Here
  readonly columns: number
}

/** Times under a minute in seconds, longer ones as on a clock. */
export function showElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
