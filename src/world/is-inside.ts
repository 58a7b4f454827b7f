/**
 * is-inside: whether a path is a folder or something in it. It compares the text of the paths alone and follows no
 * link.
 */
import type { Paths } from './world.ts'

export function isInside(
  paths: Pick<Paths, 'relative' | 'isAbsolute'>,
  folder: string,
  path: string,
): boolean {
  const way = paths.relative(folder, path)
  // On Windows, the relative path to another drive is absolute.
  return !/^\.\.(?:[/\\]|$)/.test(way) && !paths.isAbsolute(way)
}
