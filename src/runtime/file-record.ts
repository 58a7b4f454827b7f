/**
 * file-record: the questions of a load to the file system, and the answers.
 *
 * in     the files of a world
 * out    the same files, with a record; later, the answers that would differ now
 * never  records whether programs can be run: users do not edit those
 *
 * A load depends on nothing else: with the same answers it gives the same catalog. So there is no second list of the
 * files that matter, which could differ from the first.
 */
import type { FileRead, Files, WatchedPaths } from '../world/world.ts'

export interface FileRecord {
  readonly files: Files
  /** All paths that the load asked about, for `Files.watch`. */
  paths(): WatchedPaths
  changes(): readonly FileChange[]
}

export interface FileChange {
  readonly file: string
  /** The file was there and is gone or empty now, perhaps only until the writer is done. */
  readonly isGone: boolean
}

export function recordFiles(files: Files): FileRecord {
  const reads = new Map<string, { readonly maxBytes: number | undefined; readonly read: FileRead }>()
  const kinds = new Map<string, ReturnType<Files['kind']>>()
  const lists = new Map<string, readonly string[]>()
  const realPaths = new Map<string, string>()
  const remember = <T>(answers: Map<string, T>, path: string, answer: T): T => {
    answers.set(path, answer)
    return answer
  }
  return {
    files: {
      ...files,
      read: (file, maxBytes) => {
        const read = files.read(file, maxBytes)
        reads.set(file, { maxBytes, read })
        return read
      },
      kind: (path) => remember(kinds, path, files.kind(path)),
      list: (path) => remember(lists, path, files.list(path)),
      realPath: (path) => remember(realPaths, path, files.realPath(path)),
    },
    paths: () => ({
      files: [...new Set([...reads.keys(), ...kinds.keys(), ...realPaths.keys()])],
      folders: [...lists.keys()],
    }),
    changes() {
      const changes = new Map<string, FileChange>()
      for (const [file, { maxBytes, read: before }] of reads) {
        const now = files.read(file, maxBytes)
        if (!isSameRead(before, now)) changes.set(file, { file, isGone: hasText(before) && !hasText(now) })
      }
      const note = (file: string): void => {
        if (!changes.has(file)) changes.set(file, { file, isGone: false })
      }
      for (const [path, before] of kinds) if (files.kind(path) !== before) note(path)
      for (const [path, before] of lists) if (files.list(path).join('/') !== before.join('/')) note(path)
      for (const [path, before] of realPaths) if (files.realPath(path) !== before) note(path)
      return [...changes.values()]
    },
  }
}

function isSameRead(a: FileRead, b: FileRead): boolean {
  if (a.kind === 'text' && b.kind === 'text') return a.text === b.text
  return JSON.stringify(a) === JSON.stringify(b)
}

function hasText(read: FileRead): boolean {
  return read.kind === 'text' && read.text.trim() !== ''
}
