/**
 * opencode: JSON with comments, of the user and in every directory of a project.
 *
 * opencode merges its files field by field. Here an entry is taken whole, from the highest file that has it; an object
 * that says nothing but `enabled` is no entry, it switches the one below.
 */
import {
  spotOf,
  findAt,
  findMember,
  type ConfigDocument,
  type Member,
  type ScalarNode,
} from '../../../model/document.ts'
import type { FoundEntry } from '../../../model/entry.ts'
import { absoluteOr } from '../project.ts'
import type { Site } from '../site.ts'
import { firstSwitch, type SwitchFor } from '../switches.ts'
import { lookInOrder, type Source } from '../source.ts'
import { fileNamedBy, inConfigHome } from '../user-folders.ts'

export const opencode: Source = {
  id: 'opencode',
  async look(site) {
    const { user, project } = placesHighToLow(site)
    const ofUser = await readSwitches(site, user)
    const ofProject = await readSwitches(site, project)
    return lookInOrder([
      ...user.map((place) => () => serversIn(site, place, ofUser)),
      // The user's word comes first; the repository's never reaches the user's own servers.
      ...project.map((place) => () => serversIn(site, place, firstSwitch(ofUser, ofProject))),
    ])
  },
}

interface PlaceToRead {
  readonly scope: 'user' | 'project'
  readonly file: string
}

function placesHighToLow(site: Site): {
  readonly user: readonly PlaceToRead[]
  readonly project: readonly PlaceToRead[]
} {
  const { world } = site
  const named = fileNamedBy(site, 'OPENCODE_CONFIG')
  const moved = absoluteOr(world, world.env['OPENCODE_CONFIG_DIR'])
  const user = [
    ...(moved === undefined ? [] : NAMES.map((name) => world.paths.join(moved, name))),
    ...NAMES.map((name) => site.inHome(`.opencode/${name}`)),
    ...(named?.scope === 'user' ? [named.file] : []),
    ...[...NAMES, 'config.json'].map((name) => inConfigHome(site, `opencode/${name}`)),
  ]
  const project = [
    ...inEveryDir(site, '.opencode/'),
    ...inEveryDir(site, ''),
    ...(named?.scope === 'project' ? [named.file] : []),
  ].filter((file) => !user.includes(file))
  return {
    user: user.map((file) => ({ scope: 'user', file })),
    project: project.map((file) => ({ scope: 'project', file })),
  }
}

const NAMES = ['opencode.jsonc', 'opencode.json']

/** Nearest directory first, and in each the names in their order. */
function inEveryDir(site: Site, prefix: string): readonly string[] {
  const columns = NAMES.map((name) => site.inProject(prefix + name))
  return columns[0]!.flatMap((_, i) => columns.map((column) => column[i]!))
}

async function readSwitches(site: Site, places: readonly PlaceToRead[]): Promise<SwitchFor> {
  const all: SwitchFor[] = []
  for (const place of places) {
    const document = await site.read(place)
    if (document !== undefined) all.push(switchesIn(document))
  }
  return firstSwitch(...all)
}

function switchesIn(document: ConfigDocument): SwitchFor {
  const map = findAt(document.root, ['mcp'])
  const members = new Map((map?.kind === 'object' ? map.members : []).map((member) => [member.key, member]))
  return (name) => {
    const enabled = findSwitch(members.get(name))
    if (enabled === undefined) return undefined
    const to = enabled.value === true ? 'on' : 'off'
    return { to, by: spotOf(document, enabled), reason: '`enabled` says so' }
  }
}

/** The value of `enabled`, where nothing else is said. */
function findSwitch(member: Member | undefined): ScalarNode | undefined {
  if (member?.value.kind !== 'object' || member.value.members.length !== 1) return undefined
  const enabled = findMember(member.value, 'enabled')?.value
  return enabled?.kind === 'scalar' && typeof enabled.value === 'boolean' ? enabled : undefined
}

/** Version 1 keeps servers in `mcp` itself, version 2 in `mcp.servers`. */
async function serversIn(
  site: Site,
  place: PlaceToRead,
  switchFor: SwitchFor,
): Promise<readonly FoundEntry[]> {
  const document = await site.read(place)
  const common = { ...place, dialect: 'opencode', switchFor } as const
  const version2 = findMember(findAt(document?.root, ['mcp']), 'servers')
  const isServer = (member: Member): boolean => findSwitch(member) === undefined && !isSetting(member)
  return lookInOrder([
    () => site.servers({ ...common, under: ['mcp'], isServer }),
    ...(version2 !== undefined && isSetting(version2)
      ? [() => site.servers({ ...common, under: ['mcp', 'servers'] })]
      : []),
  ])
}

/** Words of version 2, unless somebody called a server of version 1 that. */
function isSetting({ key, value }: Member): boolean {
  return (key === 'servers' || key === 'timeout') && findMember(value, 'type') === undefined
}
