/**
 * gemini: settings of the user, of the project and of the machine, and the servers of extensions.
 *
 * Other places turn servers off: lists of names in any of the settings, a file with the user's choices, and one for the
 * extensions. A list in a repository decides about that repository's servers only.
 */
import {
  spotOf,
  findAt,
  findMember,
  toText,
  toTextItems,
  type ConfigDocument,
  type ConfigNode,
} from '../../../model/document.ts'
import type { FoundEntry, Switch } from '../../../model/entry.ts'
import { createWarning, whereOf } from '../../../problem/problem.ts'
import { absoluteOr } from '../project.ts'
import type { ServersRequest } from '../find-servers.ts'
import type { Ground, Site } from '../site.ts'
import { firstSwitch } from '../switches.ts'
import { lookInOrder, type Source } from '../source.ts'
import { reportFaults } from '../switch-lists.ts'

export const gemini: Source = {
  id: 'gemini',
  async look(site) {
    const places = placesOf(site)
    const ofUser = await readUserSwitches(site, places)
    const ofProject = firstSwitch(...(await readLists(site, 'project', places.project)))
    const look = (place: Pick<ServersRequest, 'scope' | 'file' | 'reach'>, switches: Switches) => () =>
      site.servers({ ...place, dialect: 'gemini', switchFor: (name) => switches([name]) })
    const [own, ...ofMachine] = places.userHighToLow
    return lookInOrder([
      look({ scope: 'user', file: own! }, ofUser),
      ...ofMachine.map((file) => look({ scope: 'user', file, reach: 'machine' }, ofUser)),
      ...places.project.map((file) => look({ scope: 'project', file }, firstSwitch(ofUser, ofProject))),
      () => extensions(site, places, ofUser),
    ])
  },
  homes: (ground) => {
    const { userHighToLow, project } = placesOf(ground)
    return [
      { scope: 'user', files: userHighToLow.slice(0, 1), under: ['mcpServers'] },
      { scope: 'project', files: project, under: ['mcpServers'] },
    ]
  },
}

interface GeminiPlaces {
  /** `~/.gemini`, or the folder that replaces it. */
  readonly home: string
  readonly system: string
  readonly userHighToLow: readonly string[]
  readonly project: readonly string[]
}

function placesOf(site: Ground): GeminiPlaces {
  const { env, paths, platform } = site.world
  const moved = absoluteOr(site.world, env['GEMINI_CLI_HOME'])
  const home = moved === undefined ? site.inHome('.gemini') : paths.join(moved, '.gemini')
  const systemDir = {
    linux: '/etc/gemini-cli',
    darwin: '/Library/Application Support/GeminiCli',
    win32: 'C:\\ProgramData\\gemini-cli',
  }[platform]
  const system =
    absoluteOr(site.world, env['GEMINI_CLI_SYSTEM_SETTINGS_PATH']) ?? paths.join(systemDir, 'settings.json')
  const defaults =
    absoluteOr(site.world, env['GEMINI_CLI_SYSTEM_DEFAULTS_PATH']) ??
    paths.join(paths.dirname(system), 'system-defaults.json')
  const user = paths.join(home, 'settings.json')
  return {
    home,
    system,
    userHighToLow: [user, system, defaults],
    project: site.inProject('.gemini/settings.json').filter((file) => file !== user),
  }
}

/** The line that turns a server off. `ids` has all names of the server: one of an extension has several. */
type Switches = (ids: readonly string[]) => Switch | undefined

async function readUserSwitches(
  site: Site,
  { home, system, userHighToLow }: GeminiPlaces,
): Promise<Switches> {
  const administrators = await site.read({ scope: 'user', file: system })
  const choices = await site.read({
    scope: 'user',
    file: site.world.paths.join(home, 'mcp-server-enablement.json'),
  })
  return firstSwitch(
    allOff(administrators),
    ...(await readLists(site, 'user', userHighToLow)),
    switchedOff(choices),
  )
}

/** `admin.mcp.enabled: false`, which only the machine's settings may contain. */
function allOff(document: ConfigDocument | undefined): Switches {
  const node = findAt(document?.root, ['admin', 'mcp', 'enabled'])
  if (document === undefined || !isFalse(node)) return () => undefined
  return () => ({ to: 'off', by: spotOf(document, node), reason: '`admin.mcp.enabled` says so' })
}

/** `{ "<server>": { "enabled": false } }`; Gemini writes the names in lower case. */
function switchedOff(document: ConfigDocument | undefined): Switches {
  const members = document?.root.kind === 'object' ? document.root.members : []
  const byId = new Map(members.map(({ key, value }) => [toId(key), value]))
  return (ids) => {
    const enabled = ids.map((id) => byId.get(toId(id))).find((value) => value !== undefined)
    const node = findMember(enabled, 'enabled')?.value
    if (document === undefined || !isFalse(node)) return undefined
    return { to: 'off', by: spotOf(document, node), reason: 'it was disabled in Gemini CLI' }
  }
}

function isFalse(node: ConfigNode | undefined): node is ConfigNode {
  return node?.kind === 'scalar' && node.value === false
}

/** Gemini compares names without regard to case. */
function toId(name: string): string {
  return name.trim().toLowerCase()
}

function isOneOf(ids: readonly string[], name: string): boolean {
  return ids.some((id) => toId(id) === toId(name))
}

