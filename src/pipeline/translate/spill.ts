/**
 * spill: files for outputs that no model should get whole.
 *
 * in     a text and what it is called
 * out    the file it is in, in the user's own cache folder, readable for nobody else
 * never  keeps more than a bounded number of them, or any for longer than a week
 */
import type { World } from '../../world/world.ts'

export interface Spill {
  /** Undefined when it could not be written. */
  keep(text: string, name: string): string | undefined
}

const MAX_FILES = 50
const KEPT_MS = 7 * 24 * 60 * 60 * 1000
const MODE = 0o600

export function createSpill(
  { files, paths, clock }: Pick<World, 'files' | 'paths' | 'clock'>,
  cache: string,
): Spill {
  const folder = paths.join(cache, 'results')
  return {
    keep(text, name) {
      const now = clock.now()
      const all = files.list(folder).filter((file) => OURS.test(file))
      // Their names begin with the time, so that they are in its order.
      const old = all.filter((file, i) => file < toStamp(now - KEPT_MS) || i <= all.length - MAX_FILES)
      for (const file of old) files.remove(paths.join(folder, file))
      const file = paths.join(folder, `${toStamp(now)}-${toSuffix(clock.random())}-${toSafe(name)}.txt`)
      return files.write(file, MODE, text) ? file : undefined
    },
  }
}

const OURS = /^\d{8}T\d{9}Z-[0-9a-z]{6}-.*\.txt$/

/** `20261116T194403123Z`. */
function toStamp(time: number): string {
  return new Date(time).toISOString().replace(/[-:.]/g, '')
}

/** For two in the same millisecond. */
function toSuffix(random: number): string {
  return Math.floor(random * 36 ** 6)
    .toString(36)
    .padStart(6, '0')
}

function toSafe(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 80)
}
