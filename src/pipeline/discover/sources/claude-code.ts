/**
 * claude-code: the user's state file, its per-project part, the organisation's file, and enabled plugins.
 *
 * The project's `.mcp.json` belongs to the source mcp-json; what the user chose about it in Claude Code is noted here.
 */
import {
  findAt,
  findMember,
  toText,
  toTextItems,
  type ConfigDocument,
  type ConfigNode,
  type Member,
} from '../../../model/document.ts'
import type { FoundEntry, Switch } from '../../../model/entry.ts'
import type { Origin, Scope } from '../../../model/origin.ts'
import type { Problem } from '../../../model/problem.ts'
import { createWarning, whereOf, whereOrigin } from '../../../problem/problem.ts'
import { absoluteOr } from '../project.ts'
import { spotOf, switchesFrom, type ServersRequest, type Site } from '../site.ts'
import { lookInOrder, type Source } from '../source.ts'
import { reportFaults } from '../switch-lists.ts'

export const claudeCode: Source = {
  id: 'claude-code',
  async look(site) {
    const { state, settings } = places(site)
    const document = await site.read({ scope: 'user', file: state })
    const projects = findProjects(site, document)
    const switchFor = offInProject(document, projects)
    for (const project of projects)
      noteChoices(site, { document: document!, node: project.value, scope: 'user' })
    return lookInOrder([
      () => site.servers({ scope: 'managed', file: managedFile(site), dialect: 'claude-code' }),
      ...projects.map((project) => () => local(site, document!, project, switchFor)),
      () =>
        site.servers({
          scope: 'user',
          file: state,
          dialect: 'claude-code',
          switchFor,
          variables: variables(site),
        }),
      ...settings.map(
        ({ scope, file }) =>
          () =>
            misplaced(site, scope, file),
      ),
      () => plugins(site, switchFor),
    ])
  },
}

type SwitchFor = NonNullable<ServersRequest['switchFor']>

function places(site: Site): {
  readonly state: string
  readonly dir: string
  readonly settings: readonly { readonly scope: Scope; readonly file: string }[]
} {
  const { env, paths } = site.world
  const moved = absoluteOr(site.world, env['CLAUDE_CONFIG_DIR'])
  const dir = moved ?? site.inHome('.claude')
  const inProject = [
    ...site.inProject('.claude/settings.local.json'),
    ...site.inProject('.claude/settings.json'),
  ]
  const userFile = paths.join(dir, 'settings.json')
  return {
    dir,
    state: moved === undefined ? site.inHome('.claude.json') : paths.join(moved, '.claude.json'),
    settings: [
      { scope: 'user', file: userFile },
      ...inProject.filter((file) => file !== userFile).map((file) => ({ scope: 'project' as const, file })),
    ],
  }
}

function managedFile(site: Site): string {
  const dir = {
    linux: '/etc/claude-code',
    darwin: '/Library/Application Support/ClaudeCode',
    win32: 'C:\\Program Files\\ClaudeCode',
  }[site.world.platform]
  return site.world.paths.join(dir, 'managed-mcp.json')
}

function variables(site: Site): Readonly<Record<string, string>> {
  return { CLAUDE_PROJECT_DIR: site.project.root }
}

/** The members of `projects` that are about a directory of this project, nearest first. */
function findProjects(site: Site, document: ConfigDocument | undefined): readonly Member[] {
  const projects = findAt(document?.root, ['projects'])
  if (projects?.kind !== 'object') return []
  const wanted = [...site.project.dirsNearestFirst, site.project.realRoot].map((dir) => comparable(site, dir))
  const rankOf = (member: Member): number => wanted.indexOf(comparable(site, member.key))
  return projects.members.filter((member) => rankOf(member) !== -1).sort((a, b) => rankOf(a) - rankOf(b))
}

/** Claude Code writes Windows paths with either slash. */
function comparable(site: Site, path: string): string {
  return site.world.platform === 'win32'
    ? path.replaceAll('\\', '/').toLowerCase()
    : path.replace(/(?<=.)\/$/, '')
}

