/**
 * spacing: pauses between repeated runs of the same work. The first run starts at once. Each run that is requested
 * right after the one before waits longer, up to a limit. After some quiet the pauses begin anew.
 */
const FIRST_MS = 50
const LONGEST_MS = 2000

/** A request within this time after a pause continues the series. */
const QUIET_MS = 500

export class Spacing {
  #pauseMs = 0
  #endedAt = -Infinity

  /** How long the next run has to wait. */
  waitMs(now: number): number {
    if (now - this.#endedAt > this.#pauseMs + QUIET_MS) this.#pauseMs = 0
    return Math.max(0, this.#endedAt + this.#pauseMs - now)
  }

  /** A run is over. The next one waits, longer each time. */
  end(now: number): void {
    this.#pauseMs = Math.min(LONGEST_MS, Math.max(FIRST_MS, this.#pauseMs * 2))
    this.#endedAt = now
  }
}
