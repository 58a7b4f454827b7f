import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import {
  describeProcess,
  findFamily,
  findProcess,
  parsePs,
  readProcessTable,
  type ProcessRow,
} from '../../src/world/node/process-table.ts'

const row = (pid: number, parent: number, group = pid, session = group): ProcessRow => ({
  pid,
  parent,
  group,
  session,
  startedAt: `${pid}`,
})

describe('a family', () => {
  it('is a process, what descends from it, and what is in its session', () => {
    const table = [row(9, 7), row(5, 1, 5), row(7, 5), row(8, 1, 8, 5), row(6, 1), row(2, 1, 2, 2)]
    expect(findFamily(5, table).map(({ pid }) => pid)).toEqual([5, 7, 8, 9])
  })

  it('is still found by its session when its head is gone', () => {
    expect(findFamily(5, [row(8, 1, 8, 5), row(6, 1)]).map(({ pid }) => pid)).toEqual([8])
  })
})

describe.runIf(process.platform === 'linux')('the processes of this machine', () => {
  it('are the same as `ps` finds, with parent and group', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
      env: { npm_lifecycle_event: 'test' },
    })
    const ours = [process.pid, child.pid!]
    const pick = (rows: readonly ProcessRow[] | undefined): object[] =>
      ours.map((id) => {
        const { pid, parent, group } = rows!.find(({ pid }) => pid === id)!
        return { pid, parent, group }
      })
    const ps = spawnSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'pgid=', '-o', 'lstart='])
    expect(pick(readProcessTable('linux'))).toEqual(pick(parsePs(ps.stdout.toString())))
    expect(pick(readProcessTable('darwin'))).toEqual(pick(readProcessTable('linux')))
    const found = findProcess(child.pid!, 'linux')!
    expect(found.parent).toBe(process.pid)
    expect(describeProcess(found, 'darwin').args[0]).toBe(process.execPath)
    child.stdin.end()
    await once(child, 'exit')
    expect(findProcess(child.pid!, 'linux')).toBeUndefined()
  })
})

it('nothing is looked up on Windows', () => {
  expect(readProcessTable('win32')).toBeUndefined()
})
