/**
 * gateway-place: where the gateway of this user can be found, while one runs.
 *
 * in     the environment, the home, the platform: no file is read
 * out    its socket, and the files beside it
 *
 * By the same rules for whoever starts it and whoever looks for it, a client that loads nothing else included.
 */
import { sha256 } from '../base/sha256.ts'
import type { Env, Paths, Platform } from './world.ts'

export interface GatewayPlace {
  /** For this user alone. */
  readonly folder: string
  /** A socket in a folder for this user alone, or the name of a pipe. */
  readonly socket: string
  /** Who runs, or ran last. */
  readonly record: string
  readonly log: string
}

export interface PlaceQuestion {
  readonly platform: Platform
  readonly env: Env
  readonly home: string
  readonly paths: Pick<Paths, 'join' | 'dirname' | 'isAbsolute' | 'resolve'>
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

type FolderQuestion = Omit<PlaceQuestion, 'platform'>

/** What is kept between runs, and can be lost. */
export function stateFolderOf(question: FolderQuestion): string {
  const usual = question.paths.join(question.home, '.local', 'state')
  return ownFolderOf(question, { name: 'state', variable: 'XDG_STATE_HOME', usual })
}

/** What can be made again. */
export function cacheFolderOf(question: FolderQuestion): string {
  const usual = question.paths.join(question.home, '.cache')
  return ownFolderOf(question, { name: 'cache', variable: 'XDG_CACHE_HOME', usual })
}

interface OwnFolder {
  /** In the folder of everything, where there is one. */
  readonly name: string
  readonly variable: string
  /** Where the variable is not set. */
  readonly usual: string
}

function ownFolderOf({ env, paths }: FolderQuestion, { name, variable, usual }: OwnFolder): string {
  const moved = absoluteOr(paths, env['PLUGBOARD_HOME'])
  if (moved !== undefined) return paths.join(moved, name)
  return paths.join(absoluteOr(paths, env[variable]) ?? usual, 'plugboard')
}

/** Systems cut addresses of sockets at 104 or 108 bytes, with no word about it. A path has at most four for a character. */
const LONGEST_SOCKET = 90

function markOf(folder: string): string {
  return sha256(folder).slice(0, 16)
}

/** A relative one would lead into whatever folder one is in. */
function absoluteOr(
  { isAbsolute, resolve }: PlaceQuestion['paths'],
  path: string | undefined,
): string | undefined {
  return path !== undefined && isAbsolute(path) ? resolve(path) : undefined
}
