#!/usr/bin/env node
/**
 * launch: what `plugboard` starts. Hands each bundle to V8 together with the code it compiled last time, which takes a
 * third off every start; Node 20 has no cache of its own for this.
 *
 * in     our bundles beside this file, and their caches, made by the build for one version of Node; one for each of the
 *        commands that are run most, since all of a cache is read before the first line of code runs
 * never  trusts a cache from elsewhere: it stands beside the code, as trusted and as writable as that
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { Script } from 'node:vm'
import { canBridge, canVisit } from '../visit.ts'
import { bridgeGateway } from './bridge.ts'
import { visitGateway } from './visit.ts'

/** Put in by the build. The underscores say that it is no variable. */
// oxlint-disable-next-line no-underscore-dangle
declare const __PLUGBOARD_VERSION__: string

type Bundle = (exports: object, require: (id: string) => unknown, module: { exports: object }) => void

const loaded = new Map<string, { exports: object }>()

const purpose = purposeOf(process.argv[2], process.argv)

const argv = process.argv.slice(2)
const alone = (): void => void load('plugboard')
if (canVisit(argv)) visitGateway({ argv, version: __PLUGBOARD_VERSION__ }, alone)
else if (canBridge(argv)) bridgeGateway(__PLUGBOARD_VERSION__, alone)
else alone()

function purposeOf(command: string | undefined, line: readonly string[]): string {
  if (command === undefined) return 'any'
  if (command.startsWith('-')) return 'flags'
  if (command === 'list') return line.includes('--check') ? 'check' : 'list'
  return command === 'call' ? 'call' : 'any'
}

function load(name: string): object {
  const known = loaded.get(name)
  if (known !== undefined) return known.exports
  const module = { exports: {} }
  loaded.set(name, module)
  compile(name)(module.exports, requireFrom, module)
  return module.exports
}

/** Bundles of ours are loaded here, everything else is Node's. */
function requireFrom(id: string): unknown {
  const ours = /^\.\/([\w-]+)\.cjs$/.exec(id)
  return ours === null ? require(id) : load(ours[1]!)
}

function compile(name: string): Bundle {
  const filename = `${__dirname}/${name}.cjs`
  const cacheFile = `${__dirname}/${name}-${purpose}-${process.version}-${process.arch}.cache`
  const cachedData = readCache(cacheFile)
  // The build writes ASCII: read in one go, and a byte for each character.
  const script = new Script(readFileSync(filename, 'latin1'), {
    filename,
    ...(cachedData === undefined ? {} : { cachedData }),
  })
  if (cachedData === undefined || script.cachedDataRejected === true)
    process.on('exit', () => writeCache(cacheFile, script))
  return script.runInThisContext() as Bundle
}

function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined // another version of Node than the build's: the first command makes it
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
