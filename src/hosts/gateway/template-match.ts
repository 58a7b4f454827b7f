/**
 * template-match: decides whether a URI may belong to a template. It may match too much: a wrong server answers that it
 * does not know the resource, and the gateway asks the next one.
 */
export function matchesTemplate(template: string, uri: string): boolean {
  // Compared piece by piece, without a regular expression: templates come from servers.
  const pieces = template.split(/\{[^{}]*\}/)
  let from = 0
  for (const [i, piece] of pieces.entries()) {
    const at = i === 0 ? (uri.startsWith(piece) ? 0 : -1) : uri.indexOf(piece, from)
    if (at === -1) return false
    from = at + piece.length
  }
  return pieces.length === 1 ? uri === template : uri.endsWith(pieces.at(-1)!)
}
