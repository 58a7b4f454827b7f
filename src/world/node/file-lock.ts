/**
 * file-lock: one writer of a file at a time, among all processes that use this lock; or one step, however long it waits.
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
import {
  closeSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

export interface FileLock {
  /** Part of the names of all that its holder leaves lying about, so that who breaks the lock can clean up. */
  readonly token: string
  /** False when it was thought dead, as after a long sleep of the machine. */
  isHeld(): boolean
  release(): void
}

/** How long a step may take that is run under a lock, or a crowd of writers. */
const PATIENCE_MS = 120_000

/** A holder shows that it is alive. */
const TOUCH_MS = 1000

/** Of a holder whose process cannot be looked at, because it is on another machine or in another container. */
const SILENT_MS = 10_000

/** Of a holder whose process lives: too long for one that is well, and for a number that was given out anew. */
const STUCK_MS = 60_000

/** Rejects with the errors of the file system, and with `ELOCKED`. */
export async function lockFile(file: string, suffix = '.plugboard-lock'): Promise<FileLock> {
  const lock = `${file}${suffix}`
  const token = `${placeOf()}-${process.pid}-${randomBytes(6).toString('hex')}`
  const until = Date.now() + PATIENCE_MS
  for (let tries = 0; !tryTake(lock, token); tries++) {
    if (Date.now() > until) throw Object.assign(new Error(`${lock} is held by others`), { code: 'ELOCKED' })
    if (breakDead(file, lock)) continue
    // All over the place, so that a crowd does not come back together; those who wait are woken by nobody.
    await pause(1 + Math.random() * Math.min(2 ** tries, 30))
  }
  const isHeld = (): boolean => holderOf(lock)?.token === token
  const timer = setInterval(() => isHeld() && touch(lock), TOUCH_MS).unref()
  return {
    token,
    isHeld,
    release: () => {
      clearInterval(timer)
      if (isHeld()) rmSync(lock, { force: true })
    },
  }
}

function touch(lock: string): void {
  try {
    const now = new Date()
    utimesSync(lock, now, now)
  } catch {
    return // taken from us this moment: `isHeld` will say so
  }
}

/** Where process ids mean the same: containers may share a folder and a host name, but not their processes. */
function placeOf(): string {
  return `${hostname().replaceAll(/[^\w.-]/g, '_')}${processesOf()}`
}

function processesOf(): string {
  try {
    return process.platform === 'linux' ? readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '~') : ''
  } catch {
    return '' // no /proc: by the host name alone
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
  const [, place, pid] = /^(.*)-(\d+)-[0-9a-f]+$/.exec(token) ?? []
  if (place !== placeOf()) return ageMs > SILENT_MS
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
