/**
 * reading: may a client have resources, prompts and completions of a server? As for a person who types it: nobody is
 * asked, and what is denied is denied.
 *
 * in     what was said about calls; the server, and what of it is wanted
 * out    the permission, written down with the request; a denial is thrown, with the rule in its words
 */
import type { Permission } from '../../model/permission.ts'
import { ProblemError } from '../../problem/problem.ts'
import { permitReading, type Reading } from '../../runtime/permit-reading.ts'
import type { Platform } from '../../world/world.ts'
import type { ServedBoard } from './served-board.ts'
import type { Sighting } from './sighting.ts'
import type { Found } from './view.ts'

export async function mayRead(
  board: Pick<ServedBoard, 'permissions'>,
  what: { readonly tool: Reading; readonly server: string },
  platform: Platform,
): Promise<Permission> {
  return permitReading((await board.permissions()).current(), what, platform)
}

/** Throws `permit/denied`. */
export function heed(permission: Permission, found: Found, sighting: Sighting | undefined): void {
  sighting?.at(found.server, found.name)
  sighting?.judged(permission)
  if (permission.kind === 'allowed') return
  sighting?.became({ outcome: 'not-sent', code: 'denied' })
  throw new ProblemError(permission.problem)
}
