/**
 * lock: one at a time, whoever waits and whoever died.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeFiles } from '../../src/world/node/files.ts'
import { holdLock } from '../../src/world/node/lock.ts'
import { createScratch } from '../worlds/scratch.ts'

function openPlace(): { readonly file: string; readonly lock: string } & Disposable {
  const scratch = createScratch()
  const file = join(scratch.home, 'state', 'sign-ins.json')
  return { file, lock: `${file}.lock`, [Symbol.dispose]: () => scratch[Symbol.dispose]() }
}

/** Somebody else's lock, as it stands on disk. */
function leaveLock(lock: string, pid: number, place: string, id = 'other'): void {
  writeFileSync(lock, JSON.stringify({ pid, place, id }))
}

/** How locks of this machine call it. */
function findPlace(file: string): Promise<string> {
  return nodeFiles.locked(file, async () => {
    const { place } = JSON.parse(readFileSync(`${file}.lock`, 'utf8')) as { readonly place: string }
    return place
  })
}

test('steps do not overlap, and each gets its turn', async () => {
  using place = openPlace()
  let inside = 0
  let most = 0
  const step = async (): Promise<void> => {
    inside++
    most = Math.max(most, inside)
    await new Promise((resolve) => setImmediate(resolve))
    inside--
  }
  await Promise.all(Array.from({ length: 10 }, () => nodeFiles.locked(place.file, step)))
  expect(most).toBe(1)
  expect(existsSync(place.lock)).toBe(false)
})

test('a step that fails gives the lock back', async () => {
  using place = openPlace()
  const failing = nodeFiles.locked(place.file, () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  expect(await nodeFiles.locked(place.file, async () => 'mine')).toBe('mine')
})

test('the lock of a process that is gone is taken over at once', async () => {
  using place = openPlace()
  const here = await findPlace(place.file)
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  leaveLock(place.lock, child.pid!, here)
  const began = performance.now()
  await Promise.all(Array.from({ length: 5 }, () => nodeFiles.locked(place.file, async () => undefined)))
  expect(performance.now() - began).toBeLessThan(2000)
})

test('the lock of a process that lives is waited for', async () => {
  using place = openPlace()
  const here = await findPlace(place.file)
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'])
  leaveLock(place.lock, child.pid!, here)
  // As if it had been asleep for a while: it is still alive.
  const before = new Date(Date.now() - 20_000)
  utimesSync(place.lock, before, before)
  let isMine = false
  const mine = nodeFiles.locked(place.file, async () => void (isMine = true))
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(isMine).toBe(false)
  child.stdin.end()
  await once(child, 'exit')
  await mine
  expect(isMine).toBe(true)
})

test('a lock from another machine is taken over once nobody touches it', async () => {
  using place = openPlace()
  await findPlace(place.file)
  leaveLock(place.lock, process.pid, 'elsewhere')
  const before = new Date(Date.now() - 11_000)
  utimesSync(place.lock, before, before)
  expect(await nodeFiles.locked(place.file, async () => 'mine')).toBe('mine')
})

test('who waits gives up when one process keeps the lock for too long, and leaves it to that', async () => {
  using place = openPlace()
  leaveLock(place.lock, process.pid, await findPlace(place.file))
  const held = readFileSync(place.lock, 'utf8')
  const waiting = holdLock(place.file, undefined, { holdMs: 200, waitMs: 60_000 })
  await expect(waiting).rejects.toMatchObject({
    code: 'ELOCKED',
    message: `${place.lock} is held by another process`,
  })
  expect(readFileSync(place.lock, 'utf8')).toBe(held)
})

test('a lock that goes from one to the next is waited for longer, but not without end', async () => {
  using place = openPlace()
  const here = await findPlace(place.file)
  let holders = 0
  const pass = (): void => leaveLock(place.lock, process.pid, here, (holders++).toString(16))
  pass()
  const passing = setInterval(pass, 20)
  const began = performance.now()
  try {
    const waiting = holdLock(place.file, undefined, { holdMs: 1000, waitMs: 2500 })
    await expect(waiting).rejects.toMatchObject({ code: 'ELOCKED' })
  } finally {
    clearInterval(passing)
  }
  expect(performance.now() - began).toBeGreaterThan(2400)
})
