/**
 * windows-paths: converts the path of a folder between WSL and Windows.
 */

/** `/mnt/c/src` is `C:\src`; any other path is inside the distribution. */
export function toWindowsPath(path: string, distro: string): string {
  const mounted = /^\/mnt\/([a-z])(?:\/(.*))?$/is.exec(path)
  const [start, rest] =
    mounted === null
      ? [`\\\\wsl$\\${distro}`, path.slice(1)]
      : [`${mounted[1]!.toUpperCase()}:`, mounted[2] ?? '']
  return `${start}\\${rest.replaceAll('/', '\\')}`
}

/** The reverse. A path that is neither on a drive nor in this distribution stays as it is. */
export function toWslPath(path: string, distro: string): string {
  const drive = /^([A-Za-z]):(?:[/\\](.*))?$/s.exec(path)
  if (drive !== null) return toSlashes(`/mnt/${drive[1]!.toLowerCase()}${drive[2] ? `/${drive[2]}` : ''}`)
  const inside = /^[/\\]{2}wsl(?:\$|\.localhost)[/\\]([^/\\]+)(.*)$/is.exec(path)
  if (inside === null || inside[1]!.toLowerCase() !== distro.toLowerCase()) return path
  return toSlashes(inside[2] === '' ? '/' : inside[2]!)
}

function toSlashes(path: string): string {
  return path.replaceAll('\\', '/')
}
