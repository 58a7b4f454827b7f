/**
 * mcp-json: the root files that belong to no single agent. Many agents read them.
 */
import type { Ground } from '../site.ts'
import { lookInOrder, type Source } from '../source.ts'

export const mcpJson: Source = {
  id: 'mcp-json',
  look: (site) =>
    lookInOrder(
      filesOf(site).map((file) => () => {
        const baseDir = site.world.paths.dirname(file)
        return site.servers({ scope: 'project', file, dialect: 'mcp-json', baseDir })
      }),
    ),
  homes: (ground) => [
    {
      scope: 'project',
      files: [...filesOf(ground), ground.inProject('.mcp.json').at(-1)!],
      under: ['mcpServers'],
    },
  ],
}

function filesOf({ project, world }: Ground): readonly string[] {
  return project.dirsNearestFirst.flatMap((dir) =>
    ['.mcp.json', 'mcp.json'].map((name) => world.paths.join(dir, name)),
  )
}
