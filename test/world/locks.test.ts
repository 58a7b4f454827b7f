/**
 * locks: a file that several processes change, and locks of those that did not end well.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
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

test('what is no file in the place of a lock ends the write at once, with its path', async () => {
  const file = join(folder, 'list.json')
  const lock = `${file}.plugboard.lock`
  const put: readonly (() => void)[] = [
    () => mkdirSync(lock),
    () => symlinkSync('/dev/zero', lock),
    () => symlinkSync('nowhere', lock),
    () => spawnSync('mkfifo', [lock]),
  ]
  for (const make of put) {
    make()
    await expect(nodeFiles.update(file, 0o600, () => 'ours')).rejects.toMatchObject({
      why: { kind: 'lock-taken', path: lock },
    })
    rmSync(lock, { recursive: true })
  }
  writeFileSync(lock, '{}')
  utimesSync(lock, new Date(0), new Date(0))
  mkdirSync(`${lock}.break`)
  await expect(nodeFiles.update(file, 0o600, () => 'ours')).rejects.toMatchObject({
    why: { kind: 'lock-taken', path: `${lock}.break` },
  })
})

test('a lock with a time that is yet to come is no better than an old one', async () => {
  const file = join(folder, 'list.json')
  const lock = `${file}.plugboard.lock`
  const later = new Date(Date.now() + 3_600_000)
  writeFileSync(lock, JSON.stringify({ pid: 1, place: 'elsewhere', id: '1' }))
  utimesSync(lock, later, later)
  mkdirSync(`${file}.lock`)
  utimesSync(`${file}.lock`, later, later)
  await nodeFiles.update(file, 0o600, () => 'ours')
  expect(readFileSync(file, 'utf8')).toBe('ours')
})

test('a lock has its text from the moment it has its name', async () => {
  const lock = join(folder, 'x.lock')
  const seen = new Set<string>()
  let isOver = false
  const look = (): void => {
    for (let i = 0; i < 50; i++) {
      try {
        seen.add(readFileSync(lock, 'utf8') === '' ? 'empty' : 'filled')
      } catch {
        seen.add('none')
      }
    }
    if (!isOver) setImmediate(look)
  }
  look()
  const script = `
    const { holdLock } = await import(process.argv[1])
    for (let i = 0; i < 300; i++) (await holdLock(process.argv[2])).release()`
  const lockFile = join(folder, 'lock.mjs')
  const graph = await rolldown({
    input: fileURLToPath(new URL('../../src/world/node/lock.ts', import.meta.url)),
    platform: 'node',
  })
  await graph.write({ file: lockFile })
  await graph.close()
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, lockFile, join(folder, 'x')])
  await once(child, 'close')
  isOver = true
  expect([...seen].sort()).toEqual(['filled', 'none'])
})
