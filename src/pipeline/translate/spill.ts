/**
 * spill: stores outputs that are too long for a model in files.
 *
 * in     a text, its name, and the holder it is for
 * out    its file, in the user's own cache folder, readable only by the user
 * never  keeps more than a fixed number of files, or a file for longer than a week; lets files of other holders
 *        displace the user's, or the user's theirs
 */
import { sha256 } from '../../base/sha256.ts'
import type { World } from '../../world/world.ts'

export interface Spill {
  /** `holder`: the holder of the file, if that is not the user. Undefined when the file could not be written. */
  keep(text: string, name: string, holder?: string): string | undefined
}

/** For one holder. */
const MAX_FILES = 50

/** For all holders other than the user, because their number has no limit. */
const MAX_OF_OTHERS = 1000

const KEPT_MS = 7 * 24 * 60 * 60 * 1000
const MODE = 0o600

export function createSpill(
  { files, paths, clock }: Pick<World, 'files' | 'paths' | 'clock'>,
  cache: string,
): Spill {
  const folder = paths.join(cache, 'results')
  return {
    keep(text, name, holder) {
      const now = clock.now()
      const tag = holder === undefined ? '' : `${sha256(holder).slice(0, 16)}.`
      const all = files.list(folder).filter((file) => OURS.test(file))
      const mine = all.filter((file) => tagOf(file) === tag)
      const others = tag === '' ? [] : all.filter((file) => tagOf(file) !== '')
      const old = new Set([
        ...all.filter((file) => file < toStamp(now - KEPT_MS)),
        ...oldest(mine, MAX_FILES),
        ...oldest(others, MAX_OF_OTHERS),
      ])
      for (const file of old) files.remove(paths.join(folder, file))
      const stamp = `${toStamp(now)}-${toSuffix(clock.random())}`
      const file = paths.join(folder, `${stamp}-${tag}${toSafe(name)}.txt`)
      return files.write(file, MODE, text) ? file : undefined
    },
  }
}

const OURS = /^\d{8}T\d{9}Z-[0-9a-z]{6}-.*\.txt$/

/** A tool name in these file names has no dot. */
function tagOf(file: string): string {
  return /^\w+-\w+-([0-9a-f]{16}\.)/.exec(file)?.[1] ?? ''
}

/** The files to delete so that one more fits. Their names begin with the time, so sorting puts them in that order. */
function oldest(sorted: readonly string[], most: number): readonly string[] {
  return sorted.slice(0, Math.max(0, sorted.length - most + 1))
}

/** `20261116T194403123Z`. */
function toStamp(time: number): string {
  return new Date(time).toISOString().replace(/[-:.]/g, '')
}

/** Separates two files of the same millisecond. */
function toSuffix(random: number): string {
  return Math.floor(random * 36 ** 6)
    .toString(36)
    .padStart(6, '0')
}

function toSafe(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 80)
}
