/**
 * locks: a file that several processes change, and locks of those that did not end well.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeFiles } from '../../src/world/node/files.ts'

let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'plugboard-test-'))))
afterEach(() => rmSync(folder, { recursive: true }))

test('changes that come together are all made', async () => {
  const file = join(folder, 'list.json')
  const add = (i: number): Promise<void> => nodeFiles.update(file, 0o600, (text = '') => `${text}${i};`)
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(add))
  expect(readFileSync(file, 'utf8').split(';').sort().join('')).toBe('12345678')
})

test(
  'the lock of a process that was killed this moment is taken over by whoever waits',
  { timeout: 20_000 },
  async () => {
    const file = join(folder, 'list.json')
    mkdirSync(`${file}.lock`)
    // A second from now, as the first lock of a process has it.
    const at = new Date(Date.now() + 1000)
    utimesSync(`${file}.lock`, at, at)
    await nodeFiles.update(file, 0o600, () => 'written')
    expect(readFileSync(file, 'utf8')).toBe('written')
    expect(existsSync(`${file}.lock`)).toBe(false)
  },
)

test('a lock that was taken away from a process that stood still ends nothing', async () => {
  const file = join(folder, 'list.json')
  await nodeFiles.update(file, 0o600, () => {
    rmSync(`${file}.lock`, { recursive: true })
    // Long enough for the lock to be looked after as soon as the process goes on.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000)
    return 'written'
  })
  expect(readFileSync(file, 'utf8')).toBe('written')
})
