import { describe, expect, it } from 'vitest'
import { endPlan } from '../../src/world/node/end-plan.ts'

describe('how a process and what it started are ended', () => {
  it.each(['linux', 'darwin'] as const)('is a signal to the whole group on %s', (platform) => {
    expect(endPlan(42, 'terminate', platform)).toEqual({ kind: 'signal', pid: -42, signal: 'SIGTERM' })
    expect(endPlan(42, 'kill', platform)).toEqual({ kind: 'signal', pid: -42, signal: 'SIGKILL' })
  })

  it('is a program that finds the whole tree on Windows, with force only when it must', () => {
    expect(endPlan(42, 'terminate', 'win32')).toEqual({
      kind: 'run',
      command: 'C:\\Windows\\System32\\taskkill.exe',
      args: ['/pid', '42', '/T'],
    })
    expect(endPlan(42, 'kill', 'win32')).toEqual({
      kind: 'run',
      command: 'C:\\Windows\\System32\\taskkill.exe',
      args: ['/pid', '42', '/T', '/F'],
    })
  })
})