function local(
  site: Site,
  document: ConfigDocument,
  project: Member,
  switchFor: SwitchFor,
): Promise<readonly FoundEntry[]> {
  const under = ['projects', project.key, 'mcpServers']
  return site.servers({
    scope: 'local',
    file: document.file,
    document,
    under,
    dialect: 'claude-code',
    switchFor,
    variables: variables(site),
  })
}

function offInProject(document: ConfigDocument | undefined, projects: readonly Member[]): SwitchFor {
  const lists = projects.map((project) =>
    switchesFrom(document, findMember(project.value, 'disabledMcpServers')?.value, {
      to: 'off',
      reason: 'it is in `disabledMcpServers` of this project in Claude Code',
    }),
  )
  return (name) => lists.map((list) => list(name)).find((found) => found !== undefined)
}

interface ChoicesAt {
  readonly document: ConfigDocument
  readonly node: ConfigNode
  readonly scope: Scope
}

/** The lists that say something about `.mcp.json`; the last one is about every server, those among them. */
const CHOICES = [
  { key: 'enabledMcpjsonServers', decision: 'enabled' },
  { key: 'disabledMcpjsonServers', decision: 'disabled' },
  { key: 'disabledMcpServers', decision: 'disabled' },
] as const

/** What was chosen about `.mcp.json`. A repository may say no for its user, never yes. */
function noteChoices(site: Site, { document, node, scope }: ChoicesAt): void {
  for (const { key, decision } of CHOICES) {
    const list = findMember(node, key)?.value
    if (list === undefined || (decision === 'enabled' && scope !== 'user')) continue
    reportFaults(site, document, { node: list, path: key, owner: { source: 'claude-code', scope } })
    for (const { text, node: at } of toTextItems(list)) {
      site.note({ server: text, decision, by: spotOf(document, at) })
    }
  }
  const all = findMember(node, 'enableAllProjectMcpServers')?.value
  const isAll = scope === 'user' && all?.kind === 'scalar' && all.value === true
  if (isAll) site.note({ server: '*', decision: 'enabled', by: spotOf(document, all) })
}

/** Claude Code never reads servers from its settings files; people put them there all the same. */
async function misplaced(site: Site, scope: Scope, file: string): Promise<readonly FoundEntry[]> {
  const document = await site.read({ scope, file })
  if (document === undefined) return []
  noteChoices(site, { document, node: document.root, scope })
  if (findMember(document.root, 'mcpServers') === undefined) return []
  const target = scope === 'user' ? '~/.claude.json' : '.mcp.json'
  return site.servers({
    scope,
    file,
    document,
    dialect: 'claude-code',
    unsupported: (origin, name) => inSettings(origin, name, target),
  })
}

function inSettings(origin: Origin, name: string, target: string): Problem {
  return createWarning({
    code: 'discover/claude-settings',
    message: `\`${name}\` stands in Claude Code's settings, where servers are not read`,
    where: whereOrigin(origin, name),
    hints: [`move it to \`mcpServers\` in \`${target}\``],
  })
}

interface Plugin {
  readonly id: string
  readonly name: string
  readonly root: string
  /** What the user answered when it was installed, as `user_config.<key>`. Secret answers are in no file. */
  readonly answers: Readonly<Record<string, string>>
  readonly off?: Switch
}

async function plugins(site: Site, switchFor: SwitchFor): Promise<readonly FoundEntry[]> {
  const { dir } = places(site)
  const { paths } = site.world
  const installed = await site.read({
    scope: 'plugin',
    file: paths.join(dir, 'plugins', 'installed_plugins.json'),
  })
  const settings = await site.read({ scope: 'user', file: paths.join(dir, 'settings.json') })
  const found = installed === undefined ? [] : findPlugins(site, installed, settings)
  return lookInOrder(found.map((plugin) => () => pluginServers(site, plugin, switchFor)))
}

/** Version 1 has one object per plugin, version 2 a list with one object per place it was installed for. */
function findPlugins(
  site: Site,
  installed: ConfigDocument,
  settings: ConfigDocument | undefined,
): readonly Plugin[] {
  const map = findAt(installed.root, ['plugins'])
  if (map?.kind !== 'object') return []
  return map.members.flatMap((member) => {
    const installs = member.value.kind === 'array' ? member.value.items : [member.value]
    const install = installs.find((one) => appliesHere(site, one))
    const root = toText(findMember(install, 'installPath')?.value)
    if (root === undefined) return []
    const id = member.key
    const off = pluginOff(member, installed, settings)
    const answers = findAnswers(settings, id)
    return [{ id, name: id.split('@')[0]!, root, answers, ...(off === undefined ? {} : { off }) }]
  })
}

