/**
 * path-watch: something may be other than it was at one of these paths.
 *
 * in     paths of files and folders, whether they exist or not
 * out    a call for every event that may concern them, and one now and then where nobody would tell
 * never  watches a file itself: editors replace files, and a watch on the old one hears nothing more; keeps the process open
 *
 * A path is reached by looking up one name after the other, each in a folder, and links lead to more of them. Whatever
 * changes what stands at the path changes one of these look-ups, so each folder is watched for the names looked up in it.
 */
import { lstatSync, readlinkSync, statSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { WatchedPaths } from '../world.ts'

/** Network drives, bind mounts and folders that may not be read tell nothing, and do not say so: every so often it is asked. */
const SELDOM_MS = 5000

/** Where the system has no watch to give, looking is all there is. */
const OFTEN_MS = 500

/** So long after an event it is looked at which folders there are now: a folder is often made along with what is in it. */
const SETTLE_MS = 20

const MAX_LINKS = 40

/** Names that matter in a folder; `all` for a folder that was listed. */
type Names = Set<string> | 'all'

interface Watched {
  names: Names
  /** Another folder may stand at the same path. */
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
    // Its own name: the folder itself was moved or removed. No name: some systems do not say.
    const isOurs = name === null || names === 'all' || names.has(name) || name === basename(folder)
    if (!isOurs) return
    this.#onTouched()
    this.#settleSoon()
  }

  #settleSoon(): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined
      // In a folder that is watched only from now on something may have happened before.
      if (this.#settle()) this.#onTouched()
    }, SETTLE_MS).unref()
  }

  /** Watches the folders that matter now and no others. Says whether these are others than before. */
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
      // Windows calls it an error when the folder is removed; whatever it is, this watch is over.
      watcher.on('error', () => {
        watcher.close()
        if (this.#folders.get(folder)?.watcher === watcher) this.#folders.delete(folder)
        this.#onTouched()
        this.#settleSoon()
      })
      this.#folders.set(folder, { names, id, watcher })
      return 'watching'
    } catch (error) {
      // Gone again, or not ours to read, which is usual for what is above a home: looking seldom does for those. Anything
      // else, such as too many watches, concerns every folder.
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

/** Which names are looked up in which folder to reach these paths, as things stand. */
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
    return 'missing' // its folder is a file, or may not be looked into: nothing can be reached through it
  }
}

function idOf(folder: string): string {
  try {
    const { dev, ino } = statSync(folder)
    return `${dev}:${ino}`
  } catch {
    return '' // not there, or not to be looked at: in any case not the one that was
  }
}
