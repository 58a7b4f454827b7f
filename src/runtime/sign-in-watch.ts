/**
 * sign-in-watch: notices a sign-in that is made elsewhere (another terminal, another agent).
 *
 * in     the servers of a board
 * out    a retry of the servers that wait for a sign-in, once there is a new one
 * never  polls while no server waits; keeps a process alive for it
 */
import type { Clock } from '../world/world.ts'
import type { Supervisor } from './supervisor.ts'

/** Between two reads of a small file. */
const LOOK_MS = 1000

export class SignInWatch {
  readonly #clock: Clock
  readonly #servers: () => Iterable<Supervisor>
  #cancel: (() => void) | undefined

  constructor(clock: Clock, servers: () => Iterable<Supervisor>) {
    this.#clock = clock
    this.#servers = servers
  }

  /** Starts or stops polling: a server may wait for a sign-in now, or none does any more. */
  update(): void {
    const isWaitedFor = this.#waiting().length > 0
    if (!isWaitedFor) this.close()
    else this.#cancel ??= this.#clock.after(LOOK_MS, () => this.#look(), 'loose')
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #look(): void {
    this.#cancel = undefined
    for (const one of this.#waiting()) if (one.canSignIn) one.restart()
    this.update()
  }

  #waiting(): readonly Supervisor[] {
    return [...this.#servers()].filter(({ connection }) => connection.state === 'needs-auth')
  }
}
