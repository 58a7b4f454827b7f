/**
 * obstacle: finds what prevents Plugboard from making a folder, or writing files in it.
 *
 * in     a folder, which need not exist
 * out    the first thing on its path that is in the way; undefined when nothing is
 * never  makes or changes anything, so only a write notices a full disk
 */
import { accessSync, constants, lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Obstacle } from '../world.ts'

export function findObstacle(folder: string): Obstacle | undefined {
  const found = look(folder)
  if (found === 'folder') return findBarrier(folder)
  if (found === 'other') return { kind: 'no-folder', path: folder }
  // Missing, or behind an obstacle: the folder above says which.
  const above = dirname(folder)
  return above === folder ? undefined : findObstacle(above)
}

function look(path: string): 'folder' | 'other' | 'unseen' {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats !== undefined) return stats.isDirectory() ? 'folder' : 'other'
    // A dangling link: no folder can be made in its place.
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? 'unseen' : 'other'
  } catch (error) {
    return codeOf(error) === 'ELOOP' ? 'other' : 'unseen'
  }
}

/** Files in a folder can be reached only with the right to search it. */
function findBarrier(folder: string): Obstacle | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return { kind: codeOf(error) === 'EROFS' ? 'read-only-disk' : 'denied', path: folder }
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
