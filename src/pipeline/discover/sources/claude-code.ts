/**
 * claude-code: the user's state file with its parts for projects, the organisation's files, and enabled plugins.
 *
 * The project's `.mcp.json` belongs to the source mcp-json. This source records the user's choices about it in Claude
 * Code.
 */
import {
  spotOf,
  findAt,
  findMember,
  toTextItems,
  type ConfigDocument,
  type ConfigNode,
  type Member,
} from '../../../model/document.ts'
import type { FoundEntry } from '../../../model/entry.ts'
import type { Origin, Scope } from '../../../model/origin.ts'
import type { Problem } from '../../../model/problem.ts'
import { createWarning, whereOrigin } from '../../../problem/problem.ts'
import { lookAtClaudePlugins } from '../claude-plugins.ts'
import { absoluteOr, toComparable } from '../project.ts'
import type { Ground, Site } from '../site.ts'
import { switchesFrom, type SwitchFor } from '../switches.ts'
import { lookInOrder, type Source } from '../source.ts'
import { reportFaults } from '../switch-lists.ts'

export const claudeCode: Source = {
  id: 'claude-code',
  async look(site) {
    const { state, dir, settings } = places(site)
    const document = await site.read({ scope: 'user', file: state })
    const projects = findProjects(site, document)
    const switchFor = offInProject(document, projects)
    for (const file of managedSettings(site)) await site.policy({ level: 'managed', file })
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
      () => lookAtClaudePlugins(site, { dir, switchFor, variables: variables(site) }),
    ])
  },
  homes: (ground) => {
    const { state } = places(ground)
    return [
      { scope: 'user', files: [state], under: ['mcpServers'] },
      { scope: 'local', files: [state], under: ['projects', ground.project.root, 'mcpServers'] },
      // In a project, Claude Code uses the shared root file.
      { scope: 'project', files: ground.inProject('.mcp.json'), under: ['mcpServers'] },
    ]
  },
}

function places(site: Ground): {
  readonly state: string
  readonly dir: string
  readonly settings: readonly { readonly scope: 'user' | 'project'; readonly file: string }[]
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
  return site.world.paths.join(managedFolder(site), 'managed-mcp.json')
}

/** The main file, then the files in the folder beside it. */
function managedSettings(site: Site): readonly string[] {
  const { files, paths } = site.world
  const folder = managedFolder(site)
  const parts = paths.join(folder, 'managed-settings.d')
  const names = files.list(parts).filter((name) => name.endsWith('.json') && !name.startsWith('.'))
  return [
    paths.join(folder, 'managed-settings.json'),
    ...names.toSorted().map((name) => paths.join(parts, name)),
  ]
}

function managedFolder(site: Site): string {
  return {
    linux: '/etc/claude-code',
    darwin: '/Library/Application Support/ClaudeCode',
    win32: 'C:\\Program Files\\ClaudeCode',
  }[site.world.platform]
}

function variables(site: Site): Readonly<Record<string, string>> {
  return { CLAUDE_PROJECT_DIR: site.project.root }
}

/** The members of `projects` for directories of this project, nearest first. */
function findProjects(site: Site, document: ConfigDocument | undefined): readonly Member[] {
  const projects = findAt(document?.root, ['projects'])
  if (projects?.kind !== 'object') return []
  const { world, project } = site
  const wanted = [...project.dirsNearestFirst, project.realRoot].map((dir) => toComparable(world, dir))
  const rankOf = (member: Member): number => wanted.indexOf(toComparable(world, member.key))
  return projects.members.filter((member) => rankOf(member) !== -1).sort((a, b) => rankOf(a) - rankOf(b))
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

/** The lists about `.mcp.json`. The last one is about every server, including those of `.mcp.json`. */
const CHOICES = [
  { key: 'enabledMcpjsonServers', decision: 'enabled' },
  { key: 'disabledMcpjsonServers', decision: 'disabled' },
  { key: 'disabledMcpServers', decision: 'disabled' },
] as const

/** Records the choices about `.mcp.json`. A repository may turn a server off for its user, but never on. */
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

/** Claude Code never reads servers from its settings files, but users put them there. */
async function misplaced(
  site: Site,
  scope: 'user' | 'project',
  file: string,
): Promise<readonly FoundEntry[]> {
  const document = await site.policy({ level: scope, file })
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
