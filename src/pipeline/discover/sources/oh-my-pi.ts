/**
 * oh-my-pi: JSON for the user, for each of the user's profiles, and for the project, with the lists of xcsh.
 */
import type { Site } from '../site.ts'
import type { Source } from '../source.ts'
import { lookWithLists } from '../switch-lists.ts'
import { inEach, LISTS } from './xcsh.ts'

export const ohMyPi: Source = {
  id: 'oh-my-pi',
  look: (site) =>
    lookWithLists(site, {
      source: 'oh-my-pi',
      dialect: 'xcsh',
      lists: LISTS,
      userHighToLow: inEach(site, [site.inHome('.omp/agent')]),
      profiles: findProfiles(site),
      projectHighToLow: inEach(site, site.inProject('.omp')),
    }),
  homes: (ground) => [
    { scope: 'user', files: [ground.inHome('.omp/agent/mcp.json')], under: ['mcpServers'] },
    { scope: 'project', files: ground.inProject('.omp/mcp.json'), under: ['mcpServers'] },
  ],
}

/** Only a running oh-my-pi knows which profile is in use. So all profiles count, below the plain files. */
function findProfiles(site: Site): readonly string[] {
  const { files, paths } = site.world
  const dir = site.inHome('.omp/profiles')
  return files.list(dir).map((name) => paths.join(dir, name, 'agent', 'mcp.json'))
}
