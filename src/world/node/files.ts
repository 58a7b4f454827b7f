/**
 * files: the real file system, asked in a way that cannot hang.
 *
 * A configuration path may be a pipe, a device or a link loop, by accident or by malice: the file is opened
 * non-blocking and judged by its own descriptor, so nothing can change between the look and the read.
 */
import { isUtf8 } from 'node:buffer'
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { dirname } from 'node:path'
import { MAX_FILE_BYTES, type FileRead, type Files, type Unreadable } from '../world.ts'
import { holdLock } from './lock.ts'
import { PathWatch } from './path-watch.ts'
import { updateFile } from './update-file.ts'

export const nodeFiles: Files = {
  read(file, maxBytes = MAX_FILE_BYTES) {
    // A stat that finds nothing is five times cheaper than an open that throws, and most places are empty.
    const stats = tryStat(file)
    if (stats === 'missing') return { kind: 'missing' }
    if (!(stats instanceof Error) && !stats.isFile()) return unreadable(notAFile(stats))
    try {
      return readDescriptor(openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)), maxBytes)
    } catch (error) {
      return toFileRead(error as NodeJS.ErrnoException)
    }
  },

  kind(path) {
    const stats = tryStat(path)
    if (stats === 'missing' || stats instanceof Error) return 'missing'
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other'
  },

  list(directory) {
    // As above: asking first is cheaper than an error, and most of these folders are not there.
    if (tryStat(directory) === 'missing') return []
    try {
      return readdirSync(directory).sort()
    } catch {
      return [] // missing, not a directory or not ours to read: there is nothing to look at either way
    }
  },

  realPath(path) {
    try {
      return realpathSync.native(path)
    } catch {
      return path // a path that does not exist is its own real path
    }
  },

  isExecutable(path) {
    try {
      accessSync(path, constants.X_OK)
      return statSync(path).isFile()
    } catch {
      return false
    }
  },

  mode(path) {
    if (process.platform === 'win32') return undefined
    const stats = tryStat(path)
    return stats === 'missing' || stats instanceof Error ? undefined : stats.mode & 0o777
  },

  async update(file, access, change) {
    const how = typeof access === 'number' ? { mode: access } : access
    await updateFile({ ...how, file, change, read: nodeFiles.read })
  },

  async locked(file, step) {
    const lock = await holdLock(file)
    try {
      return await step()
    } finally {
      lock.release()
    }
  },

  write(file, mode, content) {
    const draft = `${file}.${process.pid}.draft`
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      writeFileSync(draft, content, { mode })
      renameSync(draft, file)
      return true
    } catch {
      nodeFiles.remove(draft) // which is not there at all where the folder is none
      return false // a full disk, a folder that is not ours: the caller says what is missing
    }
  },

  append(file, text, { mode, maxBytes }) {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      const stats = tryStat(file)
      const size = stats === 'missing' || stats instanceof Error || !stats.isFile() ? 0 : stats.size
      if (size > 0 && size + Buffer.byteLength(text) > maxBytes) renameSync(file, `${file}.1`)
      appendDescriptor(openSync(file, APPEND, mode), text)
      return true
    } catch {
      return false // a full disk, a folder that is not ours: the caller says what is missing
    }
  },

  stats(file) {
    const stats = tryStat(file)
    if (stats === 'missing' || stats instanceof Error || !stats.isFile()) return undefined
    return { bytes: stats.size, changedAt: stats.mtimeMs }
  },

  rename(file, to) {
    try {
      // Another process may take the name between a look and the step: this one is ours, or it fails.
      closeSync(openSync(to, 'wx', 0o600))
    } catch {
      return false
    }
    try {
      renameSync(file, to)
      return true
    } catch {
      nodeFiles.remove(to) // empty, and ours
      return false // gone meanwhile, or not ours: the caller says what is missing
    }
  },

  remove(file) {
    try {
      rmSync(file, { force: true })
      return true
    } catch {
      return false // a directory, or not ours to remove
    }
  },

  async watch(paths, onTouched) {
    const watch = new PathWatch(paths, onTouched)
    return () => watch.close()
  },
}

/** Non-blocking, as for reading: a pipe that nobody reads from is an error and not a wait. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0)

function appendDescriptor(descriptor: number, text: string): void {
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error('only a file can grow')
    writeFileSync(descriptor, text)
  } finally {
    closeSync(descriptor)
  }
}

function tryStat(path: string): Stats | 'missing' | Error {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? 'missing'
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    return code === 'ENOTDIR' || code === 'ENOENT' ? 'missing' : (error as Error)
  }
}

function readDescriptor(descriptor: number, maxBytes: number): FileRead {
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return unreadable(notAFile(stats))
    if (stats.size > maxBytes) return unreadable({ kind: 'too-large', bytes: stats.size, maxBytes })
    const text = readFileSync(descriptor, 'utf8')
    // It may be the file's own, or stand for bytes that are no text.
    if (text.includes('\ufffd')) return decode(readBytes(descriptor, stats.size))
    return { kind: 'text', text: text.startsWith('\ufeff') ? text.slice(1) : text }
  } finally {
    closeSync(descriptor)
  }
}

/** From the beginning, wherever the descriptor stands. */
function readBytes(descriptor: number, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  return bytes.subarray(0, readSync(descriptor, bytes, 0, size, 0))
}

function decode(bytes: Buffer): FileRead {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const body = hasMark ? bytes.subarray(3) : bytes
  if (!isUtf8(body)) return unreadable({ kind: 'not-utf8', before: validPrefix(body) })
  return { kind: 'text', text: body.toString('utf8') }
}

/** The longest prefix that is UTF-8, found by halving. */
function validPrefix(bytes: Buffer): string {
  let low = 0
  let high = bytes.length
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (isUtf8(withoutCutCharacter(bytes.subarray(0, middle)))) low = middle
    else high = middle - 1
  }
  return withoutCutCharacter(bytes.subarray(0, low)).toString('utf8')
}

/** A prefix may end inside a character of up to four bytes; that is not yet a fault. */
function withoutCutCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if ((byte & 0xc0) === 0x80) continue
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needed > back ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}

function notAFile(stats: Stats): Unreadable {
  const what = stats.isDirectory()
    ? 'a directory'
    : stats.isFIFO()
      ? 'a pipe'
      : stats.isSocket()
        ? 'a socket'
        : 'a device'
  return { kind: 'not-a-file', what }
}

function toFileRead(error: NodeJS.ErrnoException): FileRead {
  switch (error.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { kind: 'missing' }
    case 'EACCES':
    case 'EPERM':
      return unreadable({ kind: 'denied' })
    case 'ELOOP':
      return unreadable({ kind: 'link-loop' })
    case 'EISDIR':
      return unreadable({ kind: 'not-a-file', what: 'a directory' })
    default:
      return unreadable({ kind: 'failed', message: error.code ?? error.message })
  }
}

function unreadable(why: Unreadable): FileRead {
  return { kind: 'unreadable', why }
}
