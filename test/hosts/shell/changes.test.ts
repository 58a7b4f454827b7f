/** What a session says of its servers while it goes on. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sayReload } from '../../../src/hosts/shell/slash/servers.ts'
import { serverEntry } from '../../boards/open.ts'
import { allowAll } from '../../boards/permits.ts'
import { openSession } from './open-session.ts'

describe('one line', () => {
  it('says what came of a reload, and nothing when nothing did', () => {
    const nothing = { added: [], removed: [], changed: [], reconnected: [] }
    expect(sayReload(nothing)).toBeUndefined()
    expect(sayReload({ ...nothing, added: ['a', 'b', 'c', 'd', 'e'], reconnected: ['x\u001b[31m'] })).toBe(
      'added `a`, `b`, `c`, `d` and 1 more; reconnected `x\\x1b[31m`',
    )
  })

  it('for a server that comes late', async () => {
    await using session = await openSession({
      servers: { late: serverEntry('slow-start', '--ms', '400') },
      wait: 'moment',
    })
    expect(session.notes).toEqual([])
    expect(await session.untilTools('late')).toBeGreaterThan(0)
    // One of the start is in the status line.
    expect(session.notes).toEqual([])
  })

  it('for tools that a server adds', async () => {
    await using session = await openSession({
      servers: { grows: serverEntry('changes-tools') },
      permit: allowAll,
    })
    await session.type('/call grows grow')
    expect(await session.untilNoted('added')).toBe('grows: tools changed: 1 added')
  })

  it('for a server that stops, and comes back', async () => {
    await using session = await openSession({
      servers: { frail: serverEntry('crashes-after', '--requests', '4') },
      permit: allowAll,
    })
    const { board } = session.context
    for (let i = 0; i < 4 && session.notes.length === 0; i++)
      await board.request('frail', 'ping').catch(() => undefined)
    expect(await session.untilNoted('reconnected')).toMatch(/^frail: reconnected/)
  })

  it('for files that change by themselves', async () => {
    await using session = await openSession({ watch: true })
    session.scratch.write(
      join('home', '.config', 'plugboard', 'mcp.json'),
      JSON.stringify({ mcpServers: { good: serverEntry('well-behaved') } }),
    )
    expect(await session.untilNoted('added')).toMatch(/^good: added, \d+ tools$/)
  })

  it('for a server whose entry is another one', async () => {
    await using session = await openSession({ servers: { good: serverEntry('well-behaved') }, watch: true })
    const changed = { ...serverEntry('well-behaved'), env: { X: '1' } }
    session.scratch.write(
      join('home', '.config', 'plugboard', 'mcp.json'),
      JSON.stringify({ mcpServers: { good: changed } }),
    )
    expect(await session.untilNoted('good: ')).toMatch(/^good: changed, \d+ tools$/)
    await session.type('/mcp reconnect good')
    expect(await session.untilNoted('reconnected')).toBe('good: reconnected')
  })

  it('for a server that fails', async () => {
    await using session = await openSession()
    await session.type(`/mcp add-json ghost '{"command":"no-such-program"}'`)
    expect(await session.untilNoted('"ghost"')).toBe(
      'Failed to connect to "ghost": its command was not found (/mcp test ghost tells more)',
    )
  })
})
