/**
 * bundles: our own scripts, each handed to V8 together with the code that it compiled last time. Node 20 has no cache of
 * its own for this, and that of later versions holds nothing of what runs after the load.
 *
 * in     the folder of the build, where the caches are, too; for what it is loaded: each purpose has caches of its own,
 *        since all of a cache is read before the first line of code runs
 * out    what a bundle exports
 * never  trusts a cache from elsewhere: it stands beside the code, as trusted and as writable as that
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { Script } from 'node:vm'

export interface BundlesOptions {
  readonly folder: string
  readonly purpose: string
  /** For what is Node's, or installed. */
  readonly require: (id: string) => unknown
  /** Asked at the end of a process that found no cache: whether what has run in it is worth keeping. Default: yes. */
  readonly isWarm?: (() => boolean) | undefined
}

export interface Bundles {
  load(name: string): object
}

type Bundle = (exports: object, require: (id: string) => unknown, module: { exports: object }) => void

export function createBundles({ folder, purpose, require, isWarm = () => true }: BundlesOptions): Bundles {
  const loaded = new Map<string, { exports: object }>()

  const load = (name: string): object => {
    const known = loaded.get(name)
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    loaded.set(name, module)
    const cacheFile = `${folder}/${name}-${purpose}-${process.version}-${process.arch}.cache`
    const { script, isKnown } = compile(`${folder}/${name}.cjs`, cacheFile)
    if (!isKnown) process.on('exit', () => isWarm() && writeCache(cacheFile, script))
    const run = script.runInThisContext() as Bundle
    run(module.exports, requireFrom, module)
    return module.exports
  }

  const requireFrom = (id: string): unknown => {
    const ours = /^\.\/([\w-]+)\.cjs$/.exec(id)
    return ours === null ? require(id) : load(ours[1]!)
  }

  return { load }
}

function compile(
  filename: string,
  cacheFile: string,
): { readonly script: Script; readonly isKnown: boolean } {
  const cachedData = readCache(cacheFile)
  // The build writes ASCII: read in one go, and a byte for each character.
  const script = new Script(readFileSync(filename, 'latin1'), {
    filename,
    ...(cachedData === undefined ? {} : { cachedData }),
  })
  return { script, isKnown: cachedData !== undefined && script.cachedDataRejected !== true }
}

function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined // another version of Node than the build's: the first process makes it
  }
}

function writeCache(file: string, script: Script): void {
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, script.createCachedData())
    renameSync(draft, file)
  } catch {
    return // installed where this user cannot write: every start compiles, and all else works
  }
}
