/**
 * permit-call: asking for a permission, with a caller who may give up.
 */
import { describe, expect, test } from 'vitest'
import { Abort } from '../../src/base/abort.ts'
import type { Permission, Permit, ToolToCall } from '../../src/model/permission.ts'
import { askPermit } from '../../src/runtime/permit-call.ts'

const TOOL: ToolToCall = {
  server: 'github',
  tool: 'push',
  name: 'mcp__github__push',
  definition: { name: 'push', inputSchema: { type: 'object' } },
}

const ALLOWED: Permission = { kind: 'allowed', isUnchanged: true }

function ask(permit: Permit, signal?: Abort) {
  const judged: Permission[] = []
  const onJudged = (permission: Permission): void => void judged.push(permission)
  return { judged, answer: askPermit(permit, TOOL, { args: {}, who: 'model', signal, onJudged }) }
}

describe('a permission', () => {
  test('that stands is given in the same turn, and told', () => {
    const { judged, answer } = ask(() => ALLOWED)
    expect(answer).toBe(ALLOWED)
    expect(judged).toEqual([ALLOWED])
  })

  test('that somebody has to give is waited for', async () => {
    const { judged, answer } = ask(() => Promise.resolve(ALLOWED), new Abort())
    expect(judged).toEqual([])
    expect(await answer).toBe(ALLOWED)
    expect(judged).toEqual([ALLOWED])
  })

  test('is of no use to a caller who gave up before: the call is aborted, and nothing was decided about it', () => {
    const signal = new Abort()
    signal.abort()
    const { judged, answer } = ask(() => ALLOWED, signal)
    expect(answer).toMatchObject({ kind: 'aborted', wasSent: false })
    expect(judged).toEqual([])
  })

  test('is not waited for any longer by a caller who gives up, whatever the answer will be', async () => {
    const signal = new Abort()
    const { judged, answer } = ask(() => new Promise(() => undefined), signal)
    signal.abort()
    expect(await answer).toMatchObject({ kind: 'aborted', wasSent: false })
    expect(judged).toEqual([])
  })
})
