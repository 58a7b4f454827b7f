/**
 * spacing: pauses between works that are asked for again and again. The first is done at once; where the next is wanted as
 * soon as the one before is over, each pause is longer than the last, up to a limit. After some quiet it begins anew.
 */
const FIRST_MS = 50
const LONGEST_MS = 2000

/** Wanted again within so long after a pause, it still goes on. */
const QUIET_MS = 500

export class Spacing {
  #pauseMs = 0
  #endedAt = -Infinity

  /** How long the next one has to wait. */
  waitMs(now: number): number {
    if (now - this.#endedAt > this.#pauseMs + QUIET_MS) this.#pauseMs = 0
    return Math.max(0, this.#endedAt + this.#pauseMs - now)
  }

  /** One is over: the next one waits, longer each time. */
  end(now: number): void {
    this.#pauseMs = Math.min(LONGEST_MS, Math.max(FIRST_MS, this.#pauseMs * 2))
    this.#endedAt = now
  }
}
