/**
 * paths: `node:path` in the flavour of the platform.
 *
 * `join` of Node goes over every character, in code that is compiled when it is first asked; a short run joins a hundred
 * clean paths, and of those the plain text is the answer.
 */
import { posix, win32 } from 'node:path'
import type { Paths, Platform } from '../world.ts'

export function pathsOf(platform: Platform): Paths {
  return platform === 'win32' ? win32 : { ...posix, join: joinPosix }
}

function joinPosix(first: string, ...rest: string[]): string {
  const path = `${first}/${rest.join('/')}`
  return first.startsWith('/') && isClean(path) ? path : posix.join(first, ...rest)
}

/** Nothing in it to tidy up. */
function isClean(path: string): boolean {
  const isOdd = path.includes('//') || path.includes('/./') || path.includes('/../')
  return !isOdd && !/\/\.{0,2}$/.test(path)
}
