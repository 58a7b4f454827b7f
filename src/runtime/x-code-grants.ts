/**
 * x-code-grants: what a user of x-code always allows there.
 *
 * in     x-code's `mcp-permissions.json`, and the servers of its user file
 * out    grants, each bound to the server that x-code itself would have called; the names that match no server
 * never  grants anything to a server of a repository, or to one that merely has the same name in another agent's file
 *
 * x-code keeps names as its model sees them: `<server>__<tool>`, some with an old `mcp__` before them, and both parts
 * cleaned. When cleaning changed the real name of a tool, the user is asked again: a guess could allow what the user
 * never allowed.
 */
import { isObject } from '../base/is-object.ts'
import type { NormalizedEntry } from '../model/entry.ts'
import type { Grant } from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import { absoluteOr } from '../pipeline/discover/project.ts'
import { createProblem } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { fingerprintOfServer } from './trust-fingerprint.ts'

export interface XCodeGrants {
  readonly file: string
  readonly grants: readonly Grant[]
  /** Names that no server of x-code's user file has. */
  readonly left: readonly string[]
}

/** Undefined when x-code keeps none. */
export function findXCodeGrants(world: World, { catalog }: LoadedCatalog): XCodeGrants | undefined {
  const home = absoluteOr(world, world.env['X_CODE_HOME']) ?? world.paths.join(world.home, '.x-code')
  const file = world.paths.join(home, 'mcp-permissions.json')
  const names = readNames(world, file)
  if (names.length === 0) return undefined
  const servers = catalog.entries
    .filter(({ entry, fate }) => isOfXCode(entry) && fate.kind !== 'excluded')
    .map(({ entry }) => entry)
  const found = names.map((name) => ({ name, grant: toGrant(world, servers, name) }))
  return {
    file,
    grants: found.flatMap(({ grant }) => (grant === undefined ? [] : [grant])),
    left: found.filter(({ grant }) => grant === undefined).map(({ name }) => name),
  }
}

/** Reported once, after the import. */
export function takenOver({ file, grants, left }: XCodeGrants): Problem {
  const names = grants.map(({ server, tool }) => `\`${server}.${tool}\``)
  return createProblem({
    severity: 'info',
    code: 'permit/taken-over',
    message:
      names.length === 0
        ? 'nothing of what you always allow in x-code is allowed here'
        : 'what you always allow in x-code is always allowed here, from now on',
    where: { file },
    notes: [
      ...(names.length === 0 ? [] : [`taken over: ${names.join(', ')}`]),
      ...(left.length === 0
        ? []
        : [`left, since no server in x-code's user file has them: ${left.join(', ')}`]),
    ],
    hints: ['to look at them, or take one back: `plugboard permissions list`, `plugboard permissions reset`'],
  })
}

/** A file that x-code could not read holds nothing. */
function readNames(world: World, file: string): readonly string[] {
  const read = world.files.read(file)
  const value = read.kind === 'text' ? tryJson(read.text) : undefined
  const names = isObject(value) ? value['alwaysAllow'] : undefined
  if (!Array.isArray(names)) return []
  // Both spellings of one name are one grant.
  return [...new Set(names.filter((one) => typeof one === 'string').map((one) => one.replace(/^mcp__/, '')))]
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined // as x-code does: nothing is allowed
  }
}

type Definition = Extract<NormalizedEntry, { kind: 'definition' }>

function isOfXCode(entry: NormalizedEntry): entry is Definition {
  const { source, scope } = entry.found.origin
  return entry.kind === 'definition' && source === 'x-code' && scope === 'user'
}

function toGrant(world: World, servers: readonly NormalizedEntry[], name: string): Grant | undefined {
  const owners = servers
    .filter(isOfXCode)
    .filter(({ found }) => toXCode(found.name) !== '' && name.startsWith(`${toXCode(found.name)}__`))
  const [owner] = owners
  if (owner === undefined || owners.length > 1) return undefined
  const { definition, found } = owner
  const tool = name.slice(toXCode(found.name).length + 2)
  if (tool === '') return undefined
  return {
    server: found.name,
    fingerprint: fingerprintOfServer(world, definition, found),
    tool,
    until: 'always',
  }
}

/** Cleans the name of a server as x-code does. */
function toXCode(name: string): string {
  return name.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^_+|_+$/g, '')
}
