/**
 * opencode: JSON with comments, of the user and in every directory of a project.
 *
 * opencode merges its files field by field. Plugboard takes a whole entry from the highest file that has it. An object
 * with only `enabled` is no entry: it switches the entry below it.
 */
import {
  spotOf,
  findAt,
  findMember,
  type ConfigDocument,
  type ConfigNode,
  type Member,
  type ScalarNode,
} from '../../../model/document.ts'
import type { FoundEntry } from '../../../model/entry.ts'
import type { Problem, Where } from '../../../model/problem.ts'
import { createWarning, whereOf } from '../../../problem/problem.ts'
import { absoluteOr } from '../project.ts'
import { parseDocument, type Ground, type Site } from '../site.ts'
import { firstSwitch, type SwitchFor } from '../switches.ts'
import { lookInOrder, type Source } from '../source.ts'
import { fileNamedBy, inConfigHome } from '../user-folders.ts'

export const opencode: Source = {
  id: 'opencode',
  async look(site) {
    const { user, project } = placesHighToLow(site)
    const ofUser = await readSwitches(site, user)
    const ofProject = await readSwitches(site, project)
    const entries = await lookInOrder([
      () => serversInVariable(site, ofUser),
      ...user.map((place) => () => serversIn(site, place, ofUser)),
      // The user's files decide first. The repository's never decide about the user's own servers.
      ...project.map((place) => () => serversIn(site, place, firstSwitch(ofUser, ofProject))),
    ])
    await reportUnused(site, [...user, ...project], new Set(entries.map(({ name }) => name)))
    return entries
  },
  homes: (ground) => {
    const { world } = ground
    const moved = absoluteOr(world, world.env['OPENCODE_CONFIG_DIR'])
    const inFolder = (name: string): string =>
      moved === undefined ? inConfigHome(ground, `opencode/${name}`) : world.paths.join(moved, name)
    return [
      { scope: 'user', files: NAMES.map(inFolder), under: ['mcp'] },
      { scope: 'project', files: inEveryDir(ground, ''), under: ['mcp'] },
    ]
  },
}

const VARIABLE = 'OPENCODE_CONFIG_CONTENT'

/** A whole configuration in an environment variable, which the user controls. */
async function serversInVariable(site: Site, switchFor: SwitchFor): Promise<readonly FoundEntry[]> {
  const text = site.world.env[VARIABLE]
  if (text === undefined) return []
  const place = { scope: 'user', file: VARIABLE } as const
  const { document, problem } = await parseDocument({ ...place, source: 'opencode' }, text)
  if (problem !== undefined) site.report(problem)
  if (document === undefined) return []
  const isServer = (member: Member): boolean => findSwitch(member) === undefined && !isSetting(member)
  return site.servers({ ...place, document, under: ['mcp'], dialect: 'opencode', switchFor, isServer })
}

/** Reports switches for servers that no file declares, and for tools, which opencode names in its own way. */
async function reportUnused(
  site: Site,
  places: readonly PlaceToRead[],
  declared: ReadonlySet<string>,
): Promise<void> {
  for (const place of places) {
    const document = await site.read(place)
    if (document === undefined) continue
    const owner = { source: 'opencode', scope: place.scope } as const
    for (const member of membersOf(findAt(document.root, ['mcp']))) {
      const isGhost = findSwitch(member) !== undefined && !declared.has(member.key)
      if (isGhost) site.report(ghost(member.key, whereOf(document, member.value, owner)))
    }
    for (const member of membersOf(findAt(document.root, ['tools']))) {
      const isOff = member.value.kind === 'scalar' && member.value.value === false
      if (isOff) site.report(toolSwitch(member.key, whereOf(document, member.value, owner)))
    }
  }
}

function ghost(name: string, where: Where): Problem {
  return createWarning({
    code: 'discover/switch-without-server',
    message: `\`${name}\` is switched here, but no file of opencode declares it`,
    where: { ...where, server: name },
    hints: ['declare it, with `type` and `command` or `url`, or remove the line'],
  })
}

function toolSwitch(pattern: string, where: Where): Problem {
  return createWarning({
    code: 'discover/opencode-tools',
    message: `\`tools.${pattern}\` is not used: Plugboard names tools in another way`,
    where,
    hints: ['to leave out tools of a server, give it `excludeTools` in a file of Plugboard'],
  })
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

/** Nearest directory first. In each directory, the names keep their order. */
function inEveryDir(site: Ground, prefix: string): readonly string[] {
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
  const members = new Map(membersOf(map).map((member) => [member.key, member]))
  return (name) => {
    const enabled = findSwitch(members.get(name))
    if (enabled === undefined) return undefined
    const to = enabled.value === true ? 'on' : 'off'
    return { to, by: spotOf(document, enabled), reason: '`enabled` says so' }
  }
}

function membersOf(node: ConfigNode | undefined): readonly Member[] {
  return node?.kind === 'object' ? node.members : []
}

/** The value of `enabled`, if the object has no other member. */
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

/** Setting names of version 2, unless a server of version 1 has such a name. */
function isSetting({ key, value }: Member): boolean {
  return (key === 'servers' || key === 'timeout') && findMember(value, 'type') === undefined
}
