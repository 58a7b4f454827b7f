/**
 * claude-desktop: one file of the user's. Claude Desktop has no Linux version; rebuilds of it for Linux keep the file
 * in `.config`.
 */
import type { Ground } from '../site.ts'
import type { Source } from '../source.ts'
import { inAppFolder } from '../user-folders.ts'

export const claudeDesktop: Source = {
  id: 'claude-desktop',
  look: (site) =>
    site.servers({
      scope: 'user',
      file: userFile(site),
      dialect: 'mcp-json',
    }),
  homes: (ground) => [{ scope: 'user', files: [userFile(ground)], under: ['mcpServers'] }],
}

function userFile(ground: Ground): string {
  return inAppFolder(ground, 'Claude/claude_desktop_config.json')
}
