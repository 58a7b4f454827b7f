/**
 * windsurf: one file of the user's, and one that its plugins for other editors share.
 */
import { lookInOrder, type Source } from '../source.ts'
import { inAppData } from '../user-folders.ts'

export const windsurf: Source = {
  id: 'windsurf',
  look: (site) => {
    const files = [
      site.inHome('.codeium/windsurf/mcp_config.json'),
      ...(site.world.platform === 'win32' ? [inAppData(site, 'Codeium/windsurf/mcp_config.json')] : []),
      site.inHome('.codeium/mcp_config.json'),
    ]
    return lookInOrder(files.map((file) => () => site.servers({ scope: 'user', file, dialect: 'windsurf' })))
  },
  homes: (ground) => [
    { scope: 'user', files: [ground.inHome('.codeium/windsurf/mcp_config.json')], under: ['mcpServers'] },
  ],
}
