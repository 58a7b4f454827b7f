/**
 * startup-limit: how long a server may take until it is ready. The time stops while a package runner visibly installs
 * the server, and begins anew afterwards. The installation has a limit of its own.
 *
 * in     when it starts, and what the session that is being opened reports of an installation
 * out    `onOver`, at most once
 */
import type { Clock } from '../world/world.ts'

/**
 * For the whole installation. A large package over a slow line takes minutes, but a wait for a registry that never
 * answers must end.
 */
export const INSTALLATION_MS = 5 * 60_000

export class StartupLimit {
  readonly #clock: Clock
  readonly #ms: number
  readonly #onOver: () => void
  /** When the current limit ends. */
  #endsAt = Infinity
  #cancel: (() => void) | undefined
  #installedMs = 0
  #installsSince: number | undefined

  /** `ms`: 0 means no limit. */
  constructor(clock: Clock, ms: number, onOver: () => void) {
    this.#clock = clock
    this.#ms = ms
    this.#onOver = onOver
    this.#run(ms === 0 ? Infinity : ms)
  }

  /** What is left of the limit; 0 means no limit. */
  get leftMs(): number {
    return this.#endsAt === Infinity ? 0 : Math.max(1, this.#endsAt - this.#clock.now())
  }

  /** The limit that applies now, or that applied at the end, in milliseconds. */
  get limitMs(): number {
    return this.isInstalling ? INSTALLATION_MS : this.#ms
  }

  get isInstalling(): boolean {
    return this.#installsSince !== undefined
  }

  onInstallation(state: 'begun' | 'over'): void {
    if (this.#ms === 0 || (state === 'begun') === this.isInstalling) return
    const now = this.#clock.now()
    if (this.#installsSince === undefined) {
      this.#installsSince = now
      return this.#run(Math.max(0, INSTALLATION_MS - this.#installedMs))
    }
    this.#installedMs += now - this.#installsSince
    this.#installsSince = undefined
    this.#run(this.#ms)
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #run(ms: number): void {
    this.stop()
    this.#endsAt = this.#clock.now() + ms
    if (ms !== Infinity) this.#cancel = this.#clock.after(ms, this.#onOver)
  }
}
