/**
 * path-watch: reports that something may have changed at one of these paths.
 *
 * in     paths of files and folders, whether they exist or not
 * out    a call for every event that may concern them, and a call at intervals where the system reports no events
 * never  watches a file itself: editors replace files, and a watch on the old file reports nothing more; keeps the
 *        process alive
 *
 * A path is resolved one name after the other, each in a folder, and links lead to more names. A change at the path
 * changes at least one of these lookups. So each folder is watched for the names that are looked up in it.
 */
import { lstatSync, readlinkSync, statSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { WatchedPaths } from '../world.ts'

/**
 * Network drives, bind mounts and unreadable folders may report no events, without an error. So every path is also
 * checked at this interval.
 */
const SELDOM_MS = 5000

/** Where the system can give no more watches, polling is the only way. */
const OFTEN_MS = 500

/** The delay between an event and a new search for folders: a folder is often made together with its content. */
const SETTLE_MS = 20

const MAX_LINKS = 40

/** Names that matter in a folder; `all` for a folder that was listed. */
type Names = Set<string> | 'all'

interface Watched {
  names: Names
  /** Tells this folder from a later one at the same path. */
  readonly id: string
  readonly watcher: FSWatcher
}

export class PathWatch {
  readonly #paths: WatchedPaths
  readonly #onTouched: () => void
  readonly #folders = new Map<string, Watched>()
  #settling: NodeJS.Timeout | undefined
  #looking: NodeJS.Timeout | undefined
  #everyMs = 0
  #isClosed = false

  constructor(paths: WatchedPaths, onTouched: () => void) {
    this.#paths = paths
    this.#onTouched = onTouched
    this.#settle()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#settling)
    clearInterval(this.#looking)
    for (const { watcher } of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  #touch(folder: string, name: string | null): void {
    const names = this.#folders.get(folder)?.names
    if (names === undefined) return
    // The folder's own name: the folder itself was moved or removed. No name: some systems give none.
    const isOurs = name === null || names === 'all' || names.has(name) || name === basename(folder)
    if (!isOurs) return
    this.#onTouched()
    this.#settleSoon()
  }

  #settleSoon(): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined
      // A folder that was not watched before may have changed already.
      if (this.#settle()) this.#onTouched()
    }, SETTLE_MS).unref()
  }

  /** Watches the folders that matter now and no others. Says whether the set has changed. */
  #settle(): boolean {
    if (this.#isClosed) return false
    const wanted = findLookups(this.#paths)
    let isOther = false
    let isBlind = false
    for (const [folder, { watcher, id }] of this.#folders) {
      if (wanted.has(folder) && idOf(folder) === id) continue
      watcher.close()
      this.#folders.delete(folder)
      isOther = true
    }
    for (const [folder, names] of wanted) {
      const before = this.#folders.get(folder)
      if (before !== undefined) {
        before.names = names
        continue
      }
      const opened = this.#open(folder, names)
      if (opened === 'blind') isBlind = true
      else if (opened === 'watching') isOther = true
    }
    this.#lookEvery(isBlind ? OFTEN_MS : SELDOM_MS)
    return isOther
  }

  #open(folder: string, names: Names): 'watching' | 'blind' | 'unseen' {
    try {
      const id = idOf(folder)
      const watcher = watch(folder, { persistent: false }, (_, name) => this.#touch(folder, name))
      // On Windows, removing the folder is an error event. Whatever the error is, this watch is over.
      watcher.on('error', () => {
        watcher.close()
        if (this.#folders.get(folder)?.watcher === watcher) this.#folders.delete(folder)
        this.#onTouched()
        this.#settleSoon()
      })
      this.#folders.set(folder, { names, id, watcher })
      return 'watching'
    } catch (error) {
      // The folder is gone again, or not readable for this user, which is usual above a home: seldom polling is enough.
      // Any other error, such as too many watches, concerns every folder.
      const { code = '' } = error as NodeJS.ErrnoException
      return ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(code) ? 'unseen' : 'blind'
    }
  }

  #lookEvery(ms: number): void {
    if (ms === this.#everyMs) return
    this.#everyMs = ms
    clearInterval(this.#looking)
    this.#looking = setInterval(() => {
      this.#onTouched()
      this.#settleSoon()
    }, ms).unref()
  }
}

/** Which names are looked up in which folder to reach these paths at the moment. */
export function findLookups({ files, folders }: WatchedPaths): Map<string, Names> {
  const found = new Map<string, Names>()
  const reached = new Map<string, string | undefined>()

  const note = (folder: string, name: string): void => {
    const names = found.get(folder)
    if (names === undefined) found.set(folder, new Set([name]))
    else if (names !== 'all') names.add(name)
  }

  /** The path without links; undefined when nothing is there. */
  const reach = (path: string, links: number): string | undefined => {
    if (reached.has(path)) return reached.get(path)
    const parent = dirname(path)
    if (parent === path) return path
    const folder = reach(parent, links)
    const end = folder === undefined ? undefined : lookUp(folder, basename(path), links)
    reached.set(path, end)
    return end
  }

  const lookUp = (folder: string, name: string, links: number): string | undefined => {
    note(folder, name)
    const path = join(folder, name)
    const target = linkAt(path)
    if (target === 'missing') return undefined
    if (target === 'no link') return path
    return links >= MAX_LINKS ? undefined : reach(resolve(folder, target.to), links + 1)
  }

  for (const file of files) reach(resolve(file), 0)
  for (const folder of folders) {
    const end = reach(resolve(folder), 0)
    if (end !== undefined) found.set(end, 'all')
  }
  return found
}

function linkAt(path: string): { readonly to: string } | 'missing' | 'no link' {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return 'missing'
    return stats.isSymbolicLink() ? { to: readlinkSync(path) } : 'no link'
  } catch {
    return 'missing' // its folder is a file, or not searchable: nothing can be reached through it
  }
}

function idOf(folder: string): string {
  try {
    const { dev, ino } = statSync(folder)
    return `${dev}:${ino}`
  } catch {
    return '' // missing, or not accessible: in any case not the folder from before
  }
}
