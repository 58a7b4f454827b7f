/**
 * unknown-server: nobody has this name; who might have been meant, and where was looked.
 */
import { findNearest } from '../../base/edit-distance.ts'
import type { Catalog } from '../../model/catalog.ts'
import type { Problem } from '../../model/problem.ts'
import { createProblem } from '../../problem/problem.ts'
import { countOf } from '../shared/amounts.ts'
import { showOwner, showSpot, type Here } from '../shared/show-path.ts'

export function unknownServer(name: string, catalog: Catalog, here: Here): Problem {
  const names = [...new Set(catalog.entries.map(({ entry }) => entry.found.name))]
  const files = new Set(catalog.entries.map(({ entry }) => entry.found.origin.file))
  const nearest = findNearest(name, names)
  const namesakes = catalog.entries.filter(({ entry }) => entry.found.name === nearest)
  const meant = namesakes.find(({ fate }) => fate.kind === 'chosen') ?? namesakes[0]
  const origin = meant?.entry.found.origin
  const place = origin && [showOwner(origin), showSpot({ file: origin.file, line: origin.line }, here)]
  return createProblem({
    code: 'cli/unknown-server',
    message: `no server is named \`${name}\``,
    notes: [`looked at ${countOf(names.length, 'server')} in ${countOf(files.size, 'file')}`],
    hints: [
      ...(place === undefined ? [] : [`did you mean \`${nearest}\`? (${place.join(', ')})`]),
      'to see every server and the file it came from, run `plugboard list --all`',
    ],
  })
}
