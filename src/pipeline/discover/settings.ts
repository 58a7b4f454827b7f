/**
 * settings: reads our own settings files, which decide where else to look.
 *
 * in     the project and our folders
 * out    each existing file: its document, or the problem that prevented reading it
 */
import type { FoundSettings } from '../../model/settings.ts'
import type { Level } from '../../model/policy.ts'
import type { Scope } from '../../model/origin.ts'
import type { Project } from '../../model/project.ts'
import type { World } from '../../world/world.ts'
import type { OurDirs } from './project.ts'
import { readFile, type SiteLog } from './site.ts'

const SCOPE_OF: Readonly<Record<Level, Scope>> = {
  managed: 'managed',
  local: 'local',
  user: 'user',
  project: 'project',
}

/** Highest level first. */
export async function discoverSettings(
  world: World,
  place: { readonly project: Project; readonly dirs: OurDirs; readonly log: SiteLog },
): Promise<readonly FoundSettings[]> {
  const { project, dirs, log } = place
  const folders: readonly (readonly [Level, string])[] = [
    ['managed', dirs.managed],
    ['local', dirs.local],
    ['user', dirs.config],
    ...project.dirsNearestFirst
      .map((dir) => world.paths.join(dir, '.plugboard'))
      // The user's folder can be inside a project. It still belongs to the user.
      .filter((dir) => dir !== dirs.config)
      .map((dir) => ['project', dir] as const),
  ]
  const found: FoundSettings[] = []
  for (const [level, dir] of folders) {
    for (const base of ['settings.json', 'settings.toml']) {
      const file = world.paths.join(dir, base)
      const { document, problem } = await readFile(
        { world, log },
        { file, source: 'plugboard', scope: SCOPE_OF[level] },
      )
      if (document !== undefined) found.push({ level, file, document })
      else if (problem !== undefined) found.push({ level, file, problem })
    }
  }
  return found
}
