/** paths: `node:path` in the style of the platform. */
import { posix, win32 } from 'node:path'
import type { Paths, Platform } from '../world.ts'

export function pathsOf(platform: Platform): Paths {
  return platform === 'win32' ? win32 : posix
}
