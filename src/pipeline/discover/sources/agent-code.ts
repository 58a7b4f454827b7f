/**
 * agent-code: TOML for the user and for the project, with an allow and a deny list and rules for tools of its own.
 */
import type { Ground } from '../site.ts'
import type { Source } from '../source.ts'
import { lookWithLists } from '../switch-lists.ts'
import { inAppFolder, inConfigHome } from '../user-folders.ts'

export const agentCode: Source = {
  id: 'agent-code',
  async look(site) {
    const userHighToLow = userFiles(site)
    // `settings.local.toml` should stay out of the repository, but a repository may contain it. So it gets no more
    // trust.
    const projectHighToLow = [
      ...site.inProject('.agent/settings.local.toml'),
      ...site.inProject('.agent/settings.toml'),
    ]
    const found = await lookWithLists(site, {
      source: 'agent-code',
      dialect: 'agent-code',
      under: ['mcp_servers'],
      lists: [
        { path: ['security', 'mcp_server_denylist'], means: 'off' },
        { path: ['security', 'mcp_server_allowlist'], means: 'only' },
      ],
      userHighToLow,
      projectHighToLow,
    })
    for (const file of userHighToLow) await site.policy({ level: 'user', file })
    for (const file of projectHighToLow) await site.policy({ level: 'project', file })
    return found
  },
  homes: (ground) => [
    { scope: 'user', files: userFiles(ground), under: ['mcp_servers'] },
    { scope: 'project', files: ground.inProject('.agent/settings.toml'), under: ['mcp_servers'] },
  ],
}

/** Its documentation names `~/.config` everywhere, but the program uses the platform's folder. */
function userFiles(ground: Ground): readonly string[] {
  const file = 'agent-code/config.toml'
  return [...new Set([inAppFolder(ground, file), inConfigHome(ground, file)])]
}
