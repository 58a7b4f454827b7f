/**
 * client-identity: who is taken for the same client, how many are remembered, and for how long.
 */
import { describe, expect, it } from 'vitest'
import {
  identify,
  MAX_CLIENTS,
  StatelessClients,
  type Looks,
} from '../../../src/hosts/gateway/client-identity.ts'
import { OWNER } from '../../../src/hosts/gateway/principal.ts'
import { onGone } from '../../../src/runtime/client-life.ts'
import { createMovedClock } from '../../worlds/moved-clock.ts'

const ADA: Looks = {
  principal: { who: 'ada', key: 'ada' },
  from: '127.0.0.1',
  agent: 'node',
  server: undefined,
  info: { name: 'agent', version: '1' },
}

const named = (version: number, key = 'ada'): Looks => ({
  ...ADA,
  principal: { who: key, key },
  info: { name: 'agent', version },
})

const MINUTE = 60_000

describe('a client', () => {
  it.each<[string, Partial<Looks>]>([
    ['principal', { principal: OWNER }],
    ['address', { from: '10.0.0.7' }],
    ['program', { agent: 'python' }],
    ['endpoint', { server: 'x' }],
    ['name', { info: { name: 'agent', version: '2' } }],
    ['silence about itself', { info: undefined }],
  ])('is told from others by its %s', (_, other) => {
    expect(identify({ ...ADA, ...other })).not.toBe(identify(ADA))
  })

  it('is the same whatever order it tells of itself in, and however much', () => {
    const [name, version] = ['agent', 'x'.repeat(100_000)]
    const id = identify({ ...ADA, info: { name, version } })
    expect(identify({ ...ADA, info: { version, name } })).toBe(id)
    expect(id.length).toBeLessThan(200)
  })

  it('is the same value for all its requests, until it has been silent for long', () => {
    const clock = createMovedClock()
    const clients = new StatelessClients(clock)
    const gone: string[] = []
    const first = clients.meet(ADA)
    onGone(first.client, () => gone.push('first'))
    clock.pass(40 * MINUTE)
    expect(gone, 'while it waits for an answer').toEqual([])
    first.leave()
    clock.pass(20 * MINUTE)
    const again = clients.meet(ADA)
    expect(again.client).toBe(first.client)
    again.leave()
    clock.pass(40 * MINUTE)
    expect(gone).toEqual(['first'])
    expect(clients.size).toBe(0)
    expect(clients.meet(ADA).client).not.toBe(first.client)
    clients.close()
  })

  it('of one principal has to go when there are too many, and no other has', () => {
    const clients = new StatelessClients(createMovedClock())
    const bob = clients.meet(named(1, 'bob'))
    bob.leave()
    const waiting = clients.meet(named(0))
    const idle = clients.meet(named(1))
    idle.leave()
    for (let version = 2; version < MAX_CLIENTS + 100; version++) clients.meet(named(version)).leave()
    expect(clients.size).toBe(MAX_CLIENTS + 1)
    expect(clients.meet(named(0)).client).toBe(waiting.client)
    expect(clients.meet(named(1, 'bob')).client).toBe(bob.client)
    expect(clients.meet(named(1)).client).not.toBe(idle.client)
    clients.close()
  })
})
