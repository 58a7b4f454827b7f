/**
 * lock: lets one step run at a time, across processes, for as long as an `await` takes.
 *
 * A lock is a file beside the file that it protects, and names the process that holds it. Another process breaks the
 * lock when the holder is gone. On this machine it can check that at once. It also breaks a lock that its holder has
 * not touched for long.
 *
 * never  breaks a lock whose process is alive and well; waits without end, or for something that is no file
 */
import {
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
  type Stats,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Waiting processes retry after random pauses. The longer they wait, the more of them there are, so the pauses grow. A
 * process that has waited for long retries often again: otherwise newcomers would always get the lock first.
 */
const PAUSE_MS = { least: 5, most: 40, longest: 250 }
const LONG_MS = 10_000

/** How often a holder touches its lock, to show that it is alive. */
const TOUCH_MS = 1000

/**
 * A lock untouched for this long is stale. The holder is on another machine, or on this one, where it may only have
 * been suspended.
 */
const STALE_MS = { elsewhere: 10_000, here: 60_000 }

/**
 * A lock gets its name together with its text. A lock that is empty for longer was left by a process that died in
 * between.
 */
const EMPTY_MS = 1000

export interface Patience {
  /** Longer than any step that runs under a lock: a process that holds it for longer hangs. */
  readonly holdMs: number
  /** For any number of holders: at two hundred writes a second, ten minutes are a hundred thousand writers. */
  readonly waitMs: number
}

const PATIENCE: Patience = { holdMs: 120_000, waitMs: 600_000 }

export interface HeldLock {
  readonly id: string
  /** False when another process broke this lock, as after a long sleep of the machine. */
  isHeld(): boolean
  release(): void
}

/**
 * Resolves when this process holds the lock. Rejects with an Error with a `code`: `ELOCKED` when the same process holds
 * the lock for two minutes, or others for ten; `ENOTLOCK`, with the path, when something that is no file stands in its
 * place. `onBroken` gets the id of a broken lock before any process can acquire the new one.
 */
export async function holdLock(
  file: string,
  onBroken?: (id: string) => void,
  patience = PATIENCE,
): Promise<HeldLock> {
  const lock = `${file}.lock`
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const id = createId()
  const mark = JSON.stringify({ pid: process.pid, place: placeOf(), id })
  const since = Date.now()
  let holder: { readonly text: string | undefined; readonly since: number } = { text: undefined, since }
  for (let tries = 0; isThere(lock) || !tryTake(lock, { text: mark, id }); tries++) {
    if (breakStale(lock, onBroken)) continue
    const now = Date.now()
    const text = tryRead(lock)
    if (text !== holder.text) holder = { text, since: now }
    if (now - holder.since > patience.holdMs || now - since > patience.waitMs)
      throw Object.assign(new Error(`${lock} is held by another process`), { code: 'ELOCKED' })
    await pause(pauseAfter(tries, now - since))
  }
  const timer = setInterval(() => touch(lock, mark), TOUCH_MS).unref()
  return {
    id,
    isHeld: () => tryRead(lock) === mark,
    release: () => {
      clearInterval(timer)
      // Another process may have broken this lock. What is there now belongs to that process.
      if (tryRead(lock) === mark) rmSync(lock, { force: true })
    },
  }
}

function pauseAfter(tries: number, waitedMs: number): number {
  const grown = Math.min(PAUSE_MS.most * 1.2 ** tries, PAUSE_MS.longest)
  const most = waitedMs > LONG_MS ? PAUSE_MS.most : grown
  return PAUSE_MS.least + Math.random() * (most - PAUSE_MS.least)
}

/** An id must be unique, not secret. Loading `node:crypto` for it would take longer than the rest takes to run. */
function createId(): string {
  return [process.pid, Date.now(), Math.floor(Math.random() * 2 ** 48)]
    .map((one) => one.toString(16))
    .join('-')
}

/**
 * A stat costs a tenth of an error. Throws for something that Plugboard did not make: a folder or a link from a
 * repository never goes away.
 */
function isThere(lock: string): boolean {
  const stats = look(lock)
  if (stats === undefined) return false
  if (stats.isFile()) return true
  throw Object.assign(new Error(`${lock} is no file`), { code: 'ENOTLOCK', path: lock })
}

/** Of the path itself, not of a link's target. */
function look(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

/**
 * Writes the text before the file gets its name: a process that ends in between leaves no lock that others would wait
 * for.
 */
function tryTake(lock: string, { text, id }: { readonly text: string; readonly id: string }): boolean {
  const draft = draftOf(lock, id)
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' })
    linkSync(draft, lock)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST') return false
    // Some file systems have no hard links.
    if (code !== undefined && NO_LINKS.has(code) && look(draft) !== undefined) return tryCreate(lock, text)
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function draftOf(lock: string, id: string): string {
  return `${lock}.${id}`
}

const NO_LINKS: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
])

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

function tryCreate(file: string, text: string): boolean {
  let descriptor: number
  try {
    descriptor = openSync(file, 'wx', 0o600)
  } catch (error) {
    const code = codeOf(error)
    // Windows answers EPERM for a file that is being deleted.
    if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false
    throw error
  }
  try {
    writeSync(descriptor, text)
  } catch (error) {
    rmSync(file, { force: true }) // the disk is full: no process shall wait for a lock without text
    throw error
  } finally {
    closeSync(descriptor)
  }
  return true
}

function touch(lock: string, mark: string): void {
  try {
    const now = new Date()
    if (tryRead(lock) === mark) utimesSync(lock, now, now)
  } catch {
    // The lock is gone: the process that broke it holds it now, and `release` leaves that alone.
  }
}

/**
 * Says whether it broke the lock. Two processes that find it stale must not both remove it, or the second would remove
 * the lock of the first. Only the process that makes `<lock>.break` may remove it, after it has read the same lock
 * again.
 */
function breakStale(lock: string, onBroken?: (id: string) => void): boolean {
  const found = findStale(lock)
  if (found === undefined) return false
  const breaking = `${lock}.break`
  if (!tryCreate(breaking, '')) {
    // Left by a process that died while it broke the lock.
    if (isThere(breaking) && ageOf(breaking) > STALE_MS.elsewhere) rmSync(breaking, { force: true })
    return false
  }
  try {
    if (findStale(lock) !== found) return false
    const id = tryHolder(found)?.id
    if (id !== undefined) {
      onBroken?.(id)
      rmSync(draftOf(lock, id), { force: true })
    }
    rmSync(lock, { force: true })
    return true
  } finally {
    rmSync(breaking, { force: true })
  }
}

/** The text of a lock whose holder is gone. */
function findStale(lock: string): string | undefined {
  const text = tryRead(lock)
  if (text === undefined) return undefined
  const ageMs = ageOf(lock)
  const holder = tryHolder(text)
  if (holder === undefined) return ageMs > (text === '' ? EMPTY_MS : STALE_MS.elsewhere) ? text : undefined
  const isHere = holder.place === placeOf()
  if (isHere && !isAlive(holder.pid)) return text
  return ageMs > (isHere ? STALE_MS.here : STALE_MS.elsewhere) ? text : undefined
}

interface Holder {
  readonly pid: number
  readonly place: string
  readonly id?: string
}

function tryHolder(text: string): Holder | undefined {
  try {
    const { pid, place, id } = JSON.parse(text) as Partial<Holder>
    const isId = typeof id === 'string' && /^[\da-f-]+$/.test(id)
    if (typeof pid !== 'number' || typeof place !== 'string') return undefined
    return { pid, place, ...(isId ? { id } : {}) }
  } catch {
    return undefined // not written yet
  }
}

/**
 * The scope in which process ids mean the same: containers may share a folder and a host name, but not their processes.
 */
function placeOf(): string {
  return (place ??= `${hostname()} ${processesOf()}`)
}

/** It does not change, and waiting processes read it often. */
let place: string | undefined

function processesOf(): string {
  try {
    return process.platform === 'linux' ? readlinkSync('/proc/self/ns/pid') : ''
  } catch {
    return '' // no /proc: the host name alone decides
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process of another user exists, too.
    return codeOf(error) === 'EPERM'
  }
}

/** 0 when it is gone. A time in the future counts like one in the past: holders touch their locks every second. */
function ageOf(file: string): number {
  const stats = look(file)
  return stats === undefined ? 0 : Math.abs(Date.now() - stats.mtimeMs)
}

function tryRead(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined // gone in between
  }
}
