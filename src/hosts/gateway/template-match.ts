/**
 * template-match: whether a URI may be one that a template stands for. Generous: who is wrongly taken for the owner says
 * that it does not know the resource, and the next one is asked.
 */
export function matchesTemplate(template: string, uri: string): boolean {
  // Compared piece by piece, left to right, without a regular expression: templates come from servers.
  const pieces = template.split(/\{[^{}]*\}/)
  let from = 0
  for (const [i, piece] of pieces.entries()) {
    const at = i === 0 ? (uri.startsWith(piece) ? 0 : -1) : uri.indexOf(piece, from)
    if (at === -1) return false
    from = at + piece.length
  }
  return pieces.length === 1 ? uri === template : uri.endsWith(pieces.at(-1)!)
}
