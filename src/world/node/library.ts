/**
 * library: the library as one script with its code cache, beside the file that this becomes a part of.
 */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { cachedDataVersionTag } from 'node:v8'
import { createBundles, type BundlesOptions } from './bundles.ts'

export function loadLibrary({ isWarm }: Pick<BundlesOptions, 'isWarm'>): object {
  const folder = fileURLToPath(new URL('.', import.meta.url)).replace(/[/\\]$/, '')
  // V8 takes a cache only under the flags that it was made with, and hosts have all kinds of them.
  const purpose = `host-${cachedDataVersionTag()}`
  const require = createRequire(import.meta.url)
  return createBundles({ folder, purpose, require, isWarm }).load('library')
}
