/**
 * unknown-server: no server has this name: similar names, and where Plugboard looked.
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
  // The server may be in one of these files.
  const unread = catalog.problems.filter(({ code, where }) => UNREAD.has(code) && where !== undefined)
  return createProblem({
    code: 'cli/unknown-server',
    message: `no server is named \`${name}\``,
    notes: [
      `looked at ${countOf(names.length, 'server')} in ${countOf(files.size, 'file')}`,
      ...unread.map(({ where, message }) => `could not look into ${showSpot(where!, here)}: ${message}`),
    ],
    hints: [
      ...(place === undefined ? [] : [`did you mean \`${nearest}\`? (${place.join(', ')})`]),
      'to see every server and the file it came from, run `plugboard list --all`',
    ],
  })
}

/** Problems of a file whose servers are unknown. */
const UNREAD = new Set([
  'discover/unparseable',
  'discover/unreadable',
  'discover/not-utf8',
  'discover/wrong-shape',
])
