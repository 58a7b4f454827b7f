/**
 * our-folders: checks whether Plugboard can keep what it has to keep.
 *
 * in     the folders of this user, whether they exist or not
 * out    one warning for each obstacle, with all that cannot be kept because of it
 * never  makes a folder; fails: a command that only reads continues without
 */
import type { Problem } from '../model/problem.ts'
import { absoluteOr, type OurDirs } from '../pipeline/discover/project.ts'
import { createWarning } from '../problem/problem.ts'
import type { Obstacle, World } from '../world/world.ts'

/** The code of these warnings. */
export const UNUSABLE_FOLDER = 'folders/unusable'

type Kind = 'config' | 'state' | 'cache'

const KINDS: readonly Kind[] = ['config', 'state', 'cache']

const CONTENTS: Readonly<Record<Kind, string>> = {
  config: 'your settings and servers',
  state: 'approvals, permissions, sign-ins and logs',
  cache: 'tool lists and large results',
}

const VARIABLES: Readonly<Record<Kind, string>> = {
  config: 'XDG_CONFIG_HOME',
  state: 'XDG_STATE_HOME',
  cache: 'XDG_CACHE_HOME',
}

const REASONS: Readonly<Record<Obstacle['kind'], string>> = {
  'no-folder': 'this is not a folder',
  denied: 'you may not write in this folder',
  'read-only-disk': 'the disk of this folder is read-only',
}

export function findUnusableFolders(world: World, dirs: OurDirs): readonly Problem[] {
  const inTheWay = new Map<string, { readonly obstacle: Obstacle; readonly kinds: Kind[] }>()
  for (const kind of KINDS) {
    const obstacle = world.files.findObstacle(dirs[kind])
    // Settings that the user may not write are settings like any other: only `add` and similar commands write them.
    if (obstacle === undefined || (kind === 'config' && obstacle.kind !== 'no-folder')) continue
    const known = inTheWay.get(obstacle.path)
    if (known === undefined) inTheWay.set(obstacle.path, { obstacle, kinds: [kind] })
    else known.kinds.push(kind)
  }
  return [...inTheWay.values()].map((one) => toWarning(world, dirs, one))
}

interface InTheWay {
  readonly obstacle: Obstacle
  readonly kinds: readonly Kind[]
}

function toWarning(world: World, dirs: OurDirs, { obstacle, kinds }: InTheWay): Problem {
  const isAll = kinds.length === KINDS.length
  const what = isAll ? "nothing of Plugboard's own" : kinds.map((kind) => CONTENTS[kind]).join('; ')
  const cannot = isAll ? 'can be' : 'cannot be'
  const lost = kinds.includes('config') ? 'read or kept' : 'kept'
  const folders = kinds.map((kind) => dirs[kind])
  const place = `the folder${folders.length === 1 ? '' : 's'} would be ${folders.join(', ')}`
  return createWarning({
    code: UNUSABLE_FOLDER,
    message: `${what} ${cannot} ${lost}: ${REASONS[obstacle.kind]}`,
    where: { file: obstacle.path },
    notes: folders[0] === obstacle.path ? [] : [place],
    hints: [adviceOn(world, { obstacle, kinds })],
  })
}

function adviceOn(world: World, { obstacle, kinds }: InTheWay): string {
  const { kind, path } = obstacle
  const variables = isSet(world, 'PLUGBOARD_HOME') ? ['PLUGBOARD_HOME'] : kinds.map((one) => VARIABLES[one])
  const set = variables.filter((name) => isSet(world, name))
  if (set.length > 0) return `set ${quote(set)} to a folder that you may write in, or remove it`
  if (kind !== 'no-folder')
    return `make sure that you may write in \`${path}\`, or set ${quote(variables)} to another folder`
  if (path === world.home)
    return `set ${quote([world.platform === 'win32' ? 'USERPROFILE' : 'HOME'])} to your own folder`
  return `put a folder in the place of \`${path}\`, or set ${quote(variables)} to one`
}

function quote(variables: readonly string[]): string {
  return variables.map((name) => `\`${name}\``).join(' and ')
}

function isSet(world: World, variable: string): boolean {
  return absoluteOr(world, world.env[variable]) !== undefined
}
