/**
 * cursor: one file for the user, one per project; its command line shares them.
 */
import { lookInOrder, type Source } from '../source.ts'
import { editorVariables } from '../variables.ts'

export const cursor: Source = {
  id: 'cursor',
  look: (site) => {
    const common = { dialect: 'cursor', variables: editorVariables(site) } as const
    return lookInOrder([
      () => site.servers({ ...common, scope: 'user', file: site.inHome('.cursor/mcp.json') }),
      ...site
        .inProject('.cursor/mcp.json')
        .map((file) => () => site.servers({ ...common, scope: 'project', file })),
    ])
  },
  homes: (ground) => [
    { scope: 'user', files: [ground.inHome('.cursor/mcp.json')], under: ['mcpServers'] },
    { scope: 'project', files: ground.inProject('.cursor/mcp.json'), under: ['mcpServers'] },
  ],
}
