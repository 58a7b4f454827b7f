/**
 * complete: what servers suggest, in both eras.
 */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SessionError } from '../../src/model/session.ts'
import { officialEntry, openTestBoard, serverEntry } from '../boards/open.ts'
import { problemOf } from '../boards/watch.ts'

const SDK = fileURLToPath(new URL('../servers/http/sdk.mjs', import.meta.url))

describe('completion', () => {
  it.each(['legacy', '2026-07-28'])(
    'of an argument of a prompt, and of a variable (%s)',
    async (protocol) => {
      const entry = { command: process.execPath, args: [SDK, 'stdio'], protocol }
      await using test = await openTestBoard({ x: entry }, { only: [] })
      const argument = { name: 'who', value: 'A' }
      const expected = { values: ['Ada', 'Alan'], total: 3 }
      expect(await test.board.complete({ server: 'x', prompt: 'greet' }, argument)).toEqual(expected)
      const template = 'test://dish/{name}'
      expect(await test.board.complete({ server: 'x', template }, argument)).toEqual(expected)
    },
  )

  it('goes by what is settled already, at the official server-everything', async () => {
    await using test = await openTestBoard({ x: officialEntry('everything') })
    const prompt = { server: 'x', prompt: 'completable-prompt' }
    const departments = await test.board.complete(prompt, { name: 'department', value: 'Eng' })
    expect(departments.values).toEqual(['Engineering'])
    const names = await test.board.complete(
      prompt,
      { name: 'name', value: '' },
      { arguments: { department: 'Engineering' } },
    )
    expect(names.values).toEqual(['Alice', 'Bob', 'Charlie'])
  })

  it('is empty where a server does not offer it, and a problem where there is no server', async () => {
    await using test = await openTestBoard({ x: serverEntry('well-behaved') })
    const argument = { name: 'a', value: '' }
    expect(await test.board.complete({ server: 'x', prompt: 'p' }, argument)).toEqual({ values: [] })
    expect(await problemOf(test.board.complete({ server: 'y', prompt: 'p' }, argument))).toMatchObject({
      code: 'connect/unknown-server',
    })
  })

  it('of what the server does not know is refused by it', async () => {
    await using test = await openTestBoard({ x: officialEntry('everything') })
    const work = test.board.complete({ server: 'x', prompt: 'nothing' }, { name: 'a', value: '' })
    await expect(work).rejects.toBeInstanceOf(SessionError)
  })
})
