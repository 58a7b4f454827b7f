/**
 * bundles: our own scripts, each handed to V8 together with the code that it compiled last time. Node 20 has no cache of
 * its own for this, and that of later versions holds nothing of what runs after the load.
 *
 * in     the folder of the build, where the caches are, too; for what it is loaded: each purpose has caches of its own,
 *        since all of a cache is read before the first line of code runs
 * out    what a bundle exports
 * never  trusts a cache from elsewhere: it stands beside the code, as trusted and as writable as that
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
  /** Of the package. V8 compares a script with its cache by its length alone. */
  readonly version: string
  readonly purpose: string
  /**
   * What V8 calls the flags that it runs under, where there may be some: it takes a cache only under those that it was made
   * with. One for just these is taken where there is one, and left where there is none and that of the purpose does not fit.
   */
  readonly flags?: number | undefined
  /** For what is Node's, or installed. */
  readonly require: (id: string) => unknown
  /** Asked of a process that found no cache: whether it may leave one. Default: yes. */
  readonly mayKeep?: (() => boolean) | undefined
}

export interface Bundles {
  load(name: string): object
  /**
   * Writes what has no cache yet. Without it that is left to the end of the process, when V8 has thrown away what was not
   * used for a while, and which never comes where a signal ends it.
   */
  keep(): void
}

type Bundle = (exports: object, require: (id: string) => unknown, module: { exports: object }) => void

export function createBundles(options: BundlesOptions): Bundles {
  const { folder, version, purpose, flags, require, mayKeep = () => true } = options
  /** Where a cache may be; the first is for those who find none. */
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

/** Caches of hosts and terminals with flags of all kinds, in one folder: nobody takes them away again. */
export function hasRoom(folder: string, { prefix, most }: { prefix: string; most: number }): boolean {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(prefix)).length < most
  } catch {
    return false // who may not look there is not to write there
  }
}

function compile(
  filename: string,
  cacheFiles: readonly string[],
): { readonly script: Script; readonly isCached: boolean } {
  const cachedData = readFirst(cacheFiles)
  // The build writes ASCII: read in one go, and a byte for each character.
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
      // Other flags, or another version of Node, than the build's: the first process makes it.
    }
  }
  return undefined
}

/** Whole, or not at all: V8 believes what it finds, and one with a hole in it would end every process that takes it. */
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
    rmSync(draft, { force: true }) // no room on the disk, or something else in its place: as if it could not be opened
  }
}

function tryOpen(draft: string): number | undefined {
  try {
    return openSync(draft, 'wx')
  } catch {
    return undefined // installed where this user cannot write: every start compiles, and all else works
  }
}
