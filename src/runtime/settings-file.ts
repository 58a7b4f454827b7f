/** settings-file: which of our files holds the settings of a scope. */
import type { World } from '../world/world.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import type { WritableScope } from './manage/scope-file.ts'

type SettingsContext = Pick<LoadedCatalog, 'dirs' | 'project'>

/** Both are read. In a repository, the nearest folder with settings counts. */
export function settingsFilesOf(
  world: World,
  { dirs, project }: SettingsContext,
  scope: WritableScope,
): { readonly json: string; readonly toml: string } {
  const { join } = world.paths
  const inProject = project.dirsNearestFirst.map((dir) => join(dir, '.plugboard'))
  const nearest = inProject.find((dir) => world.files.kind(join(dir, 'settings.json')) !== 'missing')
  const dir = { user: dirs.config, local: dirs.local, project: nearest ?? join(project.root, '.plugboard') }[
    scope
  ]
  return { json: join(dir, 'settings.json'), toml: join(dir, 'settings.toml') }
}

/** Where the settings of a scope are written: never to a second file beside one in TOML. */
export function settingsFileToWrite(world: World, place: SettingsContext, scope: WritableScope): string {
  const { json, toml } = settingsFilesOf(world, place, scope)
  const isToml = world.files.kind(json) === 'missing' && world.files.kind(toml) !== 'missing'
  return isToml ? toml : json
}

/** The mode of a new file. A file in a repository is for the whole team. */
export function settingsMode(scope: WritableScope): number {
  return scope === 'project' ? 0o644 : 0o600
}
