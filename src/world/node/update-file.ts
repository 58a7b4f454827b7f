/**
 * update-file: changes a file in one atomic step, whatever happens meanwhile.
 *
 * in     a function from the current text to the new text; it may be called more than once
 * out    the file with the new text, on disk, with its mode and owner; a link stays a link, and its target is changed
 * never  overwrites what another program wrote since the read; follows a link out of the folder that it must stay in;
 *        leaves a half-written file, or any other file beside it
 */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fdatasync,
  fstatSync,
  fsync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type BigIntStats,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { UpdateError, type FileRead, type Unwritable } from '../world.ts'
import { holdLock, type HeldLock } from './lock.ts'
import { findObstacle } from './obstacle.ts'

const datasync = promisify(fdatasync)
const sync = promisify(fsync)

export interface UpdateRequest {
  readonly file: string
  readonly mode: number
  /** A folder that the file must not leave, not even through a link. */
  readonly within?: string | undefined
  readonly change: (text: string | undefined) => string | undefined
  /** The text as the rest of Plugboard reads it: without a byte order mark. */
  readonly read: (file: string) => FileRead
}

/** How often a program that ignores locks may write in between. */
const TRIES = 50

/** Rejects with an UpdateError, or with what `change` threw. */
export async function updateFile(request: UpdateRequest): Promise<void> {
  try {
    const target = findTarget(request.file)
    if (request.within !== undefined) requireWithin(request.file, target, request.within)
    makeFolder(dirname(target), request.mode)
    requireWritable(target)
    let lock = await hold(target)
    try {
      for (let tries = 0; !(await tryUpdate({ ...request, target, lock })); tries++) {
        if (tries === TRIES) throw new UpdateError({ kind: 'busy' })
        if (lock.isHeld()) continue
        lock.release()
        lock = await hold(target)
      }
    } finally {
      lock.release()
    }
  } catch (error) {
    throw toUpdateError(error, request.file)
  }
}

/** Not `<file>.lock`: other agents use that name for their locks. */
async function hold(target: string): Promise<HeldLock> {
  const lock = await holdLock(`${target}.plugboard`, (id) => rmSync(draftOf(target, id), { force: true }))
  try {
    await waitForOthers(target)
    return lock
  } catch (error) {
    lock.release()
    throw error
  }
}

interface Attempt extends UpdateRequest {
  readonly target: string
  readonly lock: HeldLock
}

/** False when another program wrote in between. The caller then starts again with the new text. */
async function tryUpdate({ target, lock, change, read, mode }: Attempt): Promise<boolean> {
  const before = look(target)
  const found = read(target)
  if (found.kind === 'unreadable') throw new UpdateError({ kind: 'unreadable', why: found.why })
  const text = found.kind === 'text' ? found.text : undefined
  const wanted = change(text)
  if (wanted === undefined || wanted === text) return before === undefined || isSame(before, look(target))
  requireWritable(target)
  const draft = draftOf(target, lock.id)
  try {
    const hasMark = before !== undefined && startsWithMark(target)
    await writeDraft(draft, (hasMark ? '\ufeff' : '') + wanted, { before, mode })
    // Only between this check and the rename could a program without a lock be overwritten. No system call in Node
    // could prevent that.
    if (!lock.isHeld() || !isSame(before, look(target))) return false
    await replace(draft, target)
  } finally {
    rmSync(draft, { force: true })
  }
  await syncFolder(dirname(target))
  return true
}

/** Named by the id of the lock, so that the process that breaks the lock can remove it. */
function draftOf(target: string, id: string): string {
  return `${target}.${id}.draft`
}

/** Follows links, also to a file that does not exist yet. */
function findTarget(file: string): string {
  let path = resolve(file)
  for (let links = 0; links < 40; links++) {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats?.isSymbolicLink() !== true) return realPathOf(path)
    path = resolve(dirname(path), readlinkSync(path))
  }
  throw new UpdateError({ kind: 'unreadable', why: { kind: 'link-loop' } })
}

/** One lock for one file, whichever path leads to its folder. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return path // it is not there yet
  }
}

/** Throws for a link that leads out of the folder: of the file itself, or of a folder on the way to it. */
function requireWithin(file: string, target: string, folder: string): void {
  const root = realPathAsFarAs(folder)
  const real = realPathAsFarAs(target)
  if (isInside(real, root)) return
  throw new UpdateError({ kind: 'outside', link: findLink(resolve(file), root), target: real })
}

/** The first step on the path that leads out: a link in a folder that is still inside. */
function findLink(file: string, root: string): string {
  const inside = isInside(realPathAsFarAs(dirname(file)), root)
  return inside || dirname(file) === file ? file : findLink(dirname(file), root)
}

/** Also for a path that does not exist yet: the part that exists decides where it will be. */
function realPathAsFarAs(path: string): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    return join(realPathAsFarAs(dirname(path)), basename(path))
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

