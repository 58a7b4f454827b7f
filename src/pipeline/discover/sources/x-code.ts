/**
 * x-code: one JSON file for the user, one per project. Its own list of trusted projects is no consent given to us.
 */
import { absoluteOr } from '../project.ts'
import { lookInOrder, type Source } from '../source.ts'

export const xCode: Source = {
  id: 'x-code',
  look: (site) => {
    const { env, paths } = site.world
    const home = absoluteOr(site.world, env['X_CODE_HOME']) ?? site.inHome('.x-code')
    const place = (scope: 'user' | 'project', file: string) => () =>
      site.servers({ scope, file, dialect: 'x-code' })
    return lookInOrder([
      place('user', paths.join(home, 'config.json')),
      ...site.inProject('.x-code/config.json').map((file) => place('project', file)),
    ])
  },
}
