/**
 * untrusted-folder: which paths lead into a folder that its user does not trust, and an environment that does not.
 *
 * A folder can be reached by several names: links, the case of letters. Paths are compared as they are written and as
 * they really are.
 */
import { isInside } from './is-inside.ts'
import type { Env, World } from './world.ts'

/** `names`: the folder as it is reached, and its real path. Empty: everything of its user is in it, so no path says much. */
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
