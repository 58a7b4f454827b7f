/**
 * end-tree: ends a process and everything it started. One that is gone already is as it should be.
 */
import type { Platform } from '../world.ts'
import { endPlan } from './end-plan.ts'

export function endTree(pid: number, how: 'terminate' | 'kill', platform: Platform): void {
  const plan = endPlan(pid, how, platform)
  if (plan.kind === 'signal') signal(plan.pid, plan.signal)
  else {
    const { spawn } = process.getBuiltinModule('node:child_process')
    const options = { stdio: 'ignore', windowsHide: true } as const
    // Without that program, the process itself is all that can be reached.
    spawn(plan.command, plan.args, options).on('error', () => signal(pid, 'SIGKILL'))
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // Gone already, which is what was wanted; a group with no member left answers EPERM on macOS.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
