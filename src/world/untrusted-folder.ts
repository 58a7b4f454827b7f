/**
 * untrusted-folder: which paths lead into a folder that its user does not trust, and an environment without them.
 *
 * A folder can be reached by several names: links, upper and lower case. Paths are compared as written and as real
 * paths.
 */
import { isInside } from './is-inside.ts'
import type { Env, World } from './world.ts'

/**
 * `names`: the folder as it is reached, and its real path. Empty: it holds everything of its user, so a path in it says
 * nothing.
 */
export interface UntrustedFolder {
  readonly names: readonly string[]
}

export type Outside = Pick<World, 'paths' | 'files' | 'env'>

export function leadsInto({ names }: UntrustedFolder, path: string, { paths, files }: Outside): boolean {
  if (!paths.isAbsolute(path)) return false
  return [path, files.realPath(path)].some((one) => names.some((name) => isInside(paths, name, one)))
}

/** `npx plugboard` in a repository puts its `node_modules/.bin` before everything else. */
export function envWithout(folder: UntrustedFolder, world: Outside): Env {
  const { env, paths } = world
  const [base] = folder.names
  if (base === undefined) return env
  const isOutside = (part: string): boolean => !leadsInto(folder, paths.resolve(base, part), world)
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      name.toUpperCase() === 'PATH' && value !== undefined
        ? value.split(paths.delimiter).filter(isOutside).join(paths.delimiter)
        : value,
    ]),
  )
}
