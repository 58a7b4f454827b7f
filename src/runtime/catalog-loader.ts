/**
 * catalog-loader: loads, remembers what files said when they could last be read, and tells when loading again would come
 * to something else.
 *
 * in     a way to load, and a world
 * out    catalogs; while it watches, a new one soon after a file changed
 * never  remembers more than it must before it is asked to watch, loads twice at once, or holds anything open after `close`
 */
import { Turns } from '../base/turns.ts'
import { createReadings, type Readings } from '../model/readings.ts'
import type { World } from '../world/world.ts'
import { recordFiles, type FileRecord } from './file-record.ts'
import type { LoadedCatalog } from './load-catalog.ts'

/** Reads the files. Must not reject because of what they say. */
export type Load = (how: LoadHow) => Promise<LoadedCatalog>

export interface LoadHow {
  /** The one to read from: it may remember what it was asked. */
  readonly world: World
  readonly readings: Readings
  /** Set where nobody asked for new ones: two processes that watch each other's copies would fetch for ever. */
  readonly connectors?: 'cached'
  /** As an option of `loadCatalog`. */
  readonly ownOrigins?: ReadonlySet<string>
}

export interface Reloaded {
  readonly loaded: LoadedCatalog
  /** What was other than before. */
  readonly files: readonly string[]
}

/** No event for so long, and whoever writes is taken to be done. */
const QUIET_MS = 100

/** Events without end are not waited out. */
const LONGEST_MS = 500

/** A file that is empty or gone is mostly about to be written. */
const GRACE_MS = 300

export interface LoaderOptions {
  /** `watch` will be called. */
  readonly isWatched?: boolean
  /** Files that no load reads, and whose changes are to be told all the same. */
  readonly also?: (loaded: LoadedCatalog) => readonly string[]
}

export class CatalogLoader {
  readonly #world: World
  readonly #load: Load
  readonly #options: LoaderOptions
  readonly #readings = createReadings()
  readonly #turns = new Turns()
  #record: FileRecord | undefined
  #watching: Watching | undefined

  constructor(world: World, load: Load, options: LoaderOptions = {}) {
    this.#world = world
    this.#load = load
    this.#options = options
  }

  /** What is given to `use` is the newest there is until it is done. */
  load<T>(use: (loaded: LoadedCatalog) => T | Promise<T>): Promise<T> {
    return this.#turns.take(async () => use(await this.#read({})))
  }

  /**
   * From now on `onReload` gets every catalog that is another one; one that a `load` came to is not told. Only after a
   * `load`, by a loader that `isWatched`.
   */
  watch(onReload: (reloaded: Reloaded) => void | Promise<void>): Promise<void> {
    const watching: Watching = { onReload, stop: () => undefined, isPatient: true }
    this.#watching = watching
    return this.#turns.take(() => this.#follow(watching))
  }

  /** What changed before now counts from now on, whether or not whoever watches has noticed. Only while it watches. */
  catchUp(): Promise<void> {
    const watching = this.#watching
    if (watching === undefined) return Promise.resolve()
    return this.#turns.take(async () => {
      watching.isPatient = false
      await this.#look(watching)
      watching.isPatient = true
    })
  }

  close(): void {
    const watching = this.#watching
    this.#watching = undefined
    watching?.stop()
    watching?.cancel?.()
  }

  async #read(how: Pick<LoadHow, 'connectors'>): Promise<LoadedCatalog> {
    const world = this.#world
    const record = this.#options.isWatched === true ? recordFiles(world.files) : undefined
    const seen = record === undefined ? world : { ...world, files: record.files }
    const loaded = await this.#load({ ...how, world: seen, readings: this.#readings })
    if (record === undefined) return loaded
    for (const file of this.#options.also?.(loaded) ?? []) record.files.read(file)
    this.#record = record
    if (this.#watching !== undefined) await this.#follow(this.#watching)
    return loaded
  }

  /** Watches what the last load has asked for, and looks once: it may have changed before. */
  async #follow(watching: Watching): Promise<void> {
    const paths = this.#record!.paths()
    const key = JSON.stringify(paths)
    if (watching.paths !== key) {
      const stop = await this.#world.files.watch(paths, () => this.#touch(watching))
      watching.stop()
      watching.stop = stop
      watching.paths = key
      // Closed while the system was asked.
      if (this.#watching !== watching) stop()
    }
    if (this.#watching === watching && this.#record!.changes().length > 0) this.#touch(watching)
  }

  #touch(watching: Watching): void {
    if (this.#watching !== watching) return
    const now = this.#world.clock.now()
    watching.since ??= now
    this.#lookIn(watching, Math.max(0, Math.min(QUIET_MS, watching.since + LONGEST_MS - now)))
  }

  #lookIn(watching: Watching, ms: number): void {
    watching.cancel?.()
    watching.cancel = this.#world.clock.after(ms, () => {
      delete watching.since
      void this.#turns.take(() => this.#look(watching))
    })
  }

  async #look(watching: Watching): Promise<void> {
    if (this.#watching !== watching) return
    const changes = this.#record!.changes()
    if (changes.length === 0) return
    if (watching.isPatient && changes.some(({ isGone }) => isGone)) {
      watching.isPatient = false
      this.#lookIn(watching, GRACE_MS)
      return
    }
    watching.isPatient = true
    const loaded = await this.#read({ connectors: 'cached' })
    const files = changes.map(({ file }) => file)
    if (this.#watching === watching) await watching.onReload({ loaded, files })
  }
}

interface Watching {
  readonly onReload: (reloaded: Reloaded) => void | Promise<void>
  stop: () => void
  /** What is watched now. */
  paths?: string
  /** The first event that was not looked at yet. */
  since?: number
  cancel?: () => void
  /** Whether a file that is gone may still be waited for. */
  isPatient: boolean
}
