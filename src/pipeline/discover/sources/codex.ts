/**
 * codex: TOML in the user's Codex folder, in every directory of a project, and for the whole machine.
 */
import { absoluteOr } from '../project.ts'
import type { Ground } from '../site.ts'
import { lookInOrder, type Source } from '../source.ts'

export const codex: Source = {
  id: 'codex',
  look: (site) => {
    const { env, paths, platform } = site.world
    const system =
      platform === 'win32'
        ? paths.join(
            absoluteOr(site.world, env['ProgramData']) ?? 'C:\\ProgramData',
            'OpenAI',
            'Codex',
            'config.toml',
          )
        : '/etc/codex/config.toml'
    // Codex resolves relative commands and folders from the folder of the file.
    const place =
      (scope: 'user' | 'project', file: string, reach: 'user' | 'machine' = 'user') =>
      () =>
        site.servers({
          scope,
          file,
          reach,
          under: ['mcp_servers'],
          dialect: 'codex',
          baseDir: paths.dirname(file),
        })
    return lookInOrder([
      place('user', userFile(site)),
      place('user', system, 'machine'),
      ...site.inProject('.codex/config.toml').map((file) => place('project', file)),
    ])
  },
  homes: (ground) => [
    { scope: 'user', files: [userFile(ground)], under: ['mcp_servers'], isBase: true },
    { scope: 'project', files: ground.inProject('.codex/config.toml'), under: ['mcp_servers'], isBase: true },
  ],
}

function userFile({ world, inHome }: Ground): string {
  const home = absoluteOr(world, world.env['CODEX_HOME']) ?? inHome('.codex')
  return world.paths.join(home, 'config.toml')
}
