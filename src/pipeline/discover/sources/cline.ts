/**
 * cline: one file that its command line and its editors share, and the places that older versions used.
 */
import { absoluteOr } from '../project.ts'
import type { Ground } from '../site.ts'
import { lookInOrder, type Source } from '../source.ts'
import { fileNamedBy, vscodeUserFolders } from '../user-folders.ts'

export const cline: Source = {
  id: 'cline',
  look: (site) =>
    lookInOrder(placesOf(site).map((place) => () => site.servers({ ...place, dialect: 'cline' }))),
  homes: (ground) => {
    const [{ scope, file }] = placesOf(ground)
    return [{ scope, files: [file], under: ['mcpServers'] }]
  },
}

const FILE = 'cline_mcp_settings.json'

interface ClinePlace {
  readonly scope: 'user' | 'project'
  readonly file: string
}

function placesOf(site: Ground): readonly [ClinePlace, ...ClinePlace[]] {
  const { env, paths } = site.world
  const home = absoluteOr(site.world, env['CLINE_DATA_DIR']) ?? site.inHome('.cline/data')
  const legacy = vscodeUserFolders(site).map((folder) =>
    paths.join(folder, 'globalStorage', 'saoudrizwan.claude-dev', 'settings', FILE),
  )
  const others = [site.inHome('.cline/mcp.json'), ...legacy]
  return [
    // The variable replaces the shared file only.
    fileNamedBy(site, 'CLINE_MCP_SETTINGS_PATH') ?? {
      scope: 'user',
      file: paths.join(home, 'settings', FILE),
    },
    ...others.map((file) => ({ scope: 'user' as const, file })),
  ]
}
