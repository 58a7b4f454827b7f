/**
 * list-file: lines for another process to read when this one is gone. The file has no name, so it disappears with the
 * last process that has it open.
 *
 * never  throws: the return value reports a disk that is full or not writable
 */
import type * as NodeFs from 'node:fs'

export interface ListFile {
  /**
   * False: the file is empty from now on and must not be used again. `rest` is the text that replaces a list that grew
   * too long.
   */
  write(line: string, rest: () => string): boolean
}

interface OpenedListFile {
  readonly file: ListFile
  /** The descriptor for the process that reads the file. */
  readonly toRead: number
  /** Closes our descriptor: the other process has its own by now. */
  release(): void
}

/** About a thousand lines: the process that reads them has little time. */
const MAX_BYTES = 16 * 1024

/** Undefined where no file can be made. */
export function openListFile(): OpenedListFile | undefined {
  const fs = process.getBuiltinModule('node:fs')
  const { tmpdir } = process.getBuiltinModule('node:os')
  const name = `${tmpdir()}/plugboard-${process.pid}-${Math.random().toString(36).slice(2)}`
  let toWrite: number | undefined
  try {
    toWrite = fs.openSync(name, 'ax', 0o600)
    const toRead = fs.openSync(name, 'r')
    fs.unlinkSync(name)
    return { file: createListFile(fs, toWrite), toRead, release: () => fs.closeSync(toRead) }
  } catch {
    // A read-only disk, or no free descriptor: the caller can use the pipe instead.
    if (toWrite !== undefined) {
      const made = toWrite
      tryTo(() => fs.closeSync(made))
      tryTo(() => fs.unlinkSync(name))
    }
    return undefined
  }
}

export function createListFile(
  fs: Pick<typeof NodeFs, 'writeSync' | 'ftruncateSync'>,
  descriptor: number,
): ListFile {
  let bytes = 0
  const put = (text: string): boolean =>
    tryTo(() => {
      if (fs.writeSync(descriptor, text) !== Buffer.byteLength(text)) throw new Error('cut short')
      bytes += text.length
    })
  const clear = (): void => {
    bytes = 0
    tryTo(() => fs.ftruncateSync(descriptor))
  }
  return {
    write(line, rest) {
      if (put(line)) {
        if (bytes <= MAX_BYTES) return true
        // If this process is killed between these two calls, the list is lost. They take microseconds, once in a
        // thousand lines.
        clear()
        if (put(rest())) return true
      }
      clear()
      return false
    },
  }
}

function tryTo(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false // the caller uses the pipe instead
  }
}
