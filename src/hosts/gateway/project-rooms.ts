/**
 * project-rooms: the gateways of projects, for HTTP clients whose token is bound to one project.
 *
 * in     the folder of a project
 * out    a gateway with the servers that are configured and approved there; it stays until no token leads to it
 */
import type { From } from '../../world/visit.ts'
import type { OpenServing } from '../shared/gateway-host.ts'
import type { Gateway } from './gateway.ts'
import type { ProjectBoards, BoardLease } from './house.ts'

type Served = OpenServing & { readonly gateway: Gateway }

export class ProjectGateways {
  readonly #house: Pick<ProjectBoards<Served>, 'enter'>
  readonly #env: From['env']
  readonly #rooms = new Map<string, Promise<BoardLease<Served>>>()

  /** `env`: the environment of the gateway, because the client's is unknown. */
  constructor(house: Pick<ProjectBoards<Served>, 'enter'>, env: From['env']) {
    this.#house = house
    this.#env = env
  }

  /** Rejects when the gateway cannot be opened. No error in the configuration causes that. */
  async of(project: string): Promise<Gateway> {
    const room = this.#rooms.get(project) ?? this.#house.enter({ cwd: project, env: this.#env })
    this.#rooms.set(project, room)
    try {
      return (await room).serving.gateway
    } catch (error) {
      this.#rooms.delete(project)
      throw error
    }
  }

  /** A gateway that is open, or about to open. */
  find(project: string): Promise<Gateway> | undefined {
    return this.#rooms.has(project) ? this.of(project) : undefined
  }

  /** Closes a project that no client can reach any more. `done`: the earlier clients have their answers. */
  leave(project: string, done: Promise<void>): void {
    const room = this.#rooms.get(project)
    this.#rooms.delete(project)
    void Promise.all([room, done]).then(
      ([one]) => one?.leave(),
      () => undefined, // it never opened
    )
  }
}
