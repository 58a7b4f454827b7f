/**
 * claude-plugins: finds the servers of Claude Code's plugins. One file records the installed plugins, another the
 * enabled ones. The servers are in a third file, or in the plugin's manifest.
 */
import {
  spotOf,
  findAt,
  findMember,
  toText,
  type ConfigDocument,
  type ConfigNode,
  type Member,
} from '../../model/document.ts'
import type { FoundEntry, Switch } from '../../model/entry.ts'
import type { Problem } from '../../model/problem.ts'
import { createWarning, whereOf } from '../../problem/problem.ts'
import { absoluteOr, toComparable } from './project.ts'
import type { ServersRequest } from './find-servers.ts'
import type { Site } from './site.ts'
import type { SwitchFor } from './switches.ts'
import { lookInOrder } from './source.ts'

export interface ClaudeFolder {
  /** `~/.claude`, or the folder that replaces it. */
  readonly dir: string
  readonly switchFor: SwitchFor
  readonly variables: Readonly<Record<string, string>>
}

export async function lookAtClaudePlugins(site: Site, from: ClaudeFolder): Promise<readonly FoundEntry[]> {
  const { dir } = from
  const { paths } = site.world
  const installed = await site.read({
    scope: 'plugin',
    file: paths.join(dir, 'plugins', 'installed_plugins.json'),
  })
  const settings = await site.read({ scope: 'user', file: paths.join(dir, 'settings.json') })
  const found = installed === undefined ? [] : findPlugins(site, installed, settings)
  return lookInOrder(found.map((plugin) => () => pluginServers(site, plugin, from)))
}

interface Plugin {
  readonly id: string
  readonly name: string
  readonly root: string
  /** The user's answers at the installation, as `user_config.<key>`. Secret answers are in no file. */
  readonly answers: Readonly<Record<string, string>>
  readonly off?: Switch
}

/** Version 1 has one object for each plugin. Version 2 has a list with one object for each place of installation. */
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
    if (install === undefined) return []
    // A relative path would depend on the current folder, which may be any repository.
    const root = absoluteOr(site.world, toText(findMember(install, 'installPath')?.value))
    if (root === undefined) {
      site.report(noFolder(installed, member))
      return []
    }
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
    site.project.dirsNearestFirst.some(
      (dir) => toComparable(site.world, dir) === toComparable(site.world, path),
    )
  )
}

/** Enabling a plugin is consent, so only the user's own settings count. */
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
  { dir, variables, switchFor }: ClaudeFolder,
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
      ...variables,
      ...plugin.answers,
      CLAUDE_PLUGIN_ROOT: plugin.root,
      CLAUDE_PLUGIN_DATA: paths.join(dir, 'plugins', 'data', plugin.id.replace(/[^A-Za-z0-9_-]/g, '-')),
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

function noFolder(installed: ConfigDocument, { key, value }: Member): Problem {
  return createWarning({
    code: 'discover/plugin-folder',
    message: `the plugin \`${key}\` has no \`installPath\` that is absolute, so its servers are not read`,
    where: whereOf(installed, value, { source: 'claude-code', scope: 'plugin' }),
    hints: ['install the plugin again in Claude Code'],
  })
}

function bundle(manifest: ConfigDocument, node: ConfigNode, plugin: Plugin): Problem {
  return createWarning({
    code: 'discover/bundle',
    message: `the plugin \`${plugin.id}\` ships a bundle, which Plugboard does not unpack`,
    where: whereOf(manifest, node, { source: 'claude-code', scope: 'plugin' }),
    hints: ['unpack it and declare its server with `command`'],
  })
}
