/**
 * command-line: a command for the user to paste.
 *
 * in     names and paths that come from files, perhaps of a cloned repository
 * never  lets a name be read as a flag or as shell code
 */
/** As in `World.platform`. */
type Platform = 'linux' | 'darwin' | 'win32'

export function toCommandLine(command: string, names: readonly string[], platform: Platform): string {
  const separator = names.some((name) => name.startsWith('-')) ? ['--'] : []
  return [command, ...separator, ...names.map((name) => quote(name, platform))].join(' ')
}

function quote(word: string, platform: Platform): string {
  if (/^[\w@%+=:,./-]+$/.test(word) && !(platform === 'win32' && word.includes('%'))) return word
  // Its two shells quote in different ways, and a name may be made to slip through one of them: to be typed by hand.
  return platform === 'win32' ? '<name>' : `'${word.replaceAll("'", "'\\''")}'`
}