function makeFolder(folder: string, mode: number): void {
  // A file that only its user may read belongs into a folder that only its user may list.
  mkdirSync(folder, { recursive: true, mode: (mode & 0o077) === 0 ? 0o700 : 0o777 })
}

/** The rename ignores whether the file itself is writable. */
function requireWritable(target: string): void {
  const stats = look(target)
  if (stats === undefined) return
  const mine = process.geteuid?.()
  if (mine !== undefined && mine !== 0 && Number(stats.uid) !== mine)
    throw new UpdateError({ kind: 'other-owner', uid: Number(stats.uid) })
  // root may write to every file, but the owner made this one read-only on purpose.
  if ((Number(stats.mode) & 0o222) === 0) throw new UpdateError({ kind: 'read-only-file' })
  accessSync(target, constants.W_OK)
}

function look(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })
}

/** Whether the file is unchanged between two checks. */
function isSame(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  const keys = ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const
  return keys.every((key) => one[key] === other[key])
}

function startsWithMark(file: string): boolean {
  const descriptor = openSync(file, 'r')
  try {
    const start = Buffer.alloc(3)
    return readSync(descriptor, start, 0, 3, 0) === 3 && start.equals(Buffer.from('\ufeff'))
  } finally {
    closeSync(descriptor)
  }
}

async function writeDraft(
  draft: string,
  text: string,
  { before, mode }: { readonly before: BigIntStats | undefined; readonly mode: number },
): Promise<void> {
  const descriptor = openSync(draft, 'wx', mode)
  try {
    writeFileSync(descriptor, text)
    if (before !== undefined && process.platform !== 'win32') {
      const made = fstatSync(descriptor)
      const [uid, gid] = [Number(before.uid), Number(before.gid)]
      if (made.uid !== uid || made.gid !== gid) fchownSync(descriptor, uid, gid)
      // After the owner, because changing the owner may remove bits; and independent of the umask.
      fchmodSync(descriptor, mode)
    }
    // The only slow step: the rest of the process continues meanwhile.
    await datasync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Windows refuses to replace a file that another program has open. So it is tried for a second. */
async function replace(draft: string, target: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      if (process.platform === 'win32' && tries > 0) chmodSync(draft, 0o666)
      renameSync(draft, target)
      return
    } catch (error) {
      const isBusy = ['EPERM', 'EACCES', 'EBUSY'].includes(codeOf(error) ?? '')
      if (process.platform !== 'win32' || !isBusy || tries === 20) throw error
      await pause(50)
    }
  }
}

/** So that the new name is on disk too. Windows has no way to ask for it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    await sync(descriptor)
  } catch (error) {
    // Some network file systems cannot do it, and do not need it.
    if (!['EINVAL', 'ENOTSUP', 'EBADF'].includes(codeOf(error) ?? '')) throw error
  } finally {
    closeSync(descriptor)
  }
}

/** How long to wait for a lock of the other kind: its library calls it stale after that long. */
const OTHERS_MS = 10_000

/** Other agents lock their files with `proper-lockfile`: a folder beside the file, touched while it is held. */
async function waitForOthers(target: string): Promise<void> {
  const until = Date.now() + OTHERS_MS
  while (Date.now() < until) {
    const stats = statSync(`${target}.lock`, { throwIfNoEntry: false })
    if (stats?.isDirectory() !== true || Math.abs(Date.now() - stats.mtimeMs) > OTHERS_MS) return
    await pause(20)
  }
}

/** Turns an error of the system into an UpdateError, and returns any other error as it is. */
export function toUpdateError(error: unknown, file: string): unknown {
  const code = codeOf(error)
  const isSystem = error instanceof Error && 'syscall' in error
  if (error instanceof UpdateError || (!isSystem && code !== 'ELOCKED' && code !== 'ENOTLOCK')) return error
  return new UpdateError(toUnwritable(code, { error: error as Error, file }), { cause: error })
}

function toUnwritable(
  code: string | undefined,
  { error, file }: { readonly error: Error; readonly file: string },
): Unwritable {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return { kind: 'disk-full' }
    case 'EROFS':
      return { kind: 'read-only-disk' }
    case 'EACCES':
    case 'EPERM':
      return { kind: 'denied', path: pathOfObstacle(file) ?? (error as NodeJS.ErrnoException).path ?? file }
    case 'ENOTDIR':
    case 'EEXIST':
      return { kind: 'no-folder', path: pathOfObstacle(file) ?? dirname(file) }
    case 'ENOENT': {
      // A dangling link stands where the folder would be made.
      const path = pathOfObstacle(file)
      return path === undefined ? { kind: 'failed', message: error.message } : { kind: 'no-folder', path }
    }
    case 'ENOTLOCK':
      return { kind: 'lock-taken', path: (error as NodeJS.ErrnoException).path! }
    case 'ELOCKED':
      return { kind: 'locked' }
    default:
      return { kind: 'failed', message: error.message }
  }
}

function pathOfObstacle(file: string): string | undefined {
  return findObstacle(dirname(file))?.path
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}
