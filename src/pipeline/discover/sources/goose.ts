/**
 * goose: YAML of the user's, in which servers are one kind of extension. There is no file per project.
 */
import type { Ground } from '../site.ts'
import type { Source } from '../source.ts'
import { inAppData, inConfigHome } from '../user-folders.ts'

export const goose: Source = {
  id: 'goose',
  look: (site) =>
    site.servers({ scope: 'user', file: userFile(site), under: ['extensions'], dialect: 'goose' }),
  homes: (ground) => [{ scope: 'user', files: [userFile(ground)], under: ['extensions'] }],
}

function userFile(ground: Ground): string {
  return ground.world.platform === 'win32'
    ? inAppData(ground, 'Block/goose/config/config.yaml')
    : inConfigHome(ground, 'goose/config.yaml')
}
