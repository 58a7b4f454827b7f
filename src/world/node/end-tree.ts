/** end-tree: ends a process and everything it started. A process that is already gone is no error. */
import type { Platform } from '../world.ts'
import { endPlan } from './end-plan.ts'

export function endTree(pid: number, how: 'terminate' | 'kill', platform: Platform): void {
  const plan = endPlan(pid, how, platform)
  if (plan.kind === 'signal') signal(plan.pid, plan.signal)
  else {
    const { spawn } = process.getBuiltinModule('node:child_process')
    const options = { stdio: 'ignore', windowsHide: true } as const
    // Without that program, only the process itself can be reached.
    spawn(plan.command, plan.args, options).on('error', () => signal(pid, 'SIGKILL'))
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // The process is gone already, as wanted. macOS answers EPERM for a group without members.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
