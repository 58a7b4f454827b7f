/**
 * reading: decides whether a client may have resources, prompts and completions of a server. The rules are those for a
 * user who types the request: Plugboard never asks, and a denial stays a denial.
 *
 * in     the permission; the server, and the item that the client wants
 * out    the permission, recorded with the request; a denial is thrown in the words of its rule
 */
import type { Permission } from '../../model/permission.ts'
import { ProblemError } from '../../problem/problem.ts'
import { permitReading, type Reading } from '../../runtime/permit-reading.ts'
import type { Platform } from '../../world/world.ts'
import type { ServedBoard } from './served-board.ts'
import type { RequestRecord } from './sighting.ts'
import type { Found } from './view.ts'

export async function mayRead(
  board: Pick<ServedBoard, 'permissions'>,
  what: { readonly tool: Reading; readonly server: string },
  platform: Platform,
): Promise<Permission> {
  return permitReading((await board.permissions()).current(), what, platform)
}

/** Throws `permit/denied`. */
export function heed(permission: Permission, found: Found, sighting: RequestRecord | undefined): void {
  sighting?.at(found.server, found.name)
  sighting?.judged(permission)
  if (permission.kind === 'allowed') return
  sighting?.became({ outcome: 'not-sent', code: 'denied' })
  throw new ProblemError(permission.problem)
}
