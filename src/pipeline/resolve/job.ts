/**
 * job: one server on its way to a launch, with the problems and secrets found so far.
 */
import type { AdmittedServer } from '../../model/catalog.ts'
import type { CredentialSource } from '../../model/launch.ts'
import type { Problem } from '../../model/problem.ts'
import type { Project } from '../../model/project.ts'
import { envWithout } from '../../world/untrusted-folder.ts'
import type { Env, World } from '../../world/world.ts'
import type { ValueCache } from './value-cache.ts'

export interface ResolveContext {
  readonly world: World
  /** The default folder for servers. Absent: the working directory. */
  readonly project?: Pick<Project, 'root'> | undefined
  /** Absent: there are no stored credentials. */
  readonly credentials?: CredentialSource | undefined
  /** One for each process. */
  readonly cache: ValueCache
  /** For servers without timeouts of their own; 0 is off. */
  readonly defaults?: Partial<Timeouts> | undefined
}

export interface Timeouts {
  readonly timeoutMs: number
  readonly startupTimeoutMs: number
}

export interface Job {
  readonly server: AdmittedServer
  readonly context: ResolveContext
  readonly problems: Problem[]
  /** Texts that must not appear in a log. */
  readonly secrets: string[]
}

export function createJob(server: AdmittedServer, context: ResolveContext): Job {
  return { server, context: outsideOf(server, context), problems: [], secrets: [] }
}

/**
 * In an untrusted folder, the look-ups and commands for the user's own servers must not find programs of that folder.
 */
function outsideOf({ confinement }: AdmittedServer, context: ResolveContext): ResolveContext {
  if (confinement === undefined) return context
  const { world } = context
  return { ...context, world: { ...world, env: envWithout(confinement, world) } }
}

/** Runs all items at once, because a value can be a slow command. Their reports keep the order of the items. */
export async function mapAtOnce<T, R>(
  job: Job,
  items: Iterable<T>,
  step: (job: Job, item: T) => Promise<R>,
): Promise<R[]> {
  const done = await Promise.all(
    [...items].map(async (item) => {
      const own: Job = { ...job, problems: [], secrets: [] }
      return { own, result: await step(own, item) }
    }),
  )
  for (const { own } of done) {
    job.problems.push(...own.problems)
    job.secrets.push(...own.secrets)
  }
  return done.map(({ result }) => result)
}

/** The value of a variable that is set. `constructor` is not set, although every object has one. */
export function lookUp(env: Env, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined
}

/** A path in a file: `~/` is the home, and a relative path begins at the folder that the entry sets. */
export function toAbsolute({ server, context }: Job, path: string): string {
  const { paths, home } = context.world
  return paths.resolve(
    server.found.baseDir,
    path.replace(/^~(?=[/\\]|$)/, () => home),
  )
}

/** Sets a value under a name that the map may already have in another case. */
export function putAnyCase<V>(map: Map<string, V>, name: string, value: V): void {
  const lower = name.toLowerCase()
  for (const other of map.keys()) if (other.toLowerCase() === lower) map.delete(other)
  map.set(name, value)
}
