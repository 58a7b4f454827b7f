/**
 * goose: YAML of the user's, in which servers are one kind of extension. There is no file per project.
 */
import type { Source } from '../source.ts'
import { inAppData, inConfigHome } from '../user-folders.ts'

export const goose: Source = {
  id: 'goose',
  look: (site) => {
    const file =
      site.world.platform === 'win32'
        ? inAppData(site, 'Block/goose/config/config.yaml')
        : inConfigHome(site, 'goose/config.yaml')
    return site.servers({ scope: 'user', file, under: ['extensions'], dialect: 'goose' })
  },
}
