/**
 * user-folders: the folders in which a platform stores the data of programs. `/` separates on every platform.
 */
import { absoluteOr, below } from './project.ts'
import type { Ground } from './site.ts'

/** `$XDG_CONFIG_HOME`, else `~/.config`. */
export function inConfigHome(ground: Ground, path: string): string {
  const { env } = ground.world
  const base = absoluteOr(ground.world, env['XDG_CONFIG_HOME']) ?? ground.inHome('.config')
  return below(ground.world, base, path)
}

/** The folder of desktop programs on each platform. */
export function inAppFolder(ground: Ground, path: string): string {
  const inFolder = { linux: inConfigHome, darwin: inApplicationSupport, win32: inAppData }
  return inFolder[ground.world.platform](ground, path)
}

/** The `User` folders of VS Code and its preview edition. */
export function vscodeUserFolders(ground: Ground): readonly string[] {
  return ['Code', 'Code - Insiders'].map((edition) => inAppFolder(ground, `${edition}/User`))
}

/** `%APPDATA%` on Windows. */
export function inAppData(ground: Ground, path: string): string {
  const { env } = ground.world
  const base = absoluteOr(ground.world, env['APPDATA']) ?? ground.inHome('AppData/Roaming')
  return below(ground.world, base, path)
}

/** `%LOCALAPPDATA%` on Windows. */
export function inLocalAppData(ground: Ground, path: string): string {
  const { env } = ground.world
  const base = absoluteOr(ground.world, env['LOCALAPPDATA']) ?? ground.inHome('AppData/Local')
  return below(ground.world, base, path)
}

/** `~/Library/Application Support` on macOS. */
export function inApplicationSupport(ground: Ground, path: string): string {
  return ground.inHome(`Library/Application Support/${path}`)
}

/**
 * The file that a variable names. The user controls the environment. But a relative path depends on the current folder,
 * so that file belongs to the folder and needs approval.
 */
export function fileNamedBy(
  ground: Ground,
  variable: string,
): { readonly scope: 'user' | 'project'; readonly file: string } | undefined {
  const { env, paths, cwd } = ground.world
  const path = env[variable]
  if (path === undefined || path === '') return undefined
  return { scope: paths.isAbsolute(path) ? 'user' : 'project', file: paths.resolve(cwd, path) }
}
