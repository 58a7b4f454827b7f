/** stage-timer: how long each stage of a try took, and which stage it is in. */
import type { Stage, StageTime } from '../model/connection.ts'

export class StageTimer {
  readonly stages: StageTime[] = []
  readonly #now: () => number
  #current: Stage = 'resolve'
  #since: number | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  get current(): Stage {
    return this.#current
  }

  /** Begins a stage, which shows that the one before succeeded. A stage that runs already goes on. */
  begin(stage: Stage): void {
    if (stage === this.#current && this.#since !== undefined) return
    this.finish()
    this.#current = stage
    this.#since = this.#now()
  }

  /** Ends the stage as successful. */
  finish(): void {
    this.#end(true)
  }

  fail(): void {
    this.#end(false)
  }

  #end(ok: boolean): void {
    if (this.#since === undefined) return
    this.stages.push({ name: this.#current, ms: this.#now() - this.#since, ok })
    this.#since = undefined
  }
}
