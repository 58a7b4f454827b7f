/**
 * claude-desktop: one file of the user's. There is no Claude Desktop for Linux; rebuilds of it keep the file in
 * `.config`.
 */
import type { Source } from '../source.ts'
import { inAppFolder } from '../user-folders.ts'

export const claudeDesktop: Source = {
  id: 'claude-desktop',
  look: (site) =>
    site.servers({
      scope: 'user',
      file: inAppFolder(site, 'Claude/claude_desktop_config.json'),
      dialect: 'mcp-json',
    }),
}
