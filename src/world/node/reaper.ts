/**
 * reaper: a small process that ends our children when we are gone, however we went (`reaper-plan.ts`). One for this whole
 * process, started with the first child.
 */
import type { Platform } from '../world.ts'
import { reaperPlan, type ReaperPlan } from './reaper-plan.ts'

/** Where the reaper reads what to end. */
interface List {
  write(line: string): unknown
  /** Nothing on it counts any more. */
  clear(): void
}

export type Reaper = {
  /** By the id of the child. */
  readonly [step in keyof ReaperPlan['lines']]: (id: number) => void
}

let reaper: Reaper | undefined

/** The one of this process. */
export function theReaper(platform: Platform): Reaper {
  reaper ??= createReaper(reaperPlan(platform, process.pid))
  return reaper
}

function createReaper(plan: ReaperPlan): Reaper {
  const watched = new Set<number>()
  // At once, behind the first child: a moment later all children fight for the processors, and starting anything takes
  // ten times as long.
  const list = start(plan)
  const strike = (id: number, line: string): void => {
    if (!watched.delete(id)) return
    list.write(line)
    if (watched.size === 0) list.clear()
  }
  return {
    watch(id) {
      watched.add(id)
      list.write(plan.lines.watch(id))
    },
    forget: (id) => strike(id, plan.lines.forget(id)),
    end: (id) => strike(id, plan.lines.end(id)),
  }
}

function start({ command, args, isDetached, opening, list }: ReaperPlan): List {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const file = list === 'file' ? openListFile() : undefined
  const helper = spawn(command, args, {
    stdio: ['pipe', 'ignore', 'ignore', file?.toRead ?? 'ignore'],
    detached: isDetached,
    windowsHide: true,
  })
  file?.release()
  helper.on('error', () => undefined) // no shell: children are then ended by a close in good order only
  helper.stdin?.on('error', () => undefined)
  // It must not keep us alive; that it sees the end of the pipe is its only task.
  helper.unref()
  ;(helper.stdin as unknown as { unref?: () => void } | null)?.unref?.()
  if (opening !== '') helper.stdin?.write(opening)
  return file?.list ?? { write: (line) => helper.stdin?.write(line), clear: () => undefined }
}

interface ListFile {
  readonly list: List
  readonly toRead: number
  /** The reaper has its own by now. */
  release(): void
}

/** Without a name, so that it is gone with the last of us who has it open. Undefined where no file can be made. */
function openListFile(): ListFile | undefined {
  const fs = process.getBuiltinModule('node:fs')
  const { tmpdir } = process.getBuiltinModule('node:os')
  const name = `${tmpdir()}/plugboard-${process.pid}-${Math.random().toString(36).slice(2)}`
  try {
    const toWrite = fs.openSync(name, 'ax', 0o600)
    const toRead = fs.openSync(name, 'r')
    fs.unlinkSync(name)
    return {
      toRead,
      release: () => fs.closeSync(toRead),
      list: {
        write: (line) => fs.writeSync(toWrite, line),
        clear: () => fs.ftruncateSync(toWrite),
      },
    }
  } catch {
    return undefined // a full or read-only disk: lines go through the pipe
  }
}
