/**
 * in-shell: a name as it must be typed in a command line.
 */
export function inShell(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`
}
