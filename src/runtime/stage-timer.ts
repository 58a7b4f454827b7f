/**
 * stage-timer: how long each stage of a try took, and which one it is in.
 */
import type { Stage, StageTime } from '../model/connection.ts'

export interface StageTimer {
  /** Ends the stage before, which went well, since another one begins. A stage that runs already goes on. */
  begin(stage: Stage): void
  /** The stage went well. */
  finish(): void
  fail(): void
  current(): Stage
}

export function createStageTimer(stages: StageTime[], now: () => number): StageTimer {
  let current: Stage = 'resolve'
  let since: number | undefined
  const end = (ok: boolean): void => {
    if (since === undefined) return
    stages.push({ name: current, ms: now() - since, ok })
    since = undefined
  }
  return {
    begin(stage) {
      if (stage === current && since !== undefined) return
      end(true)
      current = stage
      since = now()
    },
    finish: () => end(true),
    fail: () => end(false),
    current: () => current,
  }
}