function findAnswers(settings: ConfigDocument | undefined, id: string): Plugin['answers'] {
  const options = findAt(settings?.root, ['pluginConfigs', id, 'options'])
  const members = options?.kind === 'object' ? options.members : []
  return Object.fromEntries(
    members.flatMap(({ key, value }) =>
      value.kind === 'scalar' && value.value !== null ? [[`user_config.${key}`, String(value.value)]] : [],
    ),
  )
}

function appliesHere(site: Site, install: ConfigNode): boolean {
  const path = toText(findMember(install, 'projectPath')?.value)
  return (
    path === undefined ||
    site.project.dirsNearestFirst.some((dir) => comparable(site, dir) === comparable(site, path))
  )
}

/** Enabling is consent, and only the user's own settings can give it. */
function pluginOff(
  plugin: Member,
  installed: ConfigDocument,
  settings: ConfigDocument | undefined,
): Switch | undefined {
  const enabled = findMember(findAt(settings?.root, ['enabledPlugins']), plugin.key)
  const isOn = enabled?.value.kind === 'scalar' && enabled.value.value === true
  if (isOn) return undefined
  const by = enabled === undefined ? spotOf(installed, plugin.value) : spotOf(settings!, enabled.value)
  return { to: 'off', by, reason: `the Claude Code plugin \`${plugin.key}\` is not enabled` }
}

async function pluginServers(
  site: Site,
  plugin: Plugin,
  switchFor: SwitchFor,
): Promise<readonly FoundEntry[]> {
  const { paths } = site.world
  const manifest = await site.read({
    scope: 'plugin',
    file: paths.join(plugin.root, '.claude-plugin', 'plugin.json'),
  })
  const declared = findMember(manifest?.root, 'mcpServers')?.value
  const listed = declared === undefined ? [] : declared.kind === 'array' ? declared.items : [declared]
  const files = new Set([paths.join(plugin.root, '.mcp.json')])
  for (const node of listed) {
    const path = toText(node)
    if (path === undefined) continue
    if (/\.(?:mcpb|dxt)$/.test(path)) site.report(bundle(manifest!, node, plugin))
    else files.add(paths.join(plugin.root, path))
  }
  const common = {
    scope: 'plugin',
    dialect: 'claude-plugin',
    baseDir: plugin.root,
    variables: {
      ...variables(site),
      ...plugin.answers,
      CLAUDE_PLUGIN_ROOT: plugin.root,
      CLAUDE_PLUGIN_DATA: paths.join(
        places(site).dir,
        'plugins',
        'data',
        plugin.id.replace(/[^A-Za-z0-9_-]/g, '-'),
      ),
    },
    switchFor: (name: string) => plugin.off ?? switchFor(`plugin:${plugin.name}:${name}`) ?? switchFor(name),
  } as const
  return lookInOrder([
    ...[...files].map((file) => () => mapFile(site, { ...common, file })),
    ...listed
      .filter((node) => node.kind === 'object')
      .map((root) => () => {
        const document = { ...manifest!, root }
        return site.servers({ ...common, file: document.file, document, under: [] })
      }),
  ])
}

/** A plugin's file may be the map itself, without `mcpServers` around it. */
async function mapFile(site: Site, request: ServersRequest): Promise<readonly FoundEntry[]> {
  const document = await site.read(request)
  const isBare = document !== undefined && findMember(document.root, 'mcpServers') === undefined
  return site.servers({ ...request, under: isBare ? [] : ['mcpServers'] })
}

function bundle(manifest: ConfigDocument, node: ConfigNode, plugin: Plugin): Problem {
  return createWarning({
    code: 'discover/bundle',
    message: `the plugin \`${plugin.id}\` ships a bundle, which Plugboard does not unpack`,
    where: whereOf(manifest, node, { source: 'claude-code', scope: 'plugin' }),
    hints: ['unpack it and declare its server with `command`'],
  })
}
