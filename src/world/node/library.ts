/**
 * library: the library as one script with its code cache, beside the file that this becomes a part of.
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { cachedDataVersionTag } from 'node:v8'
import { createBundles, hasRoom } from './bundles.ts'

/** Put in by the build. The underscores say that it is no variable. */
// oxlint-disable-next-line no-underscore-dangle
declare const __PLUGBOARD_VERSION__: string

/** Of hosts with flags of all kinds. */
const CACHES = { prefix: 'library-host-', most: 8 }

/** From the first board on: behind what a host does at once, and before V8 throws away what it has no use for any more. */
const KEEP_AFTER_MS = 300

export interface LoadedLibrary {
  readonly exports: object
  /** What a process has compiled that opened no board would be of little use to one that does. */
  noteOpened(): void
}

export function loadLibrary(): LoadedLibrary {
  let hasOpened = false
  const folder = fileURLToPath(new URL('.', import.meta.url)).replace(/[/\\]$/, '')
  if (!existsSync(`${folder}/library.cjs`)) throw new Error(notHere(folder))
  const bundles = createBundles({
    folder,
    version: __PLUGBOARD_VERSION__,
    // V8 takes a cache only on the kind of processor and under the flags that it was made with.
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