/** The second key of each pair is the spelling of older versions. */
const LISTS = [
  { means: 'off', path: ['mcp', 'excluded'] },
  { means: 'off', path: ['excludeMCPServers'] },
  { means: 'only', path: ['mcp', 'allowed'] },
  { means: 'only', path: ['allowMCPServers'] },
] as const

async function readLists(
  site: Site,
  scope: 'user' | 'project',
  files: readonly string[],
): Promise<readonly Switches[]> {
  const all: Switches[] = []
  for (const file of files) {
    const document = await site.read({ scope, file })
    if (document === undefined) continue
    reportServerCommand(site, document, scope)
    for (const { path, means } of LISTS) {
      const node = findAt(document.root, path)
      if (node === undefined) continue
      const title = path.join('.')
      reportFaults(site, document, { node, path: title, owner: { source: 'gemini', scope } })
      all.push(means === 'off' ? excluding(document, node, title) : allowingOnly(document, node, title))
    }
  }
  return all
}

/** A server without an entry: one shell line, which Gemini CLI splits and starts under the name `mcp`. */
function reportServerCommand(site: Site, document: ConfigDocument, scope: 'user' | 'project'): void {
  for (const path of [['mcp', 'serverCommand'], ['mcpServerCommand']]) {
    const node = findAt(document.root, path)
    if (node === undefined) continue
    site.report(
      createWarning({
        code: 'discover/gemini-server-command',
        message: `\`${path.join('.')}\` is not used: Plugboard starts only servers that have an entry`,
        where: whereOf(document, node, { source: 'gemini', scope }),
        hints: ['declare it under `mcpServers`, with `command` and `args`'],
      }),
    )
  }
}

function excluding(document: ConfigDocument, list: ConfigNode, title: string): Switches {
  const items = toTextItems(list)
  return (ids) => {
    const item = items.find(({ text }) => isOneOf(ids, text))
    if (item === undefined) return undefined
    return { to: 'off', by: spotOf(document, item.node), reason: `it is in \`${title}\`` }
  }
}

function allowingOnly(document: ConfigDocument, list: ConfigNode, title: string): Switches {
  const items = toTextItems(list)
  const missing: Switch = { to: 'off', by: spotOf(document, list), reason: `it is not in \`${title}\`` }
  return (ids) => (items.length === 0 || items.some(({ text }) => isOneOf(ids, text)) ? undefined : missing)
}

async function extensions(
  site: Site,
  { home }: GeminiPlaces,
  ofUser: Switches,
): Promise<readonly FoundEntry[]> {
  const { files, paths } = site.world
  const folder = paths.join(home, 'extensions')
  const folders = files
    .list(folder)
    .map((name) => paths.join(folder, name))
    .filter((path) => files.kind(path) === 'directory')
  if (folders.length === 0) return []
  const choices = await site.read({ scope: 'plugin', file: paths.join(folder, 'extension-enablement.json') })
  return lookInOrder(folders.map((path) => () => extensionServers(site, path, { choices, ofUser })))
}

async function extensionServers(
  site: Site,
  folder: string,
  { choices, ofUser }: { readonly choices: ConfigDocument | undefined; readonly ofUser: Switches },
): Promise<readonly FoundEntry[]> {
  const { paths } = site.world
  const root = await findRoot(site, folder)
  const file = paths.join(root, 'gemini-extension.json')
  const manifest = await site.read({ scope: 'plugin', file })
  const extension = toText(findMember(manifest?.root, 'name')?.value) ?? paths.basename(folder)
  const off = extensionOff(site, choices, extension)
  return site.servers({
    scope: 'plugin',
    file,
    dialect: 'gemini',
    baseDir: root,
    variables: {
      extensionPath: root,
      workspacePath: site.project.root,
      pathSeparator: paths.sep,
      '/': paths.sep,
    },
    switchFor: (name) => off ?? ofUser([name, `ext:${name}`, `ext:${extension}:${name}`]),
  })
}

/** An extension under development is a link: its folder holds only the path to it. */
async function findRoot(site: Site, folder: string): Promise<string> {
  const { files, paths } = site.world
  if (files.kind(paths.join(folder, 'gemini-extension.json')) !== 'missing') return folder
  const file = paths.join(folder, '.gemini-extension-install.json')
  const install = await site.read({ scope: 'plugin', file })
  const isLink = toText(findMember(install?.root, 'type')?.value) === 'link'
  const target = toText(findMember(install?.root, 'source')?.value)
  return isLink && target !== undefined ? paths.resolve(folder, target) : folder
}

/** Rules are paths, with `*` for what is below and `!` for off. The last matching rule decides. */
function extensionOff(
  site: Site,
  document: ConfigDocument | undefined,
  extension: string,
): Switch | undefined {
  const rules = toTextItems(findAt(document?.root, [extension, 'overrides']))
  const here = `/${site.world.cwd.replaceAll('\\', '/')}/`.replace(/\/+/g, '/')
  const rule = rules.findLast(({ text }) => coversPath(text.replace(/^!/, ''), here))
  if (document === undefined || rule === undefined || !rule.text.startsWith('!')) return undefined
  const reason = `the Gemini extension \`${extension}\` is disabled here`
  return { to: 'off', by: spotOf(document, rule.node), reason }
}

function coversPath(rule: string, path: string): boolean {
  return rule.endsWith('*') ? path.startsWith(rule.slice(0, -1)) : path === rule
}
