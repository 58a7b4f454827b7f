#!/usr/bin/env node
/**
 * launch: the entry of `plugboard`. It hands the command to V8 with its code cache, which makes every start a third
 * shorter. Each of the commands that run most has a cache of its own.
 */
import { canBridge, canVisit } from '../visit.ts'
import { bridgeGateway } from './bridge.ts'
import { createBundles, hasRoom } from './bundles.ts'
import { visitGateway } from './visit.ts'

/** The build puts it in. The underscores mark it as a constant of the build, not a variable. */
// oxlint-disable-next-line no-underscore-dangle
declare const __PLUGBOARD_VERSION__: string

/** One cache for each purpose, set of flags and version of Node. Caches of other bundles count as well. */
const CACHES = { prefix: 'plugboard-', most: 40 }

const argv = process.argv.slice(2)
if (canVisit(argv)) visitGateway({ argv, version: __PLUGBOARD_VERSION__ }, alone)
else if (canBridge(argv)) bridgeGateway(__PLUGBOARD_VERSION__, alone)
else alone()

function alone(): void {
  const flags = findFlags()
  createBundles({
    folder: __dirname,
    version: __PLUGBOARD_VERSION__,
    purpose: purposeOf(process.argv[2], process.argv),
    flags,
    require,
    mayKeep: () => flags === undefined || hasRoom(__dirname, CACHES),
  }).load('plugboard')
}

function purposeOf(command: string | undefined, line: readonly string[]): string {
  if (command === undefined) return 'any'
  if (command.startsWith('-')) return 'flags'
  if (command === 'list') return line.includes('--check') ? 'check' : 'list'
  return command === 'call' ? 'call' : 'any'
}

/** Most flags are not V8's, but only V8 knows which. Without any flag V8 is not asked, which saves a millisecond. */
function findFlags(): number | undefined {
  const isPlain = process.execArgv.length === 0 && (process.env['NODE_OPTIONS'] ?? '') === ''
  return isPlain ? undefined : process.getBuiltinModule('node:v8').cachedDataVersionTag()
}
