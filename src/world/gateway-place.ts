/**
 * gateway-place: where the gateway of this user can be found, while one runs.
 *
 * in     the environment, the home, the platform: no file is read
 * out    its socket, and the files beside it
 *
 * The process that starts the gateway and every client that looks for it use the same rules, including the client that
 * loads nothing else.
 */
import { sha256 } from '../base/sha256.ts'
import type { Env, Paths, Platform } from './world.ts'

export interface GatewayPlace {
  /** For this user alone. */
  readonly folder: string
  /** A socket in a folder for this user alone, or the name of a pipe. */
  readonly socket: string
  /** Which process is the gateway, or was it last. */
  readonly record: string
  readonly log: string
}

export interface PlaceQuestion {
  readonly platform: Platform
  readonly env: Env
  readonly home: string
  readonly paths: Pick<Paths, 'join' | 'isAbsolute' | 'resolve'>
}

export function gatewayPlaceOf(question: PlaceQuestion): GatewayPlace {
  const { platform, env, paths } = question
  const folder = paths.join(stateFolderOf(question), 'gateway')
  const inFolder = paths.join(folder, 'socket')
  return {
    folder,
    socket:
      platform === 'win32'
        ? `\\\\.\\pipe\\plugboard-${markOf(folder)}`
        : inFolder.length <= LONGEST_SOCKET
          ? inFolder
          : paths.join(absoluteOr(paths, env['TMPDIR']) ?? '/tmp', `plugboard-${markOf(folder)}`, 'socket'),
    record: paths.join(folder, 'gateway.json'),
    log: paths.join(folder, 'gateway.log'),
  }
}

/** What the gateway keeps between runs. It can be lost. */
export function stateFolderOf({ env, home, paths }: Omit<PlaceQuestion, 'platform'>): string {
  const moved = absoluteOr(paths, env['PLUGBOARD_HOME'])
  if (moved !== undefined) return paths.join(moved, 'state')
  return paths.join(
    absoluteOr(paths, env['XDG_STATE_HOME']) ?? paths.join(home, '.local', 'state'),
    'plugboard',
  )
}

/** Systems cut socket addresses at 104 or 108 bytes without an error. A path has at most four bytes for a character. */
const LONGEST_SOCKET = 90

function markOf(folder: string): string {
  return sha256(folder).slice(0, 16)
}

/** A relative path would depend on the current folder. */
function absoluteOr(
  { isAbsolute, resolve }: PlaceQuestion['paths'],
  path: string | undefined,
): string | undefined {
  return path !== undefined && isAbsolute(path) ? resolve(path) : undefined
}
