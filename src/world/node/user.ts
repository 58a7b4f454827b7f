/**
 * user: whose process this is, as far as the environment says.
 */
import type { PlaceQuestion } from '../gateway-place.ts'
import type { Paths, Platform } from '../world.ts'
import { pathsOf } from './paths.ts'

/** Undefined without a usable home in the environment. */
export function findUser(): PlaceQuestion | undefined {
  const platform = toPlatform(process.platform)
  const paths = pathsOf(platform)
  const home = homeIn(process.env, paths)
  return home === undefined ? undefined : { platform, env: process.env, home, paths }
}

/** A relative one would make the user's own folder of whatever repository one is in. */
export function homeIn(
  env: NodeJS.ProcessEnv,
  { isAbsolute }: Pick<Paths, 'isAbsolute'>,
): string | undefined {
  const home = env[process.platform === 'win32' ? 'USERPROFILE' : 'HOME']
  return home !== undefined && isAbsolute(home) ? home : undefined
}

/** Other systems follow the rules of Linux. */
export function toPlatform(name: NodeJS.Platform): Platform {
  return name === 'win32' || name === 'darwin' ? name : 'linux'
}
