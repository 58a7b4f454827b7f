/**
 * user-folders: where a platform keeps what programs store for their user. `/` separates on every platform.
 */
import { absoluteOr, below } from './project.ts'
import type { Site } from './site.ts'

/** `$XDG_CONFIG_HOME`, else `~/.config`. */
export function inConfigHome(site: Site, path: string): string {
  const { env } = site.world
  const base = absoluteOr(site.world, env['XDG_CONFIG_HOME']) ?? site.inHome('.config')
  return below(site.world, base, path)
}

/** Where desktop programs keep their folders, whatever the platform. */
export function inAppFolder(site: Site, path: string): string {
  const inFolder = { linux: inConfigHome, darwin: inApplicationSupport, win32: inAppData }
  return inFolder[site.world.platform](site, path)
}

/** The `User` folders of VS Code and its preview edition. */
export function vscodeUserFolders(site: Site): readonly string[] {
  return ['Code', 'Code - Insiders'].map((edition) => inAppFolder(site, `${edition}/User`))
}

/** `%APPDATA%` on Windows. */
export function inAppData(site: Site, path: string): string {
  const { env } = site.world
  const base = absoluteOr(site.world, env['APPDATA']) ?? site.inHome('AppData/Roaming')
  return below(site.world, base, path)
}

/** `%LOCALAPPDATA%` on Windows. */
export function inLocalAppData(site: Site, path: string): string {
  const { env } = site.world
  const base = absoluteOr(site.world, env['LOCALAPPDATA']) ?? site.inHome('AppData/Local')
  return below(site.world, base, path)
}

/** `~/Library/Application Support` on macOS. */
export function inApplicationSupport(site: Site, path: string): string {
  return site.inHome(`Library/Application Support/${path}`)
}

/**
 * The file a variable names. The environment is the user's; but a relative path leads into whatever folder one is
 * in, so what stands there is that folder's and needs its approval.
 */
export function fileNamedBy(
  site: Site,
  variable: string,
): { readonly scope: 'user' | 'project'; readonly file: string } | undefined {
  const { env, paths, cwd } = site.world
  const path = env[variable]
  if (path === undefined || path === '') return undefined
  return { scope: paths.isAbsolute(path) ? 'user' : 'project', file: paths.resolve(cwd, path) }
}
