/**
 * dated-log: a log file that grows by lines, with its earlier contents in files that have dates in their names.
 *
 * in     lines
 * out    `audit.jsonl`; when it is full or its day (UTC) is over, `audit.2026-11-19.jsonl`, then
 *        `audit.2026-11-19.2.jsonl`
 * never  overwrites a file; removes a file without a line about it in the log; removes a file with another name pattern
 */
import type { World } from '../../world/world.ts'

export interface DatedLogOptions {
  /** Absolute. */
  readonly file: string
  readonly mode: number
  /** Limit for one file. */
  readonly maxBytes: number
  /** Older files are removed. 0: no limit. */
  readonly keepDays: number
  /** Limit for all files together: beyond it, the oldest files are removed. 0: no limit. */
  readonly keepBytes: number
  /** Returns the line that reports the removal in the log itself. */
  onDropped(dropped: DroppedFile): string
}

export interface DroppedFile {
  readonly name: string
  readonly bytes: number
  readonly why: 'age' | 'size'
}

interface DatedFile {
  readonly path: string
  readonly name: string
  readonly day: string
  /** 1, or more where one day has several files. */
  readonly number: number
  readonly bytes: number
}

const DAY_MS = 24 * 3600 * 1000

/** Each file is a small part of what is kept, so that removing one loses little. */
const PARTS = 4

export class DatedLog {
  readonly #world: Pick<World, 'files' | 'paths' | 'clock'>
  readonly #options: DatedLogOptions
  readonly #maxBytes: number
  /** The day of the last check whether the file is from an earlier day. */
  #lookedOn: string | undefined

  constructor(world: Pick<World, 'files' | 'paths' | 'clock'>, options: DatedLogOptions) {
    this.#world = world
    this.#options = options
    const { maxBytes, keepBytes } = options
    this.#maxBytes = keepBytes === 0 ? maxBytes : Math.min(maxBytes, Math.ceil(keepBytes / PARTS))
  }

  /** False: the text could not be written. */
  append(text: string): boolean {
    const { files } = this.#world
    const { file, mode } = this.#options
    const said = this.#turnOver(Buffer.byteLength(text)) ? this.#drop() : ''
    return files.append(file, said + text, { mode, maxBytes: Infinity })
  }

  /** Returns whether files may have to be removed now. A file that cannot be renamed goes on growing. */
  #turnOver(more: number): boolean {
    const { files, clock } = this.#world
    const { file } = this.#options
    const today = dayOf(clock.now())
    const isNewDay = this.#lookedOn !== today
    this.#lookedOn = today
    const stats = files.stats(file)
    if (stats === undefined || stats.bytes === 0) return isNewDay
    const day = dayOf(stats.changedAt)
    const isFull = stats.bytes + more > this.#maxBytes
    if (!isFull && !(isNewDay && day < today)) return isNewDay
    return files.rename(file, this.#nameFor(day)) || isNewDay
  }

  /** The first free name. */
  #nameFor(day: string): string {
    const { files, paths } = this.#world
    const { folder, stem, extension } = this.#parts()
    for (let number = 1; ; number += 1) {
      const path = paths.join(folder, `${stem}.${day}${number === 1 ? '' : `.${number}`}${extension}`)
      if (files.kind(path) === 'missing') return path
    }
  }

  /** Returns the lines that report the removals in the log. */
  #drop(): string {
    const { files, clock } = this.#world
    const { file, keepDays, keepBytes, onDropped } = this.#options
    const dated = this.#dated()
    const firstDay = keepDays === 0 ? '' : dayOf(clock.now() - keepDays * DAY_MS)
    let total = dated.reduce((sum, { bytes }) => sum + bytes, files.stats(file)?.bytes ?? 0)
    const lines: string[] = []
    for (const { path, name, day, bytes } of dated) {
      const isOld = day < firstDay
      const isTooMuch = keepBytes !== 0 && total > keepBytes
      if ((!isOld && !isTooMuch) || !files.remove(path)) continue
      total -= bytes
      lines.push(onDropped({ name, bytes, why: isOld ? 'age' : 'size' }))
    }
    return lines.join('')
  }

  /** The oldest file first. */
  #dated(): readonly DatedFile[] {
    const { files, paths } = this.#world
    const { folder, stem, extension } = this.#parts()
    const found = files.list(folder).flatMap((name): readonly DatedFile[] => {
      if (!name.startsWith(`${stem}.`) || !name.endsWith(extension)) return []
      const middle = name.slice(stem.length + 1, name.length - extension.length)
      const [, day, number = '1'] = /^(\d{4}-\d\d-\d\d)(?:\.([1-9]\d*))?$/.exec(middle) ?? []
      const path = paths.join(folder, name)
      const stats = day === undefined ? undefined : files.stats(path)
      if (day === undefined || stats === undefined) return []
      return [{ path, name, day, number: Number(number), bytes: stats.bytes }]
    })
    return found.sort((a, b) => a.day.localeCompare(b.day) || a.number - b.number)
  }

  #parts(): { readonly folder: string; readonly stem: string; readonly extension: string } {
    const { paths } = this.#world
    const { file } = this.#options
    const name = paths.basename(file)
    const dot = name.lastIndexOf('.')
    const end = dot > 0 ? dot : name.length
    return { folder: paths.dirname(file), stem: name.slice(0, end), extension: name.slice(end) }
  }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
