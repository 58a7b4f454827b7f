/**
 * list-file: lines for a process that reads them when we are gone. A file without a name, so that it goes with the last of
 * us who has it open.
 *
 * never  throws: a disk that is full, or that cannot be written, is told by the answer
 */
import type * as NodeFs from 'node:fs'

export interface ListFile {
  /** False: it is empty from now on, and of no more use. `rest` is what a list that grew too long is replaced with. */
  write(line: string, rest: () => string): boolean
}

interface OpenedListFile {
  readonly file: ListFile
  /** For the process that is to read it. */
  readonly toRead: number
  /** That process has its own by now. */
  release(): void
}

/** About a thousand lines: whoever reads them has little time. */
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
    // A read-only disk, no more descriptors: there are other ways to tell.
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
        // Should we be killed between these two, nobody would know of anything; it takes microseconds, once in a thousand lines.
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
    return false // whoever asked has another way
  }
}
