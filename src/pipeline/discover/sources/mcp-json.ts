/**
 * mcp-json: the root files that belong to no agent and are read by many.
 */
import { lookInOrder, type Source } from '../source.ts'

export const mcpJson: Source = {
  id: 'mcp-json',
  look: (site) =>
    lookInOrder(
      site.project.dirsNearestFirst
        .flatMap((dir) => ['.mcp.json', 'mcp.json'].map((name) => site.world.paths.join(dir, name)))
        .map((file) => () => site.servers({ scope: 'project', file, dialect: 'mcp-json' })),
    ),
}
