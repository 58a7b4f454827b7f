/**
 * project: finds the folder of the project, and the places of our own files for it.
 */
import { sha256 } from '../../base/sha256.ts'
import type { Project } from '../../model/project.ts'
import { stateFolderOf } from '../../world/gateway-place.ts'
import type { World } from '../../world/world.ts'

export function findProject(world: World): Project {
  const dirs = [...ancestors(world, world.cwd)]
  const depth = dirs.findIndex((dir) => world.files.kind(world.paths.join(dir, '.git')) !== 'missing')
  const dirsNearestFirst = depth === -1 ? [world.cwd] : dirs.slice(0, depth + 1)
  const root = dirsNearestFirst.at(-1)!
  return { root, realRoot: world.files.realPath(root), dirsNearestFirst }
}

function* ancestors(world: World, from: string): Generator<string> {
  for (let dir = from; ; dir = world.paths.dirname(dir)) {
    yield dir
    if (world.paths.dirname(dir) === dir) return
  }
}

/** The folders of Plugboard itself. */
export interface OurDirs {
  readonly config: string
  readonly state: string
  readonly cache: string
  /** The user's own files for one project, outside of it. */
  readonly local: string
  /** The organisation's folder. The environment never moves it, because the user controls the environment. */
  readonly managed: string
}

export function findOurDirs(world: World, project: Project): OurDirs {
  const { join, basename } = world.paths
  const moved = absoluteOr(world, world.env['PLUGBOARD_HOME'])
  const xdg = (name: string, ...fallback: string[]): string =>
    join(absoluteOr(world, world.env[name]) ?? join(world.home, ...fallback), 'plugboard')
  const config = moved ?? xdg('XDG_CONFIG_HOME', '.config')
  const name = basename(project.realRoot).replace(/[^A-Za-z0-9_.-]+/g, '-') || 'root'
  return {
    config,
    state: stateFolderOf(world),
    cache: moved === undefined ? xdg('XDG_CACHE_HOME', '.cache') : join(moved, 'cache'),
    local: join(config, 'projects', `${name}-${sha256(project.realRoot).slice(0, 12)}`),
    managed: {
      linux: '/etc/plugboard',
      darwin: '/Library/Application Support/Plugboard',
      win32: 'C:\\ProgramData\\Plugboard',
    }[world.platform],
  }
}

/**
 * The XDG specification says that programs must ignore a relative path. Plugboard ignores every folder of the user's
 * that is not absolute, also an empty one: it would depend on the current folder, which may be any repository.
 */
export function absoluteOr(world: World, path: string | undefined): string | undefined {
  return path !== undefined && world.paths.isAbsolute(path) ? world.paths.resolve(path) : undefined
}

/** Other programs write Windows paths with either slash, and paths with or without a slash at the end. */
export function toComparable({ platform }: World, path: string): string {
  const slashed = platform === 'win32' ? path.replaceAll('\\', '/').toLowerCase() : path
  return slashed.replace(/(?<=.)\/$/, '')
}

/**
 * A path below a folder, with `/` between its parts on every platform. Both arguments must be clean. `join` would also
 * tidy them, but takes a noticeable part of a short run.
 */
export function below({ paths }: Pick<World, 'paths'>, folder: string, path: string): string {
  const { sep } = paths
  const start = folder.endsWith(sep) ? folder : folder + sep
  return start + (sep === '/' ? path : path.replaceAll('/', sep))
}
