/**
 * copilot: one file of the user's, one in `.github` of every directory. The settings list the servers that are off.
 *
 * `.mcp.json`, which Copilot also reads, belongs to the source mcp-json.
 */
import { findMember, type ConfigDocument, type Member } from '../../../model/document.ts'
import type { FoundEntry } from '../../../model/entry.ts'
import { absoluteOr } from '../project.ts'
import type { ServersRequest } from '../find-servers.ts'
import type { Ground, Site } from '../site.ts'
import { firstSwitch } from '../switches.ts'
import { lookInOrder, type Source } from '../source.ts'
import { readSwitches } from '../switch-lists.ts'

const LISTS = { source: 'copilot', lists: [{ path: ['disabledMcpServers'], means: 'off' }] } as const

export const copilot: Source = {
  id: 'copilot',
  async look(site) {
    const { world } = site
    const home = homeOf(site)
    const ofUser = await readSwitches(site, LISTS, {
      scope: 'user',
      // Older versions used `config.json`; Copilot moves the settings when it starts.
      files: ['settings.json', 'config.json'].map((name) => world.paths.join(home, name)),
    })
    const ofProject = await readSwitches(site, LISTS, {
      scope: 'project',
      files: ['settings.local.json', 'settings.json'].flatMap((name) =>
        site.inProject(`.github/copilot/${name}`),
      ),
    })
    const file = world.paths.join(home, 'mcp-config.json')
    return lookInOrder([
      () => serversIn(site, { scope: 'user', file, dialect: 'copilot', switchFor: ofUser }),
      ...site.inProject('.github/mcp.json').map((path) => () => {
        const switchFor = firstSwitch(ofUser, ofProject)
        return serversIn(site, { scope: 'project', file: path, dialect: 'copilot', switchFor })
      }),
    ])
  },
  homes: (ground) => [
    {
      scope: 'user',
      files: [ground.world.paths.join(homeOf(ground), 'mcp-config.json')],
      under: ['mcpServers'],
    },
    { scope: 'project', files: ground.inProject('.github/mcp.json'), under: ['mcpServers'] },
  ],
}

function homeOf({ world, inHome }: Ground): string {
  return absoluteOr(world, world.env['COPILOT_HOME']) ?? inHome('.copilot')
}

/** The file may be the map itself, without `mcpServers` around it. */
async function serversIn(site: Site, request: ServersRequest): Promise<readonly FoundEntry[]> {
  const document = await site.read(request)
  const variables = { '~': site.world.home }
  if (document === undefined || !isBare(document)) return site.servers({ ...request, variables })
  return site.servers({ ...request, variables, under: [], isServer: ({ key }) => key !== '$schema' })
}

function isBare({ root }: ConfigDocument): boolean {
  if (root.kind !== 'object' || findMember(root, 'mcpServers') !== undefined) return false
  return root.members.some(looksLikeServer)
}

function looksLikeServer({ value }: Member): boolean {
  return ['command', 'url'].some((key) => findMember(value, key) !== undefined)
}
