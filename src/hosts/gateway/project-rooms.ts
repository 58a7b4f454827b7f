/**
 * project-rooms: the gateways of projects, for clients over HTTP whose token is bound to one.
 *
 * in     the folder of a project
 * out    a gateway on what is configured and approved there; it stays until no token leads to it any more
 */
import type { From } from '../../world/visit.ts'
import type { OpenServing } from '../shared/gateway-host.ts'
import type { Gateway } from './gateway.ts'
import type { House, Room } from './house.ts'

type Served = OpenServing & { readonly gateway: Gateway }

export class ProjectRooms {
  readonly #house: Pick<House<Served>, 'enter'>
  readonly #env: From['env']
  readonly #rooms = new Map<string, Promise<Room<Served>>>()

  /** `env`: of the gateway, since that of the client is not known. */
  constructor(house: Pick<House<Served>, 'enter'>, env: From['env']) {
    this.#house = house
    this.#env = env
  }

  /** Rejects when it cannot be opened, which no configuration is a reason for. */
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

  /** Those that are there, or about to be. */
  find(project: string): Promise<Gateway> | undefined {
    return this.#rooms.has(project) ? this.of(project) : undefined
  }

  /** Once nobody is left who could come. `done`: whoever came before has what it waits for. */
  leave(project: string, done: Promise<void>): void {
    const room = this.#rooms.get(project)
    this.#rooms.delete(project)
    void Promise.all([room, done]).then(
      ([one]) => one?.leave(),
      () => undefined, // it never was open
    )
  }
}
