/**
 * command-line: a command that the user can paste.
 *
 * in     names and paths that come from files, perhaps of a cloned repository
 * never  lets a shell read a name as a flag or as code
 */
/** As in `World.platform`. */
type Platform = 'linux' | 'darwin' | 'win32'

export function toCommandLine(command: string, names: readonly string[], platform: Platform): string {
  const separator = names.some((name) => name.startsWith('-')) ? ['--'] : []
  return [command, ...separator, ...names.map((name) => quote(name, platform))].join(' ')
}

function quote(word: string, platform: Platform): string {
  if (/^[\w@%+=:,./-]+$/.test(word) && !(platform === 'win32' && word.includes('%'))) return word
  // Its two shells quote in different ways, and a hostile name could escape one of them. So the user types it by hand.
  return platform === 'win32' ? '<name>' : `'${word.replaceAll("'", "'\\''")}'`
}
