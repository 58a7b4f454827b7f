#!/usr/bin/env node
/**
 * launch: what `plugboard` starts. Hands the bundle to V8 together with the code it compiled last time, which takes a
 * third off every start; Node 20 has no cache of its own for this.
 *
 * in     plugboard.cjs beside this file, and its cache, made by the build for one version of Node
 * never  trusts a cache from elsewhere: it stands beside the code, as trusted and as writable as that
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'

const bundle = join(__dirname, 'plugboard.cjs')
const cacheFile = join(__dirname, `plugboard-${process.version}-${process.arch}.cache`)

const cachedData = readCache()
const script = new Script(readFileSync(bundle, 'utf8'), {
  filename: bundle,
  ...(cachedData === undefined ? {} : { cachedData }),
})
const main = script.runInThisContext() as (require: NodeJS.Require) => void
main(require)

// A command, and not `--version`: the cache is to hold what commands need.
const isCommand = /^[a-z]/.test(process.argv[2] ?? '')
if (isCommand && (cachedData === undefined || script.cachedDataRejected === true))
  process.on('exit', writeCache)

function readCache(): Buffer | undefined {
  try {
    return readFileSync(cacheFile)
  } catch {
    return undefined // another version of Node than the build's: the first command makes it
  }
}

function writeCache(): void {
  const draft = `${cacheFile}.${process.pid}`
  try {
    writeFileSync(draft, script.createCachedData())
    renameSync(draft, cacheFile)
  } catch {
    return // installed where this user cannot write: every start compiles, and all else works
  }
}
