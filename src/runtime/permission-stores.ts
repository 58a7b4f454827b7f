/**
 * permission-stores: grants and pins, those on disk and those of this session, as one.
 *
 * in     grants and pins, to keep for good or for this session
 * out    all that count now; the same lists until one of them changes
 * never  throws: what cannot be written holds for this session, and is a problem
 */
import type { Grant, Pin } from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import type { OurDirs } from '../pipeline/discover/project.ts'
import { ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import { addGrant, grantFile, isSameGrant } from './grant-store.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { addPins, pinFile } from './pin-store.ts'
import { readState, rereadState, updateState } from './state-file.ts'
import { findXCodeGrants, takenOver } from './x-code-grants.ts'

export interface PermissionStores {
  read(): Stored
  /** Counts at once. Resolves when it is written, or has become a problem. */
  grant(grant: Grant): Promise<void>
  pin(pin: Pin, until: Grant['until']): Promise<void>
  /** Imports, once, what the user always allows in x-code. */
  takeOver(loaded: LoadedCatalog): Promise<void>
  /** Reads what other processes wrote meanwhile. */
  refresh(): void
  problems(): readonly Problem[]
}

export interface Stored {
  readonly grants: readonly Grant[]
  readonly pins: readonly Pin[]
  readonly pinProblem?: Problem
}

/** Another process may have written meanwhile, but the file is not read for every call. */
const FRESH_MS = 1000

/** `onPins`: called when other pins count than before, whichever process wrote them. */
export function openPermissionStores(
  world: World,
  dirs: Pick<OurDirs, 'state'>,
  onPins: () => void = () => undefined,
): PermissionStores {
  const [grants, pins] = [grantFile(world, dirs), pinFile(world, dirs)]
  let grantsRead = readState(world, grants)
  let pinsRead = readState(world, pins)
  let readAt = world.clock.now()
  /** Of this session, or on their way to disk. */
  let ownGrants: readonly Grant[] = []
  let ownPins: readonly Pin[] = []
  let merged: Stored | undefined
  const problems = new Map<string, Problem>()
  const report = (problem: Problem): void => void problems.set(problem.code, problem)

  const reread = (): void => {
    readAt = world.clock.now()
    const [before, beforePins] = [grantsRead, pinsRead]
    grantsRead = rereadState(world, grants, grantsRead)
    pinsRead = rereadState(world, pins, pinsRead)
    if (before !== grantsRead || beforePins !== pinsRead) merged = undefined
    if (beforePins !== pinsRead) onPins()
  }

  /** Returns false when it could not be written. */
  const write = async (work: Promise<void>): Promise<boolean> => {
    try {
      await work
      return true
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      report(error.problem)
      return false
    }
  }

  let waiting: readonly Pin[] = []
  let writing: Promise<void> = Promise.resolve()
  /** Tools that are called for the first time together are written together. */
  const writePins = async (): Promise<void> => {
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    if (!(await write(updateState(world, pins, (all) => addPins(all, batch))))) return
    // From here on the file counts: another process may accept the changed tool.
    const written = new Set(batch)
    ownPins = ownPins.filter((pin) => !written.has(pin))
    merged = undefined
    reread()
  }

  return {
    read() {
      const age = world.clock.now() - readAt
      if (age >= FRESH_MS || age < 0) reread()
      const { problem } = pinsRead
      merged ??= {
        grants: [...grantsRead.value.grants, ...ownGrants],
        pins: addPins(pinsRead.value, ownPins),
        ...(problem === undefined ? {} : { pinProblem: problem }),
      }
      return merged
    },

    async grant(grant) {
      ownGrants = [...ownGrants.filter((one) => !isSameGrant(one, grant)), grant]
      merged = undefined
      if (grant.until === 'session') return
      if (!(await write(updateState(world, grants, (stored) => addGrant(stored, grant))))) return
      ownGrants = ownGrants.filter((one) => one !== grant)
      merged = undefined
      reread()
    },

    async pin(pin, until) {
      ownPins = addPins(ownPins, [pin])
      merged = undefined
      onPins()
      if (until === 'session') return
      waiting = [...waiting, pin]
      writing = writing.then(writePins)
      await writing
    },

    async takeOver(loaded) {
      if (grantsRead.problem !== undefined || grantsRead.value.takenFrom.includes('x-code')) return
      const found = findXCodeGrants(world, loaded)
      if (found === undefined || found.grants.length === 0) return
      let isFirst = false
      const isWritten = await write(
        updateState(world, grants, (stored) => {
          isFirst = !stored.takenFrom.includes('x-code')
          // Another process imported the grants first.
          if (!isFirst) return stored
          const all = found.grants.reduce(addGrant, stored)
          return { ...all, takenFrom: [...all.takenFrom, 'x-code'] }
        }),
      )
      if (isWritten && isFirst) report(takenOver(found))
      merged = undefined
      reread()
    },

    refresh: reread,

    problems: () => [
      ...[grantsRead.problem, pinsRead.problem].filter((problem) => problem !== undefined),
      ...problems.values(),
    ],
  }
}
