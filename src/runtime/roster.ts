/**
 * roster: the servers of a board, each with its supervisor. It adds, replaces and removes them.
 *
 * never  drops a supervisor before its calls have their answers, except when everything closes
 */
import type { AdmittedServer } from '../model/catalog.ts'
import type { Shared } from './shared.ts'
import type { KnownServer } from './standing.ts'
import { Supervisor } from './supervisor.ts'

export class Roster {
  readonly #shared: Shared
  /** The servers to connect at once; the others wait until they are needed. Undefined: all. */
  readonly #only: readonly string[] | undefined
  readonly #supervisors = new Map<string, Supervisor>()
  /** Out of use, but with calls that still wait for an answer. */
  readonly #retiring = new Set<Supervisor>()
  /** Sorted on demand. Every call reads it. */
  #ordered: readonly Supervisor[] | undefined

  constructor(shared: Shared, only: readonly string[] | undefined) {
    this.#shared = shared
    this.#only = only
  }

  find(name: string): Supervisor | undefined {
    return this.#supervisors.get(name)
  }

  names(): readonly string[] {
    return [...this.#supervisors.keys()]
  }

  all(): Iterable<Supervisor> {
    return this.#supervisors.values()
  }

  /** Sorted by name. */
  inOrder(): readonly Supervisor[] {
    this.#ordered ??= [...this.#supervisors.values()].sort((a, b) => (a.server.name < b.server.name ? -1 : 1))
    return this.#ordered
  }

  /**
   * Whether a server lists something else for this client: than for others of its kind (`own`), or than for all
   * clients.
   */
  shows(client: object): 'own' | 'others' | 'as-to-all' {
    let shows: 'others' | 'as-to-all' = 'as-to-all'
    for (const one of this.#supervisors.values()) {
      if (one.hasOwnFor(client)) return 'own'
      if (one.offeringFor(client) !== one.offering) shows = 'others'
    }
    return shows
  }

  known(): readonly KnownServer[] {
    return this.inOrder().map(({ server: { name }, connection, offering }) => ({
      name,
      connection,
      offering,
    }))
  }

  add(server: AdmittedServer): Supervisor {
    const one = new Supervisor(server, this.#shared)
    this.#put(one)
    if (this.#only === undefined || this.#only.includes(server.name)) one.want()
    return one
  }

  /** Replaces the supervisor of this name, if there is one. */
  replace(server: AdmittedServer): void {
    const before = this.#supervisors.get(server.name)
    const one = this.add(server)
    if (before === undefined) return
    before.handOver(one)
    this.#finish(before)
  }

  retire(name: string): void {
    const one = this.#supervisors.get(name)!
    this.#supervisors.delete(name)
    this.#ordered = undefined
    this.#finish(one)
  }

  /**
   * Ends the session of a server, which stays idle until a caller needs it. A caller that comes before the session is
   * gone waits for its end.
   */
  async rest(one: Supervisor): Promise<void> {
    const ending = one.close()
    this.#put(new Supervisor(one.server, this.#shared, ending))
    this.#retiring.add(one)
    await ending.finally(() => this.#retiring.delete(one))
  }

  /** Never rejects: a transport that fails to close must not keep another one open. */
  async close(): Promise<void> {
    const all = [...this.#supervisors.values(), ...this.#retiring]
    await Promise.allSettled(all.map((one) => one.close()))
  }

  #put(one: Supervisor): void {
    this.#supervisors.set(one.server.name, one)
    this.#ordered = undefined
  }

  #finish(one: Supervisor): void {
    this.#retiring.add(one)
    void one.retire().finally(() => this.#retiring.delete(one))
  }
}
