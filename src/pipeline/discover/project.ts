/**
 * project: which folder is the project, and where our own files for it are.
 */
import { sha256 } from '../../base/sha256.ts'
import type { Project } from '../../model/project.ts'
import { cacheFolderOf, stateFolderOf } from '../../world/gateway-place.ts'
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
  /** The organisation's; never moved by the environment, because the environment is the user's. */
  readonly managed: string
}

export function findOurDirs(world: World, project: Project): OurDirs {
  const { join, basename } = world.paths
  const moved = absoluteOr(world, world.env['PLUGBOARD_HOME'])
  const xdg = absoluteOr(world, world.env['XDG_CONFIG_HOME'])
  const config = moved ?? join(xdg ?? join(world.home, '.config'), 'plugboard')
  const name = basename(project.realRoot).replace(/[^A-Za-z0-9_.-]+/g, '-') || 'root'
  return {
    config,
    state: stateFolderOf(world),
    cache: cacheFolderOf(world),
    local: join(config, 'projects', `${name}-${sha256(project.realRoot).slice(0, 12)}`),
    managed: {
      linux: '/etc/plugboard',
      darwin: '/Library/Application Support/Plugboard',
      win32: 'C:\\ProgramData\\Plugboard',
    }[world.platform],
  }
}

/**
 * The XDG specification says that a relative path is to be ignored. So is any other folder of the user's that is not
 * absolute, the empty one too: it would lead into whatever repository one is in.
 */
export function absoluteOr(world: World, path: string | undefined): string | undefined {
  return path !== undefined && world.paths.isAbsolute(path) ? world.paths.resolve(path) : undefined
}

/** Other programs write Windows paths with either slash, and any path with or without one at its end. */
export function toComparable({ platform }: World, path: string): string {
  const slashed = platform === 'win32' ? path.replaceAll('\\', '/').toLowerCase() : path
  return slashed.replace(/(?<=.)\/$/, '')
}

/**
 * A path below a folder, with `/` between its parts on every platform. Both must be clean: unlike `join`, which takes a
 * noticeable part of a short run, this tidies nothing up.
 */
export function below({ paths }: Pick<World, 'paths'>, folder: string, path: string): string {
  const { sep } = paths
  const start = folder.endsWith(sep) ? folder : folder + sep
  return start + (sep === '/' ? path : path.replaceAll('/', sep))
}
