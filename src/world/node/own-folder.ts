/**
 * own-folder: whether a folder with a socket in it belongs to this user alone.
 *
 * Clients and gateways both check it. A socket may have to be where every user can make folders, and the first message
 * of a client holds its whole environment.
 */
import { lstatSync, type Stats } from 'node:fs'

/** False also when it is missing. A link is refused: its target could change a moment later. */
export function isOwnFolder(folder: string): boolean {
  return isOwn(look(folder))
}

/** Whether other users have no rights there, not even to list it. */
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
    return undefined // a part of its path is a file, or not searchable: the folder cannot be used
  }
}
