/**
 * locks: a file that several processes change, and locks of those that did not end well.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
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

test('the lock of a process that was killed this moment is taken over by whoever comes, with its draft', async () => {
  const file = join(folder, 'list.json')
  const lock = `${file}.plugboard.lock`
  let held = ''
  await nodeFiles.update(file, 0o600, () => {
    held = readFileSync(lock, 'utf8')
    return 'first'
  })
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  const { id } = JSON.parse(held) as { readonly id: string }
  writeFileSync(lock, JSON.stringify({ ...(JSON.parse(held) as object), pid }))
  writeFileSync(`${file}.${id}.draft`, 'half')
  await nodeFiles.update(file, 0o600, (text) => `${text} and second`)
  expect(readFileSync(file, 'utf8')).toBe('first and second')
  expect(readdirSync(folder)).toEqual(['list.json'])
})

test('a lock without a name is taken over when it is old', async () => {
  const file = join(folder, 'list.json')
  writeFileSync(`${file}.plugboard.lock`, '')
  utimesSync(`${file}.plugboard.lock`, new Date(0), new Date(0))
  await nodeFiles.update(file, 0o600, () => 'written')
  expect(readFileSync(file, 'utf8')).toBe('written')
})

test('a lock that was taken away from a process that stood still makes it begin anew', async () => {
  const file = join(folder, 'list.json')
  let asked = 0
  const update = nodeFiles.update(file, 0o600, (text) => {
    if (asked++ === 0) {
      rmSync(`${file}.plugboard.lock`)
      writeFileSync(file, 'theirs')
    }
    return `${text} and ours`
  })
  await update
  expect(readFileSync(file, 'utf8')).toBe('theirs and ours')
})
