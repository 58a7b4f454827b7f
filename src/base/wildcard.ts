/**
 * wildcard: patterns in which `*` stands for any run of characters, `/` included.
 *
 * never  builds a regular expression: patterns come from files, and matching must stay linear
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const pieces = pattern.split('*')
  const first = pieces[0] ?? ''
  if (pieces.length === 1) return text === first
  const last = pieces[pieces.length - 1] ?? ''
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
