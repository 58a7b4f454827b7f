/**
 * switch-lists: reads the lists of server names with which agents turn servers off, or on again.
 *
 * in     the files of one source, and the paths of its lists
 * out    its entries, each with the line that decides about it
 * never  lets a list in a repository decide about a server of the user's
 */
import { spotOf, findAt, toTextItems, type ConfigDocument, type ConfigNode } from '../../model/document.ts'
import type { DialectId, FoundEntry, Switch } from '../../model/entry.ts'
import type { Scope, SourceId } from '../../model/origin.ts'
import { wrongList } from './problems.ts'
import type { Site } from './site.ts'
import { firstSwitch, switchesFrom, type SwitchFor } from './switches.ts'
import { lookInOrder } from './source.ts'

export interface SwitchedPlaces {
  readonly source: SourceId
  readonly dialect: DialectId
  /** Keys that lead to the map of servers. Default: `mcpServers`. */
  readonly under?: readonly string[]
  readonly lists: readonly SwitchList[]
  readonly userHighToLow: readonly string[]
  /** Files of the user's, below the others, whose lists affect only their own servers. */
  readonly profiles?: readonly string[]
  readonly projectHighToLow: readonly string[]
}

export interface SwitchList {
  readonly path: readonly string[]
  /** The effect on the listed names. `only` turns off the servers that are missing, unless the list is empty. */
  readonly means: 'off' | 'on' | 'only'
}

export async function lookWithLists(site: Site, places: SwitchedPlaces): Promise<readonly FoundEntry[]> {
  const { dialect, userHighToLow, profiles = [] } = places
  const projectHighToLow = places.projectHighToLow.filter((file) => !userHighToLow.includes(file))
  const ofUser = await readSwitches(site, places, { scope: 'user', files: userHighToLow })
  const ofProject = await readSwitches(site, places, { scope: 'project', files: projectHighToLow })

  const common = { dialect, ...(places.under === undefined ? {} : { under: places.under }) }
  const look = (scope: Scope, file: string, switchFor: SwitchFor) => () =>
    site.servers({ ...common, scope, file, switchFor })
  return lookInOrder([
    ...userHighToLow.map((file) => look('user', file, ofUser)),
    ...profiles.map((file) => async () => {
      const ofProfile = await readSwitches(site, places, { scope: 'user', files: [file] })
      return look('user', file, firstSwitch(ofUser, ofProfile))()
    }),
    // The user's lists decide first, also when they turn on a server of the repository.
    ...projectHighToLow.map((file) => look('project', file, firstSwitch(ofUser, ofProject))),
  ])
}

/** The combined lists of several files of one scope: off beats on. */
export async function readSwitches(
  site: Site,
  { source, lists }: Pick<SwitchedPlaces, 'source' | 'lists'>,
  { scope, files }: { readonly scope: Scope; readonly files: readonly string[] },
): Promise<SwitchFor> {
  const all: SwitchFor[] = []
  for (const file of files) {
    const document = await site.read({ scope, file })
    if (document === undefined) continue
    for (const list of lists) {
      const node = findAt(document.root, list.path)
      if (node === undefined) continue
      reportFaults(site, document, { node, path: list.path.join('.'), owner: { source, scope } })
      all.push(toSwitches(document, node, list))
    }
  }
  return (name) => {
    const said = all.map((switchFor) => switchFor(name)).filter((found) => found !== undefined)
    return said.find(({ to }) => to === 'off') ?? said[0]
  }
}

function toSwitches(document: ConfigDocument, node: ConfigNode, { path, means }: SwitchList): SwitchFor {
  const title = `\`${path.join('.')}\``
  if (means !== 'only') return switchesFrom(document, node, { to: means, reason: `it is in ${title}` })
  const names = new Set(toTextItems(node).map(({ text }) => text))
  const missing: Switch = { to: 'off', by: spotOf(document, node), reason: `it is not in ${title}` }
  return (name) => (names.size === 0 || names.has(name) ? undefined : missing)
}

/** A list that cannot be read switches nothing, so its author gets a report. */
export function reportFaults(
  site: Site,
  document: ConfigDocument,
  list: {
    readonly node: ConfigNode
    readonly path: string
    readonly owner: { readonly source: SourceId; readonly scope: Scope }
  },
): void {
  const { node, path, owner } = list
  const wrong = node.kind === 'array' ? node.items.filter((item) => !isName(item)) : [node]
  for (const one of wrong) site.report(wrongList(document, one, path, owner))
}

function isName(node: ConfigNode): boolean {
  return node.kind === 'scalar' && typeof node.value === 'string'
}
