/**
 * file-lock: one writer of a file at a time, among all processes that use this lock.
 *
 * in     a file; the lock stands beside it, and says who holds it
 * out    what gives it back
 * never  keeps anybody out for a process that is dead; waits longer than it says; believes that it holds what was taken
 *        from it
 *
 * Not `proper-lockfile`: it learns of a dead holder by ten seconds of silence, and two who find the same dead lock can
 * both take it. A holder here leaves its process id, and a dead one's lock is broken by whoever first makes a file whose
 * name is that of the lock which is to go.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync, rmSync, statSync, unlinkSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

export interface FileLock {
  /** Part of the names of all that its holder leaves lying about, so that who breaks the lock can clean up. */
  readonly token: string
  /** False when it was thought dead, as after a long sleep of the machine. */
  isHeld(): boolean
  release(): void
}

/** Of a holder whose process cannot be looked at, because it is on another machine. */
const SILENT_MS = 10_000

/** Of a holder whose process lives: long enough for any disk, and too long for a number that was given out anew. */
const STUCK_MS = 60_000

/** How long to wait while others come and go. */
const PATIENCE_MS = 60_000

/** Rejects with the errors of the file system, and with `ELOCKED`. */
export async function lockFile(file: string): Promise<FileLock> {
  const lock = `${file}.plugboard-lock`
  const token = `${hostname().replaceAll(/[^\w.-]/g, '_')}-${process.pid}-${randomBytes(6).toString('hex')}`
  const until = Date.now() + PATIENCE_MS
  for (let tries = 0; !tryTake(lock, token); tries++) {
    if (Date.now() > until) throw Object.assign(new Error(`${lock} is held by others`), { code: 'ELOCKED' })
    if (breakDead(file, lock)) continue
    // All over the place, so that a crowd does not come back together; those who wait are woken by nobody.
    await pause(1 + Math.random() * Math.min(2 ** tries, 30))
  }
  return {
    token,
    isHeld: () => holderOf(lock)?.token === token,
    release: () => {
      if (holderOf(lock)?.token === token) unlinkSync(lock)
    },
  }
}

function tryTake(lock: string, token: string): boolean {
  let descriptor: number
  try {
    descriptor = openSync(lock, 'wx', 0o600)
  } catch (error) {
    // Windows says EPERM of a file that is just going away.
    const isHeld = codeOf(error) === 'EEXIST' || (process.platform === 'win32' && codeOf(error) === 'EPERM')
    if (isHeld) return false
    throw error
  }
  try {
    writeSync(descriptor, token)
  } catch (error) {
    rmSync(lock, { force: true }) // the disk is full: nobody shall wait for a lock without a name
    throw error
  } finally {
    closeSync(descriptor)
  }
  return true
}

interface Holder {
  /** Empty when it is just being written, or its writer died before. */
  readonly token: string
  readonly ageMs: number
}

function holderOf(lock: string): Holder | undefined {
  try {
    return { ageMs: Date.now() - statSync(lock).mtimeMs, token: readFileSync(lock, 'utf8') }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Whether the lock may be free now. */
function breakDead(file: string, lock: string): boolean {
  const holder = holderOf(lock)
  if (holder === undefined) return true
  if (!isDead(holder)) return false
  // Who makes this file may remove the lock of this holder, and nobody else. The holder cannot: it is dead.
  const mark = `${lock}.${holder.token}.dead`
  if (!tryMark(mark)) return false
  try {
    const isStillThere = holderOf(lock)?.token === holder.token
    if (!isStillThere) return true
    if (holder.token !== '') rmSync(draftOf(file, holder.token), { force: true })
    rmSync(lock, { force: true })
    return true
  } finally {
    rmSync(mark, { force: true })
  }
}

/** What the holder of a lock writes, before it takes the place of the file. */
export function draftOf(file: string, token: string): string {
  return `${file}.${token}.draft`
}

function tryMark(mark: string): boolean {
  try {
    closeSync(openSync(mark, 'wx', 0o600))
    return true
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    // Whoever made it needs it for a few system calls; after this long it is dead, too.
    if ((holderOf(mark)?.ageMs ?? 0) > SILENT_MS) rmSync(mark, { force: true })
    return false
  }
}

function isDead({ token, ageMs }: Holder): boolean {
  const [, host, pid] = /^(.*)-(\d+)-[0-9a-f]+$/.exec(token) ?? []
  const isHere = host === hostname().replaceAll(/[^\w.-]/g, '_')
  if (!isHere) return ageMs > SILENT_MS
  return !isAlive(Number(pid)) || ageMs > STUCK_MS
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH' // somebody else's process lives, too
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
