#!/usr/bin/env node
/**
 * bin: what `plugboard` starts. A command that a running gateway can carry out is handed to it; everything else is
 * imported once Node keeps what it compiles.
 */
import { bridgeGateway } from './world/node/bridge.ts'
import { keepCompiledCode } from './world/node/compile-cache.ts'
import { visitGateway } from './world/node/visit.ts'
import { canBridge, canVisit } from './world/visit.ts'

/** Put in by the build. The underscores say that it is no variable. */
// oxlint-disable-next-line no-underscore-dangle
declare const __PLUGBOARD_VERSION__: string | undefined

const version = typeof __PLUGBOARD_VERSION__ === 'undefined' ? '0.0.0-dev' : __PLUGBOARD_VERSION__

keepCompiledCode()
const argv = process.argv.slice(2)
if (canVisit(argv)) visitGateway({ argv, version }, runHere)
else if (canBridge(argv)) bridgeGateway(version, runHere)
else runHere()

function runHere(): void {
  void import('./command.ts').then(({ runCommand }) => runCommand(argv, version))
}
