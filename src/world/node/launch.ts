#!/usr/bin/env node
/**
 * launch: what `plugboard` starts. Hands the command to V8 with its code cache, which takes a third off every start; one
 * for each of the commands that are run most.
 */
import { canBridge, canVisit } from '../visit.ts'
import { bridgeGateway } from './bridge.ts'
import { createBundles } from './bundles.ts'
import { visitGateway } from './visit.ts'

/** Put in by the build. The underscores say that it is no variable. */
// oxlint-disable-next-line no-underscore-dangle
declare const __PLUGBOARD_VERSION__: string

const argv = process.argv.slice(2)
const purpose = purposeOf(process.argv[2], process.argv)
const alone = (): void =>
  void createBundles({ folder: __dirname, version: __PLUGBOARD_VERSION__, purpose, require }).load(
    'plugboard',
  )
if (canVisit(argv)) visitGateway({ argv, version: __PLUGBOARD_VERSION__ }, alone)
else if (canBridge(argv)) bridgeGateway(__PLUGBOARD_VERSION__, alone)
else alone()

function purposeOf(command: string | undefined, line: readonly string[]): string {
  if (command === undefined) return 'any'
  if (command.startsWith('-')) return 'flags'
  if (command === 'list') return line.includes('--check') ? 'check' : 'list'
  return command === 'call' ? 'call' : 'any'
}
