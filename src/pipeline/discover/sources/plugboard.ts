/**
 * plugboard: our own files for the organisation, the user, one project of the user's, and the repository; and the
 * plugins in our folder.
 */
import { findMember, type ConfigDocument } from '../../../model/document.ts'
import type { FoundEntry } from '../../../model/entry.ts'
import type { Origin, Scope } from '../../../model/origin.ts'
import type { Problem } from '../../../model/problem.ts'
import { createWarning, whereOf, whereOrigin } from '../../../problem/problem.ts'
import type { ServersRequest } from '../find-servers.ts'
import type { Site } from '../site.ts'
import { lookInOrder, type Source } from '../source.ts'

export const plugboard: Source = {
  id: 'plugboard',
  look: (site) => {
    const { paths, files } = site.world
    const { config, local, managed } = site.dirs
    const folders: readonly { readonly scope: Scope; readonly dir: string }[] = [
      { scope: 'local', dir: local },
      { scope: 'user', dir: config },
      ...site.inProject('.plugboard').map((dir) => ({ scope: 'project' as const, dir })),
    ]
    return lookInOrder([
      () =>
        site.servers({
          scope: 'managed',
          file: paths.join(managed, 'managed-mcp.json'),
          dialect: 'plugboard',
        }),
      () => besideSettings(site, 'managed', managed),
      ...folders.map(
        ({ scope, dir }) =>
          () =>
            folder(site, scope, dir),
      ),
      ...files.list(paths.join(config, 'plugins')).map((name) => () => plugin(site, name)),
    ])
  },
}

/** `mcp.json`, then the servers in the settings files. */
function folder(site: Site, scope: Scope, dir: string): Promise<readonly FoundEntry[]> {
  const { paths } = site.world
  const file = paths.join(dir, 'mcp.json')
  // `.plugboard` belongs to the folder that contains it, which need not be the root.
  const base = scope === 'project' ? { baseDir: paths.dirname(dir) } : {}
  return lookInOrder([
    async () => {
      const document = await site.read({ scope, file })
      if (document !== undefined) reportStrayKeys(site, document, scope)
      return site.servers({ scope, file, dialect: 'plugboard', ...base })
    },
    () => besideSettings(site, scope, dir, base),
  ])
}

/** `mcp.json` holds only servers; other keys would be lost without a message. */
function reportStrayKeys(site: Site, document: ConfigDocument, scope: Scope): void {
  const members = document.root.kind === 'object' ? document.root.members : []
  for (const { key, keyStart, keyEnd } of members) {
    if (['mcpServers', '$schema', 'servers', 'mcp_servers', 'mcp'].includes(key)) continue
    const where = whereOf(document, { start: keyStart, end: keyEnd }, { source: 'plugboard', scope })
    const message = `\`${key}\` is not used: \`mcp.json\` is for servers`
    const hints = ['if it is a setting, move it to `settings.json` in the same folder']
    site.report(createWarning({ code: 'discover/stray-key', message, where, hints }))
  }
}

/** The tables of `settings.toml`. `settings.json` may not hold servers. */
function besideSettings(
  site: Site,
  scope: Scope,
  dir: string,
  base: Pick<ServersRequest, 'baseDir'> = {},
): Promise<readonly FoundEntry[]> {
  const { paths } = site.world
  const tables = paths.join(dir, 'settings.toml')
  const file = paths.join(dir, 'settings.json')
  return lookInOrder([
    () => site.servers({ scope, file: tables, under: ['mcp_servers'], dialect: 'plugboard', ...base }),
    ...['mcpServers', 'mcp_servers'].map((key) => async () => {
      const document = await site.read({ scope, file })
      if (findMember(document?.root, key) === undefined) return []
      return site.servers({ scope, file, under: [key], dialect: 'plugboard', unsupported: inSettings })
    }),
  ])
}

function inSettings(origin: Origin, name: string): Problem {
  return createWarning({
    code: 'discover/servers-in-settings',
    message: `\`${name}\` stands in \`settings.json\`, which is for settings`,
    where: whereOrigin(origin, name),
    hints: ['move it to `mcp.json` in the same folder'],
  })
}

/** A plugin with a `$schema` is an Agent Plugin and belongs to that source. */
async function plugin(site: Site, name: string): Promise<readonly FoundEntry[]> {
  const { paths } = site.world
  const dir = paths.join(site.dirs.config, 'plugins', name)
  const setting = site.settings.plugins.get(name)
  const common = {
    scope: 'plugin',
    dialect: 'plugboard',
    baseDir: dir,
    variables: { PLUGIN_ROOT: dir, PLUGIN_DATA: paths.join(site.dirs.state, 'plugins', name) },
    switchFor: () =>
      setting?.isOn === false
        ? ({ to: 'off', by: setting.by, reason: `the plugin \`${name}\` is turned off` } as const)
        : undefined,
  } as const
  return lookInOrder(
    ['mcp.json', '.mcp.json'].map((base) => async () => {
      const file = paths.join(dir, base)
      if (site.world.files.kind(file) === 'missing') return []
      const document = await site.read({ scope: 'plugin', file })
      if (document === undefined || findMember(document.root, '$schema') !== undefined) return []
      return site.servers({ ...common, file })
    }),
  )
}
