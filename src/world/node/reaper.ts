/**
 * reaper: a small process that ends our children when this process is gone, for whatever reason (`reaper-plan.ts`). It
 * is one for the whole process, and starts before the first child.
 */
import type { Platform } from '../world.ts'
import { openListFile, type ListFile } from './list-file.ts'
import { reaperPlan, type ReaperPlan } from './reaper-plan.ts'

export type Reaper = {
  /** By the id of the child. */
  readonly [step in keyof ReaperPlan['lines']]: (id: number) => void
}

let reaper: Reaper | undefined

/** The reaper of this process. */
export function theReaper(platform: Platform): Reaper {
  reaper ??= createReaper(reaperPlan(platform, process.pid))
  return reaper
}

function createReaper(plan: ReaperPlan): Reaper {
  /** With the last line that was written about it. */
  const watched = new Map<number, string>()
  let { file, tell } = start(plan)
  const everything = (): string => [...watched.values()].join('')
  const note = (line: string): void => {
    if (line === '') return
    if (file === undefined) return tell(line)
    if (file.write(line, everything)) return
    // Not both: the reaper reads the pipe first, so a child that the pipe removes would still be in the file.
    file = undefined
    tell(everything())
  }
  const begin = (id: number, line: string): void => {
    watched.set(id, line)
    note(line)
  }
  const change = (id: number, line: string): void => {
    if (watched.has(id) && line !== '') begin(id, line)
  }
  const strike = (id: number, line: string): void => {
    if (watched.delete(id)) note(line)
  }
  return {
    watch: (id) => begin(id, plan.lines.watch(id)),
    install: (id) => begin(id, plan.lines.install(id)),
    asked: (id) => change(id, plan.lines.asked(id)),
    installed: (id) => change(id, plan.lines.installed(id)),
    forget: (id) => strike(id, plan.lines.forget(id)),
    end: (id) => strike(id, plan.lines.end(id)),
  }
}

interface Started {
  readonly file: ListFile | undefined
  /** Through the pipe, to a reaper that reads it at once. */
  tell(lines: string): void
}

function start({ command, args, env, isDetached, opening, list }: ReaperPlan): Started {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const opened = list === 'file' ? openListFile() : undefined
  const helper = spawn(command, args, {
    stdio: ['pipe', 'ignore', 'ignore', opened?.toRead ?? 'ignore'],
    detached: isDetached,
    ...(env === undefined ? {} : { env }),
    windowsHide: true,
  })
  opened?.release()
  helper.on('error', () => undefined) // no shell: then only an orderly close ends the children
  helper.stdin?.on('error', () => undefined)
  // It must not keep this process alive. Its only task is to see the end of the pipe.
  helper.unref()
  ;(helper.stdin as unknown as { unref?: () => void } | null)?.unref?.()
  if (opening !== '') helper.stdin?.write(opening)
  return { file: opened?.file, tell: (lines) => void helper.stdin?.write(lines) }
}
