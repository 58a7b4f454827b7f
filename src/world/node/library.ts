/** library: the library as one script with its code cache, which stands beside the built form of this file. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { cachedDataVersionTag } from 'node:v8'
import { createBundles, hasRoom } from './bundles.ts'

/** The build puts it in. The underscores mark it as a constant of the build, not a variable. */
// oxlint-disable-next-line no-underscore-dangle
declare const __PLUGBOARD_VERSION__: string

/** For hosts with many different flags. */
const CACHES = { prefix: 'library-host-', most: 8 }

/**
 * Counted from the first board: after the work that a host does at once, and before V8 drops the code that it no longer
 * needs.
 */
const KEEP_AFTER_MS = 300

export interface LoadedLibrary {
  readonly exports: object
  /** A process that opened no board compiled too little: its cache would hardly help a process that opens one. */
  noteOpened(): void
}

export function loadLibrary(): LoadedLibrary {
  let hasOpened = false
  const folder = fileURLToPath(new URL('.', import.meta.url)).replace(/[/\\]$/, '')
  if (!existsSync(`${folder}/library.cjs`)) throw new Error(notHere(folder))
  const bundles = createBundles({
    folder,
    version: __PLUGBOARD_VERSION__,
    // V8 accepts a cache only on the kind of processor and under the flags that it was made with.
    purpose: `host-${cachedDataVersionTag()}`,
    require: createRequire(import.meta.url),
    mayKeep: () => hasOpened && hasRoom(folder, CACHES),
  })
  return {
    exports: bundles.load('library'),
    noteOpened() {
      if (!hasOpened) setTimeout(bundles.keep, KEEP_AFTER_MS).unref()
      hasOpened = true
    },
  }
}

function notHere(folder: string): string {
  return (
    `plugboard/cached: library.cjs is not in ${folder}, so this is no package but a bundle. ` +
    'In a bundle, import from `plugboard` instead.'
  )
}
