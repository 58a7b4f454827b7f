/**
 * show-path: a file as its user would write it, `~/.cursor/mcp.json` or `./.mcp.json`.
 *
 * in     an absolute path, a URL, or the name of a flag (see `Spot.file`)
 * out    printable text, shortened; credentials in a URL are hidden
 */
import { toPrintable } from '../../base/printable.ts'
import { SOURCE_TITLES, type Scope, type SourceId, type Spot } from '../../model/origin.ts'
import type { World } from '../../world/world.ts'
import { maskText } from '../../problem/mask-text.ts'

/** The part of a World that shortening a path needs. */
export type Here = Pick<World, 'paths' | 'home' | 'cwd'>

export function showPath(file: string, here: Here): string {
  if (!here.paths.isAbsolute(file)) return toPrintable(toShownFile(file))
  const fromHome = pathInside(here, here.home, file)
  const fromCwd = pathInside(here, here.cwd, file)
  // The nearer of the two folders says more. If both are the same, `~` is right wherever the text is read.
  if (fromHome !== undefined && (fromCwd === undefined || fromHome.length <= fromCwd.length)) {
    return toPrintable(fromHome === '' ? '~' : `~${here.paths.sep}${fromHome}`)
  }
  if (fromCwd !== undefined && !isRoot(here, here.cwd)) {
    return toPrintable(fromCwd === '' ? '.' : `.${here.paths.sep}${fromCwd}`)
  }
  return toPrintable(file)
}

/** A folder shown by its own path: `.` would mean another folder elsewhere. */
export function showFolder(folder: string, here: Here): string {
  return showPath(folder, { ...here, cwd: here.paths.resolve(here.paths.sep) })
}

/** The path with line and column, as far as they are known, in the form that editors open on a click. */
export function showSpot(spot: Spot, here: Here): string {
  const position = [spot.line, spot.column].filter((number) => number !== undefined)
  return [showPath(spot.file, here), ...position].join(':')
}

/** `Cursor, user scope`. The root files are named after themselves, so their title would say nothing. */
export function showOwner(owner: { readonly source?: SourceId; readonly scope?: Scope }): string {
  const title = owner.source === undefined || owner.source === 'mcp-json' ? [] : [SOURCE_TITLES[owner.source]]
  const scope = owner.scope === undefined ? [] : [`${owner.scope} scope`]
  return [...title, ...scope].join(', ')
}

/** A sentence with the home folder shown as `~` wherever a path in it begins with it. */
export function shortenHome(text: string, here: Here): string {
  const { home } = here
  if (isRoot(here, home) || !text.includes(home)) return text
  return text
    .split(home)
    .reduce((before, after) =>
      /[\w/\\.-]$/.test(before) || /^[\w.-]/.test(after) ? before + home + after : `${before}~${after}`,
    )
}

/** The file as `--json` gives it: absolute, but a URL without its credentials. */
export function toShownFile(file: string): string {
  return file.includes('://') ? maskText(file) : file
}

/** The path from a folder to a file at or below it. */
function pathInside({ paths }: Here, folder: string, file: string): string | undefined {
  // Nearly always the answer, and `relative` is slow in a short run.
  const start = folder.endsWith(paths.sep) ? folder : folder + paths.sep
  if (file.startsWith(start)) return file.slice(start.length)
  const path = paths.relative(folder, file)
  const isOutside = path === '..' || path.startsWith(`..${paths.sep}`) || paths.isAbsolute(path)
  return isOutside ? undefined : path
}

function isRoot({ paths }: Here, folder: string): boolean {
  return paths.dirname(folder) === folder
}
