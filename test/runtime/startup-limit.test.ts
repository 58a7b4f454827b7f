import { describe, expect, it } from 'vitest'
import { INSTALLATION_MS, StartupLimit } from '../../src/runtime/startup-limit.ts'
import { createMovedClock } from '../worlds/moved-clock.ts'

function start(ms: number) {
  const clock = createMovedClock()
  let isOver = false
  const limit = new StartupLimit(clock, ms, () => (isOver = true))
  return { clock, limit, isOver: () => isOver }
}

describe('the time that a server has to start', () => {
  it('ends with its limit', () => {
    const { clock, isOver } = start(1000)
    clock.pass(999)
    expect(isOver()).toBe(false)
    clock.pass(1)
    expect(isOver()).toBe(true)
  })

  it('begins anew, whole, when an installation is over', () => {
    const { clock, limit, isOver } = start(1000)
    clock.pass(900)
    limit.onInstallation('begun')
    clock.pass(60_000)
    limit.onInstallation('over')
    expect(limit.leftMs).toBe(1000)
    clock.pass(999)
    expect(isOver()).toBe(false)
    clock.pass(1)
    expect(isOver()).toBe(true)
  })

  it('ends when installing takes too long, in all', () => {
    const { clock, limit, isOver } = start(1000)
    limit.onInstallation('begun')
    clock.pass(INSTALLATION_MS - 1)
    limit.onInstallation('over')
    limit.onInstallation('begun')
    expect(isOver()).toBe(false)
    clock.pass(1)
    expect(isOver()).toBe(true)
    expect([limit.limitMs, limit.isInstalling]).toEqual([INSTALLATION_MS, true])
  })

  it('has no end without a limit, whatever is installed', () => {
    const { clock, limit, isOver } = start(0)
    limit.onInstallation('begun')
    clock.pass(10 * INSTALLATION_MS)
    expect([isOver(), limit.leftMs]).toEqual([false, 0])
  })
})
