/**
 * reaper: a small process that ends our children when we are gone, however we went (`reaper-plan.ts`). One for this whole
 * process, started with the first child.
 */
import type { Platform } from '../world.ts'
import { reaperPlan, type ReaperPlan } from './reaper-plan.ts'

interface Writable {
  write(line: string): unknown
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
  const input = start(plan)
  input.write(plan.opening)
  const strike = (id: number, line: string): void => {
    if (watched.delete(id)) input.write(line)
  }
  return {
    watch(id) {
      watched.add(id)
      input.write(plan.lines.watch(id))
    },
    forget: (id) => strike(id, plan.lines.forget(id)),
    end: (id) => strike(id, plan.lines.end(id)),
  }
}

function start({ command, args, isDetached }: ReaperPlan): Writable {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const helper = spawn(command, args, {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: isDetached,
    windowsHide: true,
  })
  helper.on('error', () => undefined) // no shell: children are then ended by a close in good order only
  helper.stdin?.on('error', () => undefined)
  // It must not keep us alive; that it sees the end of the pipe is its only task.
  helper.unref()
  ;(helper.stdin as unknown as { unref?: () => void } | null)?.unref?.()
  return helper.stdin ?? { write: () => undefined }
}
