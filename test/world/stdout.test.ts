/**
 * stdout: what reaches it of a process in which everything prints, seen from outside.
 */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runChild } from '../processes/plugboard.ts'
import { createScratch } from '../worlds/scratch.ts'

const HOST = fileURLToPath(new URL('../processes/speaks-on-stdout.mjs', import.meta.url))

const NOISE = [
  'noise of console.log',
  'noise of console.info',
  'noise of stdout.write',
  'noise of a buffer',
  'noise with a callback',
  'noise of stdout.end',
  'noise of a thread',
]

describe('the stdout of a host that speaks on it', () => {
  it.each([
    ['kept', []],
    ['given-back', ['everybody']],
  ])('has its messages and nothing else (%s)', async (how, rest) => {
    using scratch = createScratch()
    const env = { PATH: process.env['PATH'] ?? '', HOME: scratch.home }
    const { code, stdout, stderr } = await runChild([process.execPath, HOST, how], {
      cwd: scratch.project,
      env,
    })
    expect(code).toBe(0)
    expect(stdout.trimEnd().split('\n')).toEqual([
      '{"tools":["mcp__chatty__chat"]}',
      '[{"type":"text","text":"quiet"}]',
      JSON.stringify('x'.repeat(300_000)),
      ...rest,
    ])
    expect(stderr.split('\n')).toEqual(expect.arrayContaining(NOISE))
    expect(stderr).toContain('of console.table')
  })
})
