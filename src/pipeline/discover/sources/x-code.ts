/**
 * x-code: one JSON file for the user, one for each project. Its own list of trusted projects gives no consent to
 * Plugboard.
 */
import { absoluteOr } from '../project.ts'
import type { Ground } from '../site.ts'
import { lookInOrder, type Source } from '../source.ts'

export const xCode: Source = {
  id: 'x-code',
  look: (site) => {
    const place = (scope: 'user' | 'project', file: string) => () =>
      site.servers({ scope, file, dialect: 'x-code' })
    return lookInOrder([
      place('user', userFile(site)),
      ...site.inProject('.x-code/config.json').map((file) => place('project', file)),
    ])
  },
  homes: (ground) => [
    { scope: 'user', files: [userFile(ground)], under: ['mcpServers'] },
    { scope: 'project', files: ground.inProject('.x-code/config.json'), under: ['mcpServers'] },
  ],
}

function userFile({ world, inHome }: Ground): string {
  const home = absoluteOr(world, world.env['X_CODE_HOME']) ?? inHome('.x-code')
  return world.paths.join(home, 'config.json')
}
