/**
 * own-folder: whether a folder with a socket in it is this user's, and nobody else's.
 *
 * For whoever connects, as for whoever listens: a socket may have to be where everybody can make folders, and what a
 * visitor says first is its whole environment.
 */
import { lstatSync } from 'node:fs'

/** False also when there is none. Not through a link: what it leads to could be another a moment later. */
export function isOwnFolder(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  const own = process.getuid?.()
  return stats?.isDirectory() === true && (own === undefined || stats.uid === own)
}

/** Where others can do nothing, not even look. */
export function isPrivateFolder(folder: string): boolean {
  return isOwnFolder(folder) && (process.getuid === undefined || (lstatSync(folder).mode & 0o077) === 0)
}
