/**
 * end-plan: how a process and its descendants are ended, on each platform. The plan is data, so that Windows can be
 * tested anywhere.
 */
import type { Platform } from '../world.ts'
import { inSystem32 } from './windows-command.ts'

export type EndPlan =
  /** A negative pid means the whole group. */
  | { readonly kind: 'signal'; readonly pid: number; readonly signal: 'SIGTERM' | 'SIGKILL' }
  | { readonly kind: 'run'; readonly command: string; readonly args: readonly string[] }

export function endPlan(pid: number, how: 'terminate' | 'kill', platform: Platform): EndPlan {
  if (platform !== 'win32') {
    return { kind: 'signal', pid: -pid, signal: how === 'terminate' ? 'SIGTERM' : 'SIGKILL' }
  }
  // Without /F, Windows only asks windows to close. A console program has none, so only force is left.
  return {
    kind: 'run',
    command: inSystem32('taskkill.exe'),
    args: ['/pid', String(pid), '/T', ...(how === 'kill' ? ['/F'] : [])],
  }
}
