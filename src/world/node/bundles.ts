/**
 * bundles: our own scripts, each handed to V8 together with the code that it compiled last time. Node 20 has no cache of
 * its own for this, and that of later versions holds nothing of what runs after the load.
 *
 * in     the folder of the build, where the caches are, too; for what it is loaded: each purpose has caches of its own,
 *        since all of a cache is read before the first line of code runs
 * out    what a bundle exports
 * never  trusts a cache from elsewhere: it stands beside the code, as trusted and as writable as that
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Script } from 'node:vm'

export interface BundlesOptions {
  readonly folder: string
  /** Of the package. V8 compares a script with its cache by its length alone. */
  readonly version: string
  readonly purpose: string
  /** For what is Node's, or installed. */
  readonly require: (id: string) => unknown
  /** Asked of a process that found no cache: whether what has run in it is worth keeping. Default: yes. */
  readonly isWarm?: (() => boolean) | undefined
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
  const { folder, version, purpose, require, isWarm = () => true } = options
  const loaded = new Map<string, { exports: object }>()
  const uncached = new Map<string, Script>()

  let isListening = false

  const keep = (): void => {
    if (uncached.size === 0 || !isWarm()) return
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
    const cacheFile = `${folder}/${name}-${purpose}-${version}-${process.version}-${process.arch}.cache`
    const { script, isCached } = compile(`${folder}/${name}.cjs`, cacheFile)
    if (!isCached) keepLater(cacheFile, script)
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

function compile(
  filename: string,
  cacheFile: string,
): { readonly script: Script; readonly isCached: boolean } {
  const cachedData = readCache(cacheFile)
  // The build writes ASCII: read in one go, and a byte for each character.
  const script = new Script(readFileSync(filename, 'latin1'), {
    filename,
    ...(cachedData === undefined ? {} : { cachedData }),
  })
  return { script, isCached: cachedData !== undefined && script.cachedDataRejected !== true }
}

function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined // another version of Node than the build's: the first process makes it
  }
}

/** Whole, or not at all: V8 believes what it finds, and one with a hole in it would end every process that takes it. */
function writeCache(file: string, script: Script): void {
  const draft = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`
  try {
    const open = openSync(draft, 'wx')
    writeFileSync(open, script.createCachedData())
    fsyncSync(open)
    closeSync(open)
    renameSync(draft, file)
  } catch {
    rmSync(draft, { force: true }) // installed where this user cannot write: every start compiles, and all else works
  }
}
