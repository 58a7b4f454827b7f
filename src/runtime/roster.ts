/**
 * roster: the servers of a board, each with its supervisor; who comes, who is replaced, who leaves.
 *
 * never  drops a supervisor before its calls have their answers, but when everything is closed
 */
import type { AdmittedServer } from '../model/catalog.ts'
import type { Shared } from './shared.ts'
import type { KnownServer } from './standing.ts'
import { Supervisor } from './supervisor.ts'

export class Roster {
  readonly #shared: Shared
  /** Those to connect at once; the others wait until they are asked for. Undefined: all. */
  readonly #only: readonly string[] | undefined
  readonly #supervisors = new Map<string, Supervisor>()
  /** Out of use, with calls that still wait for their answer. */
  readonly #retiring = new Set<Supervisor>()
  /** Made when somebody looks, which every call does. */
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

  /** By name. */
  inOrder(): readonly Supervisor[] {
    this.#ordered ??= [...this.#supervisors.values()].sort((a, b) => (a.server.name < b.server.name ? -1 : 1))
    return this.#ordered
  }

  /** Whether any of them lists something else for this client: than for others of its kind (`own`), or than for all. */
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

  /** In place of the one of this name, if there is one. */
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
   * Ends its session; it stays idle until it is asked for, which may be before the session is gone: whoever asks then
   * comes later, and waits for that.
   */
  async rest(one: Supervisor): Promise<void> {
    const ending = one.close()
    this.#put(new Supervisor(one.server, this.#shared, ending))
    this.#retiring.add(one)
    await ending.finally(() => this.#retiring.delete(one))
  }

  /** Never rejects: one transport that fails to close keeps no other open. */
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
