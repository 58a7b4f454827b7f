/**
 * catalog-loader: loads catalogs, keeps the last readable state of each file, and reports when a new load would differ.
 *
 * in     a way to load, and a world
 * out    catalogs; while it watches, a new one soon after a file changed
 * never  remembers more than needed before it watches; loads twice at once; holds anything open after `close`
 */
import { Turns } from '../base/turns.ts'
import { createReadings, type Readings } from '../model/readings.ts'
import type { World } from '../world/world.ts'
import { recordFiles, type FileRecord } from './file-record.ts'
import type { LoadedCatalog } from './load-catalog.ts'

/** Reads the files. Must not reject because of what they say. */
export type Load = (how: LoadHow) => Promise<LoadedCatalog>

export interface LoadHow {
  /** The world to read from. It may record the questions of the load. */
  readonly world: World
  readonly readings: Readings
  /** Set when no caller asked for new connectors: two processes that watch each other's copies would fetch for ever. */
  readonly connectors?: 'cached'
  /** The option of the same name of `loadCatalog`. */
  readonly ownOrigins?: ReadonlySet<string>
}

export interface Reloaded {
  readonly loaded: LoadedCatalog
  /** The files that changed. */
  readonly files: readonly string[]
}

/** After this long without an event, the writer counts as done. */
const QUIET_MS = 100

/** Events without end delay a load no longer than this. */
const LONGEST_MS = 500

/** A file that is empty or gone is usually about to be written. */
const GRACE_MS = 300

export interface LoaderOptions {
  /** The owner will call `watch`. */
  readonly isWatched?: boolean
  /** Files that no load reads, but whose changes count, too. */
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

  /** The catalog given to `use` stays the newest until `use` ends. */
  load<T>(use: (loaded: LoadedCatalog) => T | Promise<T>): Promise<T> {
    return this.#turns.take(async () => use(await this.#read({})))
  }

  /**
   * From now on `onReload` gets every catalog that differs. Catalogs from `load` are not reported. Call it only after a
   * `load`, and only with `isWatched`.
   */
  watch(onReload: (reloaded: Reloaded) => void | Promise<void>): Promise<void> {
    const watching: Watching = { onReload, stop: () => undefined, isPatient: true }
    this.#watching = watching
    return this.#turns.take(() => this.#follow(watching))
  }

  /**
   * Changes before this call count when it resolves, whether or not the watcher has noticed them. Only while it
   * watches.
   */
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

  /** Watches the files that the last load read, and checks them once: they may have changed before. */
  async #follow(watching: Watching): Promise<void> {
    const paths = this.#record!.paths()
    const key = JSON.stringify(paths)
    if (watching.paths !== key) {
      const stop = await this.#world.files.watch(paths, () => this.#touch(watching))
      watching.stop()
      watching.stop = stop
      watching.paths = key
      // The loader was closed while the system set up the watch.
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
  /** The paths that are watched now. */
  paths?: string
  /** The time of the first event that was not handled yet. */
  since?: number
  cancel?: () => void
  /** Whether the loader may still wait for a file that is gone. */
  isPatient: boolean
}
