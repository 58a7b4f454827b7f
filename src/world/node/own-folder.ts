/**
 * own-folder: whether a folder with a socket in it is this user's, and nobody else's.
 *
 * For whoever connects, as for whoever listens: a socket may have to be where everybody can make folders, and what a
 * visitor says first is its whole environment.
 */
import { lstatSync, type Stats } from 'node:fs'

/** False also when there is none. Not through a link: what it leads to could be another a moment later. */
export function isOwnFolder(folder: string): boolean {
  return isOwn(look(folder))
}

/** Where others can do nothing, not even look. */
export function isPrivateFolder(folder: string): boolean {
  const stats = look(folder)
  return isOwn(stats) && (process.getuid === undefined || (stats!.mode & 0o077) === 0)
}

function isOwn(stats: Stats | undefined): boolean {
  const own = process.getuid?.()
  return stats?.isDirectory() === true && (own === undefined || stats.uid === own)
}

function look(folder: string): Stats | undefined {
  try {
    return lstatSync(folder, { throwIfNoEntry: false })
  } catch {
    return undefined // a part of its path is a file, or may not be looked into: no folder that could be used
  }
}
