/**
 * agent-plugins: plugins in our folder whose `mcp.json` names the schema of Agent Plugins, a format that several
 * vendors share. The same file without a `$schema` is one of our own plugins.
 */
import { findMember, toText, type ConfigDocument, type ConfigNode } from '../../../model/document.ts'
import type { FoundEntry, Switch } from '../../../model/entry.ts'
import type { Problem } from '../../../model/problem.ts'
import { createProblem, whereOf } from '../../../problem/problem.ts'
import type { Site } from '../site.ts'
import { lookInOrder, type Source } from '../source.ts'

const SCHEMA = 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json'

export const agentPlugins: Source = {
  id: 'agent-plugins',
  // The specification lets each client choose its folder, so there is no other folder to read.
  look: (site) => {
    const { files, paths } = site.world
    const names = files.list(paths.join(site.dirs.config, 'plugins'))
    return lookInOrder(names.map((name) => () => plugin(site, name)))
  },
}

async function plugin(site: Site, name: string): Promise<readonly FoundEntry[]> {
  const { files, paths } = site.world
  const root = paths.join(site.dirs.config, 'plugins', name)
  const file = paths.join(root, 'mcp.json')
  if (files.kind(file) === 'missing') return []
  const document = await site.read({ scope: 'plugin', file })
  const schema = findMember(document?.root, '$schema')
  if (document === undefined || schema === undefined) return []
  const problem = findFault(document, schema.value)
  if (problem !== undefined) {
    site.report(problem)
    return []
  }
  const off = pluginOff(site, name)
  return site.servers({
    scope: 'plugin',
    file,
    document,
    dialect: 'agent-plugins',
    baseDir: root,
    variables: { PLUGIN_ROOT: root, PLUGIN_DATA: paths.join(site.dirs.state, 'plugins', name) },
    switchFor: () => off,
  })
}

/** The schema is closed: another version, or an unknown member, makes the whole file invalid (§7.2.2). */
function findFault(document: ConfigDocument, schema: ConfigNode): Problem | undefined {
  const where = (node: { readonly start: number; readonly end: number }) =>
    whereOf(document, node, { source: 'agent-plugins', scope: 'plugin' })
  const notes = ['nothing in this file was loaded; every other file was']
  if (toText(schema) !== SCHEMA) {
    return createProblem({
      code: 'discover/agent-plugin-schema',
      message: 'this `$schema` is not the one of Agent Plugins 1.0.0',
      where: where(schema),
      notes,
      hints: [`use exactly \`"$schema": "${SCHEMA}"\`, or leave it out to make this a plugin of Plugboard`],
    })
  }
  const members = document.root.kind === 'object' ? document.root.members : []
  const foreign = members.find(({ key }) => key !== '$schema' && key !== 'mcpServers')
  if (foreign === undefined) return undefined
  return createProblem({
    code: 'discover/agent-plugin-schema',
    message: `\`${foreign.key}\` is not allowed by this file's \`$schema\`, which knows \`mcpServers\` alone`,
    where: where({ start: foreign.keyStart, end: foreign.keyEnd }),
    notes,
    hints: [`remove \`${foreign.key}\``],
  })
}

function pluginOff(site: Site, name: string): Switch | undefined {
  const setting = site.settings.plugins.get(name)
  if (setting?.isOn !== false) return undefined
  return { to: 'off', by: setting.by, reason: `the plugin \`${name}\` is turned off` }
}
