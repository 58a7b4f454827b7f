/**
 * scope-file: which file of ours holds the servers of a scope.
 */
import type { World } from '../../world/world.ts'
import type { LoadedCatalog } from '../load-catalog.ts'

/** The scopes that have a file of ours which the user may change. */
export const WRITABLE_SCOPES = ['user', 'project', 'local'] as const

export type WritableScope = (typeof WRITABLE_SCOPES)[number]

export interface ScopeFile {
  readonly scope: WritableScope
  readonly file: string
  /** As `FileToEdit.within`. */
  readonly within: string | undefined
  /** The mode of a new file: in a repository, all who work on it may read it. */
  readonly mode: number
}

export function scopeFileOf(
  world: World,
  { dirs, project }: Pick<LoadedCatalog, 'dirs' | 'project'>,
  scope: WritableScope,
): ScopeFile {
  const { join } = world.paths
  if (scope !== 'project')
    return {
      scope,
      file: join(scope === 'user' ? dirs.config : dirs.local, 'mcp.json'),
      within: undefined,
      mode: 0o600,
    }
  const files = project.dirsNearestFirst
    .map((dir) => join(dir, '.plugboard', 'mcp.json'))
    // The user's folder can be inside a project. It still belongs to the user.
    .filter((file) => file !== join(dirs.config, 'mcp.json'))
  const nearest = files.find((file) => world.files.kind(file) !== 'missing')
  const file = nearest ?? join(project.root, '.plugboard', 'mcp.json')
  return { scope, file, within: project.realRoot, mode: 0o644 }
}
