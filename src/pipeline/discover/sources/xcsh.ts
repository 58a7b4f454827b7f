/**
 * xcsh: JSON for the user and for the project, with lists beside the servers that turn them off and on.
 */
import type { Site } from '../site.ts'
import type { Source } from '../source.ts'
import { lookWithLists, type SwitchList } from '../switch-lists.ts'

/** oh-my-pi, from which xcsh grew, has the same lists. */
export const LISTS: readonly SwitchList[] = [
  { path: ['disabledServers'], means: 'off' },
  { path: ['enabledServers'], means: 'on' },
]

export const xcsh: Source = {
  id: 'xcsh',
  look: (site) =>
    lookWithLists(site, {
      source: 'xcsh',
      dialect: 'xcsh',
      lists: LISTS,
      userHighToLow: [site.inHome('.xcsh/mcp.json'), ...inEach(site, [site.inHome('.xcsh/agent')])],
      projectHighToLow: inEach(site, site.inProject('.xcsh')),
    }),
  homes: (ground) => [
    { scope: 'user', files: [ground.inHome('.xcsh/mcp.json')], under: ['mcpServers'] },
    { scope: 'project', files: ground.inProject('.xcsh/mcp.json'), under: ['mcpServers'] },
  ],
}

/** Both names of the file, nearest folder first. */
export function inEach(site: Site, folders: readonly string[]): readonly string[] {
  return folders.flatMap((dir) => ['mcp.json', '.mcp.json'].map((name) => site.world.paths.join(dir, name)))
}
