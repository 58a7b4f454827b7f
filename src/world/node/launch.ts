#!/usr/bin/env node
/**
 * launch: what `plugboard` starts. Hands the command to V8 with its code cache, which takes a third off every start; one
 * for each of the commands that are run most.
 */
import { readdirSync } from 'node:fs'
import { canBridge, canVisit } from '../visit.ts'
import { bridgeGateway } from './bridge.ts'
import { createBundles } from './bundles.ts'
import { visitGateway } from './visit.ts'

/** Put in by the build. The underscores say that it is no variable. */
// oxlint-disable-next-line no-underscore-dangle
declare const __PLUGBOARD_VERSION__: string

/** Of all kinds, in one folder: those of the build, and of other flags and versions of Node. Nobody takes them away again. */
const MAX_CACHES = 100

const argv = process.argv.slice(2)
const flags = flagsOf(process.execArgv, process.env['NODE_OPTIONS'])
const alone = (): void =>
  void createBundles({
    folder: __dirname,
    version: __PLUGBOARD_VERSION__,
    purpose: purposeOf(process.argv[2], process.argv) + flags,
    require,
    isWarm: () => flags === '' || countCaches() < MAX_CACHES,
  }).load('plugboard')
if (canVisit(argv)) visitGateway({ argv, version: __PLUGBOARD_VERSION__ }, alone)
else if (canBridge(argv)) bridgeGateway(__PLUGBOARD_VERSION__, alone)
else alone()

function purposeOf(command: string | undefined, line: readonly string[]): string {
  if (command === undefined) return 'any'
  if (command.startsWith('-')) return 'flags'
  if (command === 'list') return line.includes('--check') ? 'check' : 'list'
  return command === 'call' ? 'call' : 'any'
}

/**
 * V8 takes a cache only under the flags that it was made with: without a name of its own, a terminal with flags and one
 * without would each throw away what the other has left.
 */
function flagsOf(given: readonly string[], options = ''): string {
  return [...given, options]
    .map((flag) => flag.replace(/\W+/g, '-'))
    .join('')
    .slice(0, 80)
}

function countCaches(): number {
  return readdirSync(__dirname).filter((name) => name.endsWith('.cache')).length
}
