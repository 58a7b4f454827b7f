/**
 * house: the boards of a gateway that serves many projects, each with the clients that use it.
 *
 * in     the origin of a client: a folder, an environment
 * out    the serving for that origin, for as long as clients use it
 * never  serves a client from a board that its own environment would have made different; keeps a board that no client
 *        has used for long
 */
import { watchLookups } from '../../base/watched-lookups.ts'
import { isSameEnv } from '../../runtime/whole-env.ts'
import type { Load } from '../../runtime/catalog-loader.ts'
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import { PROXY_VARIABLES } from '../../world/proxy.ts'
import type { From } from '../../world/visit.ts'
import type { World } from '../../world/world.ts'
import type { OpenServing } from '../shared/gateway-host.ts'
import { statusOf, type ServerStatus } from './status.ts'

export interface ProjectBoardsOptions<Serving extends OpenServing> {
  readonly world: World
  /** Boards without clients are closed after this time. 0: never. */
  readonly idleMs: number
  /** Returns how configuration files are read in the world of a visitor. */
  load(world: World): Load
  open(world: World, load: Load): Promise<Serving>
}

export interface BoardLease<Serving extends OpenServing = OpenServing> {
  readonly world: World
  readonly serving: Serving
  /** Call it once. */
  leave(): void
}

interface Kept<Serving extends OpenServing> {
  readonly world: World
  /** The environment variables that the configuration read, with their values. */
  looked: ReadonlyMap<string, string | undefined> | 'everything'
  readonly serving: Promise<Serving>
  visitors: number
  cancelClose: (() => void) | undefined
}

export class ProjectBoards<Serving extends OpenServing = OpenServing> {
  readonly #options: ProjectBoardsOptions<Serving>
  readonly #rooms = new Set<Kept<Serving>>()
  /** Closing, but not closed yet. */
  readonly #closing = new Set<Promise<void>>()

  constructor(options: ProjectBoardsOptions<Serving>) {
    this.#options = options
  }

  /** Rejects when the board cannot be opened. No error in the configuration causes that. */
  async enter(from: From): Promise<BoardLease<Serving>> {
    const room = this.#find(from) ?? this.#build(from)
    room.cancelClose?.()
    room.cancelClose = undefined
    room.visitors += 1
    try {
      const serving = await room.serving
      let hasLeft = false
      return {
        world: room.world,
        serving,
        leave: () => {
          if (!hasLeft) this.#leave(room)
          hasLeft = true
        },
      }
    } catch (error) {
      this.#rooms.delete(room)
      throw error
    }
  }

  /** The status of each open board. */
  async status(): Promise<readonly (ServerStatus & { readonly project: string })[]> {
    const rooms = await Promise.allSettled(
      [...this.#rooms].map(async ({ world, serving }) => ({ world, serving: await serving })),
    )
    // A board that cannot be opened was reported to the client that wanted it.
    const open = rooms.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    return open.flatMap(({ world, serving }) =>
      statusOf(serving.board).servers.map((server) => ({ ...server, project: world.cwd })),
    )
  }

  /** Lets each board finish its work, up to the limit. */
  async drain(limitMs: number): Promise<void> {
    const servings = await Promise.allSettled([...this.#rooms].map(({ serving }) => serving))
    const open = servings.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    await Promise.all(open.map((serving) => serving.drain(limitMs)))
  }

  async close(): Promise<void> {
    for (const room of this.#rooms) this.#close(room)
    await Promise.all(this.#closing)
  }

  #find({ cwd, env }: From): Kept<Serving> | undefined {
    const isSame = ({ world, looked }: Kept<Serving>): boolean =>
      world.cwd === cwd &&
      (looked === 'everything'
        ? isSameEnv(world.env, env)
        : [...looked].every(([name, value]) => (Object.hasOwn(env, name) ? env[name] : undefined) === value))
    return [...this.#rooms].find(isSame)
  }

  #build({ cwd, env }: From): Kept<Serving> {
    const { world: base } = this.#options
    const world = { ...base, ...base.networkOf(env), cwd, env }
    const load = this.#options.load(world)
    const room: Kept<Serving> = {
      world,
      // Before the configuration is read, any variable may count.
      looked: 'everything',
      serving: this.#options.open(world, async (how) => {
        const { values, asked } = watchLookups(env)
        const loaded = await load({ ...how, world: { ...how.world, env: values } })
        room.looked = needsWholeEnv(loaded) ? 'everything' : new Map([...asked, ...namedIn(loaded, env)])
        return loaded
      }),
      visitors: 0,
      cancelClose: undefined,
    }
    this.#rooms.add(room)
    return room
  }

  #leave(room: Kept<Serving>): void {
    room.visitors -= 1
    const { idleMs, world } = this.#options
    if (room.visitors > 0 || idleMs === 0) return
    room.cancelClose = world.clock.after(idleMs, () => this.#close(room), 'loose')
  }

  #close(room: Kept<Serving>): void {
    room.cancelClose?.()
    this.#rooms.delete(room)
    const over = room.serving
      .then((serving) => serving[Symbol.asyncDispose]())
      .catch(() => undefined) // it never opened, and its client got the error
      .finally(() => this.#closing.delete(over))
    this.#closing.add(over)
  }
}

/** A server that inherits the environment, and a command that runs to produce a value, may read any variable. */
function needsWholeEnv({ catalog }: LoadedCatalog): boolean {
  return catalog.servers.some(
    ({ inheritEnv, transport, values }) =>
      inheritEnv === true ||
      ('headersHelper' in transport && transport.headersHelper !== undefined) ||
      (values === 'resolvable' && hasCommand(transport)),
  )
}

function hasCommand(value: unknown): boolean {
  if (typeof value === 'string') return value.startsWith('!')
  return typeof value === 'object' && value !== null && partsOf(value).some(hasCommand)
}

function partsOf(value: object): readonly unknown[] {
  return Array.isArray(value) || value instanceof Map ? [...value.values()] : Object.values(value)
}

/** The variables that entries name. They are looked up when a server is launched, which may never happen. */
function namedIn(
  { catalog }: LoadedCatalog,
  env: From['env'],
): readonly (readonly [string, string | undefined])[] {
  const names = catalog.servers.flatMap(({ transport, values }) =>
    variablesIn(transport, values === 'resolvable'),
  )
  const isRemote = catalog.servers.some(({ transport: { type } }) => type !== 'stdio' && type !== 'sdk')
  if (isRemote) names.push(...PROXY_VARIABLES)
  return names.map((name) => [name, Object.hasOwn(env, name) ? env[name] : undefined])
}

/** `isNameEnough`: in some dialects a text that is the name of a variable stands for its value. */
function variablesIn(value: unknown, isNameEnough: boolean): readonly string[] {
  if (typeof value === 'string') return isNameEnough && /^\w+$/.test(value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  if ('kind' in value && value.kind === 'env' && 'name' in value) return [String(value.name)]
  return partsOf(value).flatMap((part) => variablesIn(part, isNameEnough))
}
