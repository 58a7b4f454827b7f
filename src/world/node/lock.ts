/**
 * lock: one at a time, across processes, for as long as an `await` takes.
 *
 * A lock is a file beside the one it is for, with the process that holds it. It is taken over when that process is gone,
 * which can be told at once if it lived on this machine; or when nobody has touched the lock for long, whoever holds it.
 *
 * never  takes over a lock whose process is alive and well; waits without end, or for what is no file
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
 * Those who wait wake by chance, and one of them gets it: less often the longer they wait, since then they are many. Who
 * has waited for long looks often again, or those who have just come would always be before it.
 */
const PAUSE_MS = { least: 5, most: 40, longest: 250 }
const LONG_MS = 10_000

/** A holder shows that it is alive. */
const TOUCH_MS = 1000

/** Untouched for so long, it is nobody's: of a process elsewhere, and of one here that may only have been asleep. */
const STALE_MS = { elsewhere: 10_000, here: 60_000 }

/** A lock gets its name with its text in it; one that is empty for longer was left by a process that ended in between. */
const EMPTY_MS = 1000

export interface Patience {
  /** Longer than any step that is run under a lock: the same holder for so long is one that hangs. */
  readonly holdMs: number
  /** However many there are: at two hundred writes a second, ten minutes are a crowd of a hundred thousand. */
  readonly waitMs: number
}

const PATIENCE: Patience = { holdMs: 120_000, waitMs: 600_000 }

export interface HeldLock {
  readonly id: string
  /** False when somebody took this process for dead, as after a long sleep of the machine. */
  isHeld(): boolean
  release(): void
}

/**
 * Resolves when it is ours. Rejects with an Error whose code is `ELOCKED` when the same process holds it for two minutes,
 * or others for ten; `ENOTLOCK`, with the path, when something that is no file stands in its place. `onBroken` is told whose lock was taken over, by its id, before anybody else can have it.
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
      // Somebody may have taken it for dead: what is there now is theirs.
      if (tryRead(lock) === mark) rmSync(lock, { force: true })
    },
  }
}

function pauseAfter(tries: number, waitedMs: number): number {
  const grown = Math.min(PAUSE_MS.most * 1.2 ** tries, PAUSE_MS.longest)
  const most = waitedMs > LONG_MS ? PAUSE_MS.most : grown
  return PAUSE_MS.least + Math.random() * (most - PAUSE_MS.least)
}

/** Told apart from all others, not kept from anybody: for that alone, `node:crypto` would take longer to load than the rest to run. */
function createId(): string {
  return [process.pid, Date.now(), Math.floor(Math.random() * 2 ** 48)]
    .map((one) => one.toString(16))
    .join('-')
}

/** A look costs a tenth of a failure. Throws for what no Plugboard made: a folder or a link from a repository never goes away. */
function isThere(lock: string): boolean {
  const stats = look(lock)
  if (stats === undefined) return false
  if (stats.isFile()) return true
  throw Object.assign(new Error(`${lock} is no file`), { code: 'ENOTLOCK', path: lock })
}

/** The thing itself, and not what a link leads to. */
function look(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

/** Filled before it gets its name: a process that ends in between leaves nothing that others would have to wait for. */
function tryTake(lock: string, { text, id }: { readonly text: string; readonly id: string }): boolean {
  const draft = draftOf(lock, id)
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' })
    linkSync(draft, lock)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST') return false
    // Some file systems have no second names.
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
    // Windows says EPERM of a file that is just going away.
    if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false
    throw error
  }
  try {
    writeSync(descriptor, text)
  } catch (error) {
    rmSync(file, { force: true }) // the disk is full: nobody shall wait for a lock without a name
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
    // It is gone: whoever took it has it now, and `release` leaves it alone.
  }
}

/**
 * Says whether it was broken. Two who find it stale must not both remove it, or the second would remove the lock of the
 * first: the one who makes `<lock>.break` may, once it has seen the same lock again.
 */
function breakStale(lock: string, onBroken?: (id: string) => void): boolean {
  const found = findStale(lock)
  if (found === undefined) return false
  const breaking = `${lock}.break`
  if (!tryCreate(breaking, '')) {
    // Left by one who died in the middle of this.
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

/** The text of a lock that is nobody's. */
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

/** Where process ids mean the same: containers may share a folder and a host name, but not their processes. */
function placeOf(): string {
  return (place ??= `${hostname()} ${processesOf()}`)
}

/** It does not change, and those who wait ask often. */
let place: string | undefined

function processesOf(): string {
  try {
    return process.platform === 'linux' ? readlinkSync('/proc/self/ns/pid') : ''
  } catch {
    return '' // no /proc: by the host name alone
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's process is one, too.
    return codeOf(error) === 'EPERM'
  }
}

/** 0 when it is gone. A time that is yet to come is as far from now as one that is over: holders touch theirs every second. */
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
