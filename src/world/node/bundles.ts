/**
 * bundles: runs our own scripts, each with the code that V8 compiled last time. Node 20 has no cache of its own for
 * this. The cache of later versions holds no code that runs after the load.
 *
 * in     the folder of the build, where the caches are, too; the purpose of the load: each purpose has its own caches,
 *        since V8 reads a whole cache before the first line of code runs
 * out    what a bundle exports
 * never  trusts a cache from elsewhere: it stands beside the code, as trusted and as writable as the code
 */
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { Script } from 'node:vm'

export interface BundlesOptions {
  readonly folder: string
  /** The version of the package. V8 compares a script with its cache by its length alone. */
  readonly version: string
  readonly purpose: string
  /**
   * V8's hash of its flags, where there may be some. V8 accepts a cache only under the flags that it was made with. A
   * cache for these flags is used where there is one. A new one is written where there is none and the cache of the
   * purpose does not fit.
   */
  readonly flags?: number | undefined
  /** For modules of Node, and installed ones. */
  readonly require: (id: string) => unknown
  /** Whether a process that found no cache may write one. Default: yes. */
  readonly mayKeep?: (() => boolean) | undefined
}

export interface Bundles {
  load(name: string): object
  /**
   * Writes the caches that are missing. Without this call they are written when the process ends. By then V8 has
   * dropped what was not used for a while, and a process that a signal ends never writes them.
   */
  keep(): void
}

type Bundle = (exports: object, require: (id: string) => unknown, module: { exports: object }) => void

export function createBundles(options: BundlesOptions): Bundles {
  const { folder, version, purpose, flags, require, mayKeep = () => true } = options
  /** The places of a cache. A process that finds none writes to the first. */
  const kinds = flags === undefined ? [purpose] : [`${purpose}-${flags}`, purpose]
  const loaded = new Map<string, { exports: object }>()
  const uncached = new Map<string, Script>()

  let isListening = false

  const keep = (): void => {
    if (uncached.size === 0 || !mayKeep()) return
    for (const [file, script] of uncached) writeCache(file, script)
    uncached.clear()
  }

  const keepLater = (file: string, script: Script): void => {
    uncached.set(file, script)
    if (!isListening) process.on('exit', keep)
    isListening = true
  }

  const load = (name: string): object => {
    const known = loaded.get(name)
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    loaded.set(name, module)
    const cacheFiles = kinds.map(
      (kind) => `${folder}/${name}-${kind}-${version}-${process.version}-${process.arch}.cache`,
    )
    const { script, isCached } = compile(`${folder}/${name}.cjs`, cacheFiles)
    if (!isCached) keepLater(cacheFiles[0]!, script)
    const run = script.runInThisContext() as Bundle
    run(module.exports, requireFrom, module)
    return module.exports
  }

  const requireFrom = (id: string): unknown => {
    const ours = /^\.\/([\w-]+)\.cjs$/.exec(id)
    return ours === null ? require(id) : load(ours[1]!)
  }

  return { load, keep }
}

/**
 * Caches of hosts and terminals with many different flags share one folder, and nothing deletes them: so they are
 * limited.
 */
export function hasRoom(folder: string, { prefix, most }: { prefix: string; most: number }): boolean {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(prefix)).length < most
  } catch {
    return false // a process that may not list the folder must not write there
  }
}

function compile(
  filename: string,
  cacheFiles: readonly string[],
): { readonly script: Script; readonly isCached: boolean } {
  const cachedData = readFirst(cacheFiles)
  // The build writes ASCII: read at once, with one byte for a character.
  const script = new Script(readFileSync(filename, 'latin1'), {
    filename,
    ...(cachedData === undefined ? {} : { cachedData }),
  })
  return { script, isCached: cachedData !== undefined && script.cachedDataRejected !== true }
}

function readFirst(files: readonly string[]): Buffer | undefined {
  for (const file of files) {
    try {
      return readFileSync(file)
    } catch {
      // The flags or the version of Node differ from those of the build: the first process makes the cache.
    }
  }
  return undefined
}

/**
 * Writes all of it or nothing: V8 trusts what it finds, and a cache with a gap would crash every process that loads it.
 */
function writeCache(file: string, script: Script): void {
  const draft = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`
  const open = tryOpen(draft)
  if (open === undefined) return
  try {
    writeFileSync(open, script.createCachedData())
    fsyncSync(open)
    closeSync(open)
    renameSync(draft, file)
  } catch {
    // the disk is full, or something else has this name: treated as a file that cannot be opened
    rmSync(draft, { force: true })
  }
}

function tryOpen(draft: string): number | undefined {
  try {
    return openSync(draft, 'wx')
  } catch {
    return undefined // the user cannot write where the package is installed: every start compiles, and all else works
  }
}
